//! The `tools` arrays of requests, which registries cache.

use super::{NotStrictTool, WireError};
use crate::schema::NotStrict;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::{Arc, Mutex, PoisonError};

/// The `tools` array of a request.
#[derive(Debug)]
pub(crate) struct ToolArray {
    pub(super) json: Arc<RawValue>,
    /// The tools that are not strict in it, although the wire is strict.
    pub(super) not_strict: Vec<NotStrictTool>,
}

impl ToolArray {
    pub(super) fn new(tools: &[impl Serialize], not_strict: Vec<NotStrictTool>) -> Result<Self, WireError> {
        let json = to_raw_value(tools).map_err(|source| WireError::NotSerializable { source })?;
        Ok(ToolArray { json: json.into(), not_strict })
    }
}

/// How the model finds deferred tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchForm {
    /// With tools of the registry.
    Tools,
    /// With the search of the API, which needs no `call_tool`.
    #[cfg_attr(not(any(feature = "anthropic", feature = "responses", test)), expect(dead_code))]
    Native {
        /// Whether the array has `call_tool` nevertheless, since the messages have calls of it.
        has_call_tool: bool,
    },
}

/// The form of a tool definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolForm {
    /// The name of the wire.
    pub(super) wire: &'static str,
    pub(super) is_strict: bool,
    pub(super) search: SearchForm,
}

/// The arrays of all tools of a registry, each created when it is first written: a request copies its bytes.
#[derive(Debug, Default)]
pub(crate) struct ToolArrays(Mutex<Vec<(ToolForm, Arc<ToolArray>)>>);

impl ToolArrays {
    pub(super) fn get_or_init(
        &self,
        form: ToolForm,
        make: impl FnOnce() -> Result<ToolArray, WireError>,
    ) -> Result<Arc<ToolArray>, WireError> {
        let mut arrays = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, array)) = arrays.iter().find(|(known, _)| *known == form) {
            return Ok(Arc::clone(array));
        }
        let new = Arc::new(make()?);
        arrays.push((form, Arc::clone(&new)));
        Ok(new)
    }
}

/// The reasons as texts, for a report.
pub(super) fn reasons(reasons: &[NotStrict]) -> Vec<String> {
    reasons.iter().map(ToString::to_string).collect()
}
