//! The tools of a request, and the `tools` arrays that registries cache.

use super::cache::Cache;
use super::report::{ChangedDefinition, LeftOutTool};
use super::{NotStrictTool, WireError};
use crate::schema::ToolSchema;
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, PoisonError};

/// The cached arrays of exactly these tools.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolCache<'a> {
    pub(crate) tools: &'a [ToolSchema],
    pub(crate) deferred_tools: &'a [ToolSchema],
    pub(crate) arrays: &'a ToolArrays,
}

/// The `tools` array of a request.
#[derive(Debug)]
pub(crate) struct ToolArray {
    pub(super) json: Arc<RawValue>,
    pub(super) has_tools: bool,
    /// The tools that are not strict in it, although the wire is strict.
    pub(super) not_strict: Vec<NotStrictTool>,
    /// The changes of definitions, and the tools that it does not have. Shared, so that a request copies nothing.
    pub(super) changed: Arc<[ChangedDefinition]>,
    pub(super) left_out: Arc<[LeftOutTool]>,
}

impl ToolArray {
    /// Whether the array does not have a tool of the request.
    pub(super) fn leaves_out(&self, name: &str) -> bool {
        self.left_out.iter().any(|left_out| left_out.tool == name)
    }
}

/// The key of a cached array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of a wire")]
pub(super) struct ToolForm {
    /// The name of the wire.
    pub(super) wire: &'static str,
    pub(super) is_strict: bool,
    /// Whether the model finds deferred tools with the search of the API.
    pub(super) has_native_search: bool,
    /// Whether an array for the search of the API has `call_tool`, since the messages have calls of it.
    pub(super) has_call_tool: bool,
    /// The maximum number of tools.
    pub(super) max_tools: Option<usize>,
    pub(super) cache: Cache,
    pub(super) has_output_schemas: bool,
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
