//! The `tools` arrays of requests, which registries cache.

use super::{NotStrictTool, WireError};
use crate::schema::NotStrict;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::{Arc, OnceLock};

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

/// The form of a tool definition.
#[derive(Clone, Copy, Debug)]
pub(super) enum ToolForm {
    ChatCompletions,
    ChatCompletionsStrict,
    #[cfg(feature = "anthropic")]
    Anthropic,
    #[cfg(feature = "anthropic")]
    AnthropicStrict,
}

/// The number of variants of [`ToolForm`] with all features.
const FORMS: usize = 4;

/// The arrays of all tools of a registry, each created when it is first written: a request copies its bytes.
#[derive(Debug, Default)]
pub(crate) struct ToolArrays([OnceLock<Arc<ToolArray>>; FORMS]);

impl ToolArrays {
    pub(super) fn get_or_init(
        &self,
        form: ToolForm,
        make: impl FnOnce() -> Result<ToolArray, WireError>,
    ) -> Result<Arc<ToolArray>, WireError> {
        let array = &self.0[form as usize];
        if let Some(array) = array.get() {
            return Ok(Arc::clone(array));
        }
        let new = Arc::new(make()?);
        Ok(Arc::clone(array.get_or_init(|| new)))
    }
}

/// The reasons as texts, for a report.
pub(super) fn reasons(reasons: &[NotStrict]) -> Vec<String> {
    reasons.iter().map(ToString::to_string).collect()
}
