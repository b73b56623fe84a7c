//! The form that a client shows for a question.

use rmcp::model::{ElicitRequestParams, ElicitationSchema};
use serde_json::{Map, Value, json};
use tool_runtime::dispatch::UserAnswer;

/// The property of a form for a single value.
const ANSWER: &str = "answer";

/// A question in the format of the protocol.
#[derive(Clone)]
pub(super) struct Form {
    message: String,
    schema: ElicitationSchema,
    /// Whether the schema of the question is that of a single value.
    is_single: bool,
}

impl Form {
    /// # Errors
    ///
    /// The protocol has no such form.
    pub(super) fn new(message: &str, schema: &Value) -> Result<Self, String> {
        let is_single = schema["type"] != "object";
        let schema = if is_single {
            json!({ "type": "object", "properties": { ANSWER: schema }, "required": [ANSWER] })
        } else {
            let mut schema = schema.clone();
            if let Some(keywords) = schema.as_object_mut() {
                keywords.entry("properties").or_insert_with(|| Map::new().into());
            }
            schema
        };
        let schema = serde_json::from_value(schema).map_err(|error| {
            format!(
                "MCP clients show a form for an object whose properties have a `type` and are strings, numbers, booleans and enums ({error})"
            )
        })?;
        Ok(Form { message: message.to_owned(), schema, is_single })
    }

    pub(super) fn into_params(self) -> ElicitRequestParams {
        ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: self.message,
            requested_schema: self.schema,
        }
    }

    /// Reads the response of a client.
    ///
    /// # Errors
    ///
    /// The response has no action, or no answer.
    pub(super) fn answer(&self, mut response: Value) -> Result<UserAnswer, String> {
        match response["action"].as_str() {
            Some("accept") => {
                let mut content = response.get_mut("content").map_or(Value::Null, Value::take);
                if content.is_null() {
                    content = Map::new().into();
                }
                if self.is_single {
                    let answer = content.get_mut(ANSWER).map(Value::take);
                    content = answer.ok_or("the client has accepted the question without an answer")?;
                }
                Ok(UserAnswer::Accepted(content))
            }
            Some("decline") => Ok(UserAnswer::Declined),
            Some("cancel") => Ok(UserAnswer::Cancelled),
            _ => Err("the client has not responded with an action".to_owned()),
        }
    }
}
