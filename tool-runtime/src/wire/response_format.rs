//! The response format for a typed answer: when a wire uses it, and its JSON.

use super::report::reasons;
use super::{Report, RequestParts};
use crate::schema::ToolSchema;
use serde::Serialize;
use serde_json::value::RawValue;

/// The requests in which a wire asks for a typed answer ([`Run::answer_as`](crate::session::Run::answer_as)) through the
/// response format of its API. In the others, the model answers with a call of the tool `final_answer`.
///
/// The default is `Always` for [`Anthropic`](crate::wire::Anthropic) and [`Responses`](crate::wire::Responses), and
/// `WithoutTools` for [`ChatCompletions`](crate::wire::ChatCompletions), [`Gemini`](crate::wire::Gemini),
/// [`GeminiInteractions`](crate::wire::GeminiInteractions) and [`Ollama`](crate::wire::Ollama). [`Bedrock`](crate::wire::Bedrock)
/// has none.
///
/// ```
/// use tool_runtime::wire::{ChatCompletions, UseResponseFormat};
///
/// let openai = ChatCompletions::new().response_format(UseResponseFormat::Always);
/// let deepseek = ChatCompletions::new().response_format(UseResponseFormat::Never); // it accepts no JSON Schema
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UseResponseFormat {
    /// In each request.
    Always,
    /// In requests without tools. Some servers reject a response format together with tools, and with others the model then
    /// calls no tool.
    WithoutTools,
    /// In no request.
    Never,
}

impl UseResponseFormat {
    /// Whether the response format is used in this request.
    pub(super) fn applies_to(self, parts: &RequestParts<'_>) -> bool {
        match self {
            UseResponseFormat::Always => true,
            UseResponseFormat::WithoutTools => !parts.has_allowed_tools(),
            UseResponseFormat::Never => false,
        }
    }
}

/// A JSON Schema as a response format.
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

impl<'a> JsonSchema<'a> {
    /// The schema of an answer in OpenAI's strict form, or unchanged and reported if it has none.
    pub(super) fn openai(answer: &'a ToolSchema, report: &mut Report) -> Self {
        let form = answer.openai_strict();
        if let Err(errors) = form {
            report.answer_not_strict = reasons(errors);
        }
        let (name, strict) = (Some(answer.name()), Some(form.is_ok()));
        JsonSchema { r#type: None, name, strict, schema: form.unwrap_or(answer.parameters()) }
    }
}

/// The value of a field with the response format.
#[derive(Serialize)]
pub(super) struct WithFormat<'a> {
    pub(super) format: JsonSchema<'a>,
}
