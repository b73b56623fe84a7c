//! The type of a typed answer: its schema, and the validation of an answer.

use crate::arguments::{ArgumentsError, answer_parameter, decode_answer, truncated_call_error};
use crate::coerce::CoercionOptions;
use crate::conversation::AnswerTool;
use crate::message::{AssistantMessage, ToolCall, means_none};
use crate::outcome::{CallError, Changes, ErrorList, JsonProblem};
use crate::registry::Registry;
use crate::schema::{AnswerSchema, ToolSchema, from_answer, inline_settings};
use crate::tool::ToolKeys;
use crate::validator::Validator;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

const NAME: &str = "final_answer";
const DESCRIPTION: &str =
    "Gives the final answer. Call it alone, after the results of all other calls, in place of a text.";

/// The format of the typed answer of a run.
#[derive(Debug)]
pub struct AnswerFormat {
    pub(super) tool: Arc<AnswerTool>,
    /// `None` if it cannot be compiled, since the schema is too deep. Then only the decoder decides.
    validator: Option<Validator>,
    /// The keys that a provider rejects, if there are any.
    keys: Option<ToolKeys>,
    /// Whether the answer is the property `answer` of an object.
    is_wrapped: bool,
    /// Whether the registry repairs and coerces arguments.
    is_lenient: bool,
    /// Decodes an answer of the type, and drops it.
    validate_json: fn(&AnswerFormat, &str) -> Result<(), ArgumentsError>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wrapped<T> {
    answer: T,
}

impl AnswerFormat {
    pub(super) fn new<T: DeserializeOwned + JsonSchema>(registry: &Registry) -> Self {
        let mut generator = inline_settings().into_generator();
        let schema = answer_parameter::<T>(&mut generator).schema.to_value();
        let AnswerSchema { schemas, is_wrapped } = from_answer(&schema, &generator.take_definitions(true));
        let schema = ToolSchema::new(free_name(registry).into(), DESCRIPTION.into(), schemas.published);
        let keys = schema.forms().property_keys().map(|keys| ToolKeys::new(keys, &schemas.enforced));
        AnswerFormat {
            keys,
            tool: Arc::new(AnswerTool::new(schema, registry)),
            validator: Validator::new(&schemas.enforced).ok(),
            is_wrapped,
            is_lenient: registry.is_lenient(),
            validate_json: |format, json| format.decode::<T>(json).map(drop),
        }
    }

