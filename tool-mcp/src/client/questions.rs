//! Questions of a server for the user, which become questions of its running call.
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

use super::RemoteError;
use crate::message_size::{truncated, value_bytes};
use rmcp::model::{CallToolRequestParams, InputResponses};
use serde_json::{Map, Value};
use tool_runtime::CallContext;
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::UserAnswer;

/// The size after which the text of a question is truncated.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The size of the form of a question.
const MAX_FORM_BYTES: usize = 64 * 1024;

/// The number of questions in one response.
const MAX_QUESTIONS: usize = 20;

/// The method of a question.
pub(super) const METHOD: &str = "elicitation/create";

/// Asks the user, in the call. `params` are those of an elicitation.
pub(super) fn ask(
    call: &CallContext,
    params: &Value,
) -> impl Future<Output = Result<UserAnswer, RemoteError>> + Send + use<> {
    let (text, schema) = (params["message"].as_str().unwrap_or_default(), &params["requestedSchema"]);
    let unsupported = |what: &str| RemoteError::UnsupportedInput { kind: what.to_owned() };
    let asked = match params["mode"].as_str() {
        None | Some("form") if value_bytes(schema) > MAX_FORM_BYTES => {
            Err(unsupported("a form of more than 64 KiB"))
        }
        None | Some("form") => {
            Ok((call.ask(truncated(text, MAX_TEXT_BYTES), schema.clone()), schema.clone()))
        }
        Some(mode) => Err(unsupported(&format!("an elicitation with the mode `{}`", truncated(mode, 64)))),
    };
    async move {
        let (answer, schema) = asked?;
        let mut answer = answer.await.map_err(RemoteError::CannotAsk)?;
        if let UserAnswer::Accepted(Value::Object(content)) = &mut answer {
            add_defaults(content, &schema);
        }
        Ok(answer)
    }
}

/// Adds the defaults of the properties that the user has left out.
fn add_defaults(content: &mut Map<String, Value>, schema: &Value) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(default) = property.get("default") {
            content.entry(name).or_insert_with(|| default.clone());
        }
    }
}

/// Asks the questions of a response that is no result yet, and adds the answers to the call. Returns whether there are any.
pub(super) async fn answer_questions(
    response: &Value,
    call: &CallContext,
    params: &mut CallToolRequestParams,
) -> Result<bool, RemoteError> {
    let responses = match &response["inputRequests"] {
        Value::Object(requests) => answers(requests, call).await?,
        _ => InputResponses::new(),
    };
    params.input_responses = Some(responses).filter(|responses| !responses.is_empty());
    params.request_state = response["requestState"].as_str().map(str::to_owned);
    Ok(params.input_responses.is_some())
}

/// Asks questions, by their keys.
pub(super) async fn answers(
    requests: &Map<String, Value>,
    call: &CallContext,
) -> Result<InputResponses, RemoteError> {
    if requests.len() > MAX_QUESTIONS {
        return Err(RemoteError::UnsupportedInput {
            kind: format!("more than {MAX_QUESTIONS} inputs at once"),
        });
    }
    let mut asked = Vec::new();
    for (key, request) in requests {
        match request["method"].as_str().unwrap_or_default() {
            METHOD => asked.push((key, ask(call, &request["params"]))),
            method => {
                return Err(RemoteError::UnsupportedInput { kind: format!("`{}`", truncated(method, 64)) });
            }
        }
    }
    let (mut responses, mut waits) = (InputResponses::new(), None);
    // Each question is asked, also if an earlier one waits for a later run.
    for (key, answer) in asked {
        match answer.await {
            Ok(answer) => {
                responses.insert(key.clone(), serde_json::to_value(answer).unwrap_or_default());
            }
            Err(error @ RemoteError::CannotAsk(InnerCallError::Waits { .. })) => waits = Some(error),
            Err(error) => return Err(error),
        }
    }
    waits.map_or(Ok(responses), Err)
}
