//! The tools of a request, and the `tools` arrays that registries cache.

use super::{NotStrictTool, WireError};
use crate::schema::ToolSchema;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::{Arc, Mutex, PoisonError};

/// The tools of a request. `arrays` belongs to exactly these tools, so a method that sets other tools removes it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestTools<'a> {
    pub(crate) listed: &'a [ToolSchema],
    /// The tools that the model finds with a search.
    pub(crate) deferred: &'a [ToolSchema],
    /// The cached arrays of these tools.
    pub(crate) arrays: Option<&'a ToolArrays>,
}

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

/// The key of a cached array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ToolForm {
    /// The name of the wire.
    pub(super) wire: &'static str,
    pub(super) is_strict: bool,
    /// Whether the model finds deferred tools with the search of the API.
    pub(super) has_native_search: bool,
    /// Whether an array for the search of the API has `call_tool`, since the messages have calls of it.
    pub(super) has_call_tool: bool,
}

impl ToolForm {
    /// The form without any setting of the wire of this name.
    pub(super) fn new(wire: &'static str) -> Self {
        ToolForm { wire, is_strict: false, has_native_search: false, has_call_tool: false }
    }
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
