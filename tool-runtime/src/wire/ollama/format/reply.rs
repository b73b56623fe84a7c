//! Responses: the message of the model, or an error instead of it.

use super::NAME;
use super::message::ReadMessage;
use crate::message::{AssistantMessage, Origin, TokenCounts, Usage};
use crate::wire::WireError;
use crate::wire::error::{beginning, server_error};
use crate::wire::expected::Expected;
use serde::Deserialize;
use serde_json::Value;

const REPLY: Expected = Expected::reply(NAME, "a reply of Ollama's API");

/// A response, or one line of a stream: <https://docs.ollama.com/api/chat>.
#[derive(Default, Deserialize)]
#[serde(default, expecting = "a response")]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    pub(super) message: Option<ReadMessage<'a>>,
    pub(super) model: Option<String>,
    pub(super) done: bool,
    pub(super) done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    pub(super) error: Value,
}

impl Response<'_> {
    /// The tokens, which the last line of a stream has.
    pub(super) fn usage(&self) -> Option<Usage> {
        // The server leaves out a count of zero.
        let (input, output) = ([self.prompt_eval_count], [self.eval_count]);
        TokenCounts { input: &input, output: &output, ..TokenCounts::default() }.usage()
    }
}

/// Reads the body of a response.
pub(super) fn read(body: &str) -> Result<AssistantMessage, WireError> {
    let response: Response<'_> = REPLY.read(body)?;
    server_error(&response.error)?;
    let usage = response.usage();
    let Some(message) = response.message else {
        return Err(REPLY.wrong_body(body, format_args!("there is no `message` in {}", beginning(body))));
    };
    let mut reply = message.into_reply();
    if let Some(reason) = response.done_reason {
        reply = reply.with_finish_reason(reason);
    }
    Ok(reply.received(Origin { model: response.model, ..Origin::new(NAME) }, usage))
}
