//! Questions of a server for the user, which become questions of its running call.
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

use super::RemoteError;
use crate::message_size::{truncated, value_bytes};
use rmcp::model::{CallToolRequestParams, InputResponses};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// The number of questions of a call.
const MAX_QUESTIONS_OF_CALL: usize = 50;

/// The number of questions that a call has asked.
#[derive(Default)]
pub(super) struct Questions(AtomicUsize);

impl Questions {
    pub(super) fn count(&self, count: usize) -> Result<(), RemoteError> {
        if self.0.fetch_add(count, Ordering::Relaxed) + count > MAX_QUESTIONS_OF_CALL {
            return Err(unsupported(format!("more than {MAX_QUESTIONS_OF_CALL} inputs in one call")));
        }
        Ok(())
    }
}

fn unsupported(kind: String) -> RemoteError {
    RemoteError::UnsupportedInput { kind }
}

/// Asks the user, in the call. `params` are those of an elicitation.
pub(super) fn ask(
    call: &CallContext,
    params: &Value,
) -> impl Future<Output = Result<UserAnswer, RemoteError>> + Send + use<> {
    let asked = read(params).map(|(text, schema)| (call.ask(text, schema.clone()), schema));
    async move {
        let (answer, schema) = asked?;
        let mut answer = answer.await.map_err(RemoteError::CannotAsk)?;
        if let UserAnswer::Accepted(Value::Object(content)) = &mut answer {
            add_defaults(content, &schema);
        }
        Ok(answer)
    }
}

/// The text of an elicitation, and the schema of the answer.
fn read(params: &Value) -> Result<(String, Value), RemoteError> {
    if let Some(mode) = params["mode"].as_str().filter(|&mode| mode != "form") {
        return Err(unsupported(format!("an elicitation with the mode `{}`", truncated(mode, 64))));
    }
    match (params["message"].as_str(), &params["requestedSchema"]) {
        (Some(_), schema @ Value::Object(_)) if value_bytes(schema) > MAX_FORM_BYTES => {
            Err(unsupported("a form of more than 64 KiB".to_owned()))
        }
        (Some(text), schema @ Value::Object(_)) => Ok((truncated(text, MAX_TEXT_BYTES), schema.clone())),
        _ => Err(unsupported("an elicitation without a message or a form".to_owned())),
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
    mut response: Value,
    call: &CallContext,
    questions: &Questions,
    params: &mut CallToolRequestParams,
) -> Result<bool, RemoteError> {
    params.request_state = response["requestState"].as_str().map(str::to_owned);
    let requests = response["inputRequests"].take();
    drop(response);
    let responses = answers(requests, call, questions).await?;
    params.input_responses = Some(responses).filter(|responses| !responses.is_empty());
    Ok(params.input_responses.is_some())
}

/// Asks the questions of an object, by their keys. The object is dropped before the user answers.
pub(super) async fn answers(
    requests: Value,
    call: &CallContext,
    questions: &Questions,
) -> Result<InputResponses, RemoteError> {
    let count = requests.as_object().map_or(0, Map::len);
    if count > MAX_QUESTIONS {
        return Err(unsupported(format!("more than {MAX_QUESTIONS} inputs at once")));
    }
    questions.count(count)?;
    let mut asked = Vec::new();
    for (key, request) in requests.as_object().into_iter().flatten() {
        match request["method"].as_str().unwrap_or_default() {
            METHOD => asked.push((key.clone(), ask(call, &request["params"]))),
            method => return Err(unsupported(format!("`{}`", truncated(method, 64)))),
        }
    }
    drop(requests);
    let (mut responses, mut waits) = (InputResponses::new(), None);
    // Each question is asked, also if an earlier one waits for a later run.
    for (key, answer) in asked {
        match answer.await {
            Ok(answer) => {
                responses.insert(key, serde_json::to_value(answer).unwrap_or_default());
            }
            Err(error @ RemoteError::CannotAsk(InnerCallError::Waits { .. })) => waits = Some(error),
            Err(error) => return Err(error),
        }
    }
    waits.map_or(Ok(responses), Err)
}
