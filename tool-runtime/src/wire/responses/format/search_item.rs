//! The items of a search for tools that the program runs.

use super::tool_search;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;

const COMPLETED: &str = "completed";

/// A search that the program runs, or its result.
#[derive(Serialize)]
pub(super) struct SearchItem<'a> {
    pub(super) r#type: &'static str,
    pub(super) call_id: Cow<'a, str>,
    pub(super) execution: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) arguments: Option<Cow<'a, RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Box<RawValue>>,
    #[serde(flatten)]
    pub(super) extra: Map<String, Value>,
}

impl<'a> SearchItem<'a> {
    pub(super) fn new(r#type: &'static str, call_id: Cow<'a, str>) -> Self {
        let (execution, status) = (tool_search::CLIENT, Some(COMPLETED));
        SearchItem { r#type, call_id, execution, status, arguments: None, tools: None, extra: Map::new() }
    }
}