    /// Decodes an answer.
    pub(super) fn decode<T: DeserializeOwned + JsonSchema>(&self, json: &str) -> Result<T, ArgumentsError> {
        let json = without_fence(json);
        let own = self.keys.as_ref().and_then(|keys| keys.names.own_arguments(json));
        let json = own.as_deref().unwrap_or(json);
        // A strict form makes the model write null for each absent field, even if an earlier process sent it.
        let options = CoercionOptions { tool: NAME, null_is_absent: true, lenient: self.is_lenient };
        let validator = self.validator.as_ref();
        if !self.is_wrapped {
            return decode_answer(json, validator, options);
        }
        let decode = |json: &str| decode_answer(json, validator, options).map(|Wrapped { answer }| answer);
        // Without a response format, some models write the value itself.
        decode(json).or_else(|error| decode(&format!(r#"{{"answer":{json}}}"#)).map_err(|_| error))
    }

    /// Validates the text of an answer.
    pub(super) fn validate(&self, text: &str) -> Result<(), InvalidAnswer> {
        // An empty text would decode as an object without fields, as in a call without arguments.
        if text.trim().is_empty() {
            return Err(InvalidAnswer::Empty);
        }
        (self.validate_json)(self, text).map_err(InvalidAnswer::Json)
    }

    pub(super) fn is_answer(&self, call: &ToolCall) -> bool {
        call.name == self.tool.schema.name()
    }

    /// Gives the calls of the tool the keys of the type.
    pub(super) fn use_own_keys(&self, reply: &mut AssistantMessage) {
        let Some(keys) = &self.keys else { return };
        reply.change_calls(|calls| {
            for call in calls.iter_mut().filter(|call| self.is_answer(call)) {
                let own = keys.names.own_arguments(&call.arguments);
                call.arguments = own.unwrap_or_else(|| std::mem::take(&mut call.arguments));
            }
        });
    }

    /// Replaces the call of the tool by its text, if it is the only call, and valid or truncated: a later request may not have
    /// the tool.
    pub(super) fn with_text(&self, mut reply: AssistantMessage) -> AssistantMessage {
        let [call] = &*reply.tool_calls else { return reply };
        let json = arguments(call);
        if self.is_answer(call) && (call.is_truncated || (self.validate_json)(self, json).is_ok()) {
            reply.content = Some(json.into());
            reply.tool_calls.clear();
            // The provider's own copy of the conversation has a call without a result.
            if let Some(origin) = &mut reply.origin {
                origin.response_id = None;
            }
        }
        reply
    }

    /// The error of a call of the tool that does not end the run: it is invalid, or the reply has other calls.
    pub(super) fn call_error(&self, call: &ToolCall, has_written_keys: bool) -> CallError {
        let (tool, arguments) = (call.name.clone(), arguments(call));
        if call.is_truncated {
            return truncated_call_error(tool, arguments);
        }
        if let Err(error) = (self.validate_json)(self, arguments) {
            return match self.keys.as_ref().filter(|_| has_written_keys) {
                Some(keys) => keys.call_error(&tool, error, arguments),
                None => error.into_call_error(&tool, arguments, self.validator.as_ref()),
            };
        }
        let reason =
            format!("`{tool}` must be the only call. Call it again after the results of the others.");
        CallError::Denied { tool, reason }
    }
}

/// The reason why a text is not an answer of the type.
pub(super) enum InvalidAnswer {
    Empty,
    Json(ArgumentsError),
}

impl InvalidAnswer {
    pub(super) fn reason(&self) -> String {
        match self {
            InvalidAnswer::Empty => "the answer is empty".to_owned(),
            InvalidAnswer::Json(ArgumentsError::NotJson { error, .. }) => {
                format!("the answer is not valid JSON ({})", JsonProblem { error, near: "" })
            }
            InvalidAnswer::Json(ArgumentsError::NotAnObject(got)) => {
                format!("the answer must be one JSON object, not {got}")
            }
            InvalidAnswer::Json(ArgumentsError::Invalid(errors)) => {
                format!("the answer is invalid: {}", ErrorList(errors))
            }
        }
    }

    /// The message for the model.
    pub(super) fn message(&self, format: &AnswerFormat) -> String {
        let reason = self.reason();
        match self {
            InvalidAnswer::Json(ArgumentsError::Invalid(errors)) => {
                format!("Error: {reason}. Send the whole answer again, but {}.", Changes(errors))
            }
            // The server may have ignored the schema.
            InvalidAnswer::Empty | InvalidAnswer::Json(_) => format!(
                "Error: {reason}. Answer with one JSON object that is valid under this JSON Schema, and nothing else: {}",
                format.tool.schema.parameters()
            ),
        }
    }
}

/// The arguments of a call, where no text means no arguments.
fn arguments(call: &ToolCall) -> &str {
    if means_none(&call.arguments) { "{}" } else { &call.arguments }
}

/// The content of a code block of Markdown, in which models often write JSON; otherwise the whole text.
fn without_fence(text: &str) -> &str {
    let block = text.trim().strip_prefix("```").and_then(|block| block.strip_suffix("```"));
    block.map_or(text, |block| block.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()))
}

/// The name of the tool, which no tool of the registry has.
fn free_name(registry: &Registry) -> String {
    let mut name = NAME.to_owned();
    let mut number = 1;
    while registry.entry(&name).is_some() {
        number += 1;
        name = format!("{NAME}_{number}");
    }
    name
}
