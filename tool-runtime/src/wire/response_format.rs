//! The setting of a wire for typed answers.

use super::RequestParts;
use serde::Serialize;
use serde_json::value::RawValue;

/// When a wire uses the response format of its API for the [typed answer](crate::session::Run::answer_as) of a run.
/// Otherwise, the model gives the answer as the call of a tool.
///
/// ```
/// use tool_runtime::wire::{ChatCompletions, ResponseFormat};
///
/// let openai = ChatCompletions::new().response_format(ResponseFormat::Always);
/// let deepseek = ChatCompletions::new().response_format(ResponseFormat::Never); // the server knows no JSON Schema
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ResponseFormat {
    /// In each request.
    Always,
    /// In requests without tools. Some servers reject a response format together with tools, and others then never call a
    /// tool.
    WithoutTools,
    /// In no request.
    Never,
}

impl ResponseFormat {
    /// Whether the response format is used in this request.
    pub(super) fn applies_to(self, parts: &RequestParts<'_>) -> bool {
        match self {
            ResponseFormat::Always => true,
            ResponseFormat::WithoutTools => !parts.has_allowed_tools(),
            ResponseFormat::Never => false,
        }
    }
}

/// A JSON Schema as a response format. `RawValue` keeps the order of the properties, in which models write them.
#[derive(Serialize)]
pub(super) struct JsonSchema<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) strict: Option<bool>,
    pub(super) schema: &'a RawValue,
}

/// The value of a field with the response format.
#[derive(Serialize)]
pub(super) struct WithFormat<'a> {
    pub(super) format: JsonSchema<'a>,
}
