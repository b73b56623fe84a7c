//! Reads a history in any form: a stored session, stored messages, or a request of a provider.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use tool_runtime::conversation::PendingCalls;
use tool_runtime::message::{Message, stored};
use tool_runtime::session::Session;
use tool_runtime::wire::{self, Wire};

/// A history, by the form of its text.
pub(crate) enum History {
    Session(Box<Session>),
    /// Calls without a session, and the messages before them.
    Pending(Box<PendingCalls>),
    /// Messages in the form for storage.
    Stored {
        messages: Vec<Message>,
        /// The reason why they are not a session.
        problem: Option<String>,
    },
    Request {
        messages: Vec<Message>,
        wire: Arc<dyn Wire>,
    },
}

/// The error of a text that is not a history.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HistoryTextError(String);

impl fmt::Display for HistoryTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Deserialize)]
struct StoredMessages {
    #[serde(with = "stored")]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct StoredList(#[serde(with = "stored")] Vec<Message>);

impl History {
    /// Reads a text. Numbers of arguments stay as they are written, so no value is read and written again.
    pub(crate) fn read(text: &str) -> Result<Self, HistoryTextError> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err(HistoryTextError("the text is empty".to_owned()));
        }
        if let Some(list) = join_lines(text) {
            return Self::read_json(&list);
        }
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => Self::read_json(text),
            // A text with half of a surrogate pair is not JSON for `serde_json`, but a wire reads it.
            Err(error) => Self::read_request(text)
                .unwrap_or_else(|| Err(HistoryTextError(format!("the text is not JSON: {error}")))),
        }
    }

    fn read_json(text: &str) -> Result<Self, HistoryTextError> {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
        let has = |names: &[&str]| names.iter().all(|name| fields.contains_key(*name));
        if has(&["version", "messages", "revision"]) {
            return Self::read_session(text);
        }
        if has(&["messages", "reply", "calls"]) {
            let pending = serde_json::from_str(text);
            return pending.map(|pending| History::Pending(Box::new(pending))).map_err(|error| {
                HistoryTextError(format!(
                    "the text looks like stored pending calls, but cannot be read: {error}"
                ))
            });
        }
        if let Ok(StoredList(messages)) = serde_json::from_str(text) {
            return Ok(History::Stored { messages, problem: None });
        }
        if let Some(request) = Self::read_request(text) {
            return request;
        }
        // A record of the program, such as `{"user": 7, "conversation": [..]}`.
        let mut lists = fields.values().filter_map(|field| serde_json::from_str(field.get()).ok());
        match lists.find(|StoredList(messages)| !messages.is_empty()) {
            Some(StoredList(messages)) => Ok(History::Stored { messages, problem: None }),
            None => Err(HistoryTextError(
                "the text is neither a stored session, nor a list of messages, nor the body of a request of a \
                 supported provider"
                    .to_owned(),
            )),
        }
    }

    /// A session. If it cannot be continued, only its messages.
    fn read_session(text: &str) -> Result<Self, HistoryTextError> {
        let error = match serde_json::from_str(text) {
            Ok(session) => return Ok(History::Session(Box::new(session))),
            Err(error) => error,
        };
        let problem = format!("the session cannot be loaded: {error}");
        match serde_json::from_str(text) {
            Ok(StoredMessages { messages }) => Ok(History::Stored { messages, problem: Some(problem) }),
            Err(_) => Err(HistoryTextError(problem)),
        }
    }

    /// The request of a provider; `None` if the text has the form of none.
    fn read_request(text: &str) -> Option<Result<Self, HistoryTextError>> {
        let name = wire::detect(text)?;
        let read = wire::by_name(name).map_err(|error| error.to_string()).and_then(|wire| {
            let messages = wire.read_messages(text).map_err(|error| error.to_string())?;
            Ok(History::Request { messages, wire })
        });
        Some(read.map_err(|error| {
            HistoryTextError(format!(
                "the text looks like messages of the wire `{name}`, but cannot be read: {error}"
            ))
        }))
    }
}

/// The list of the messages, if the text has one in each of several lines.
fn join_lines(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_message = |line: &&str| line.starts_with('{') && serde_json::from_str::<IgnoredAny>(line).is_ok();
    (lines.len() > 1 && lines.iter().all(is_message)).then(|| format!("[{}]", lines.join(",")))
}

#[cfg(test)]
mod tests {
    use super::History;

    #[test]
    fn a_text_that_is_no_history_has_a_reason() {
        let reason =
            |text: &str| History::read(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(reason(" \n"), "the text is empty");
        assert_eq!(reason("Hello!"), "the text is not JSON: expected value at line 1 column 1");
        assert!(reason(r#"{"a": 1}"#).starts_with("the text is neither a stored session, nor a list"));
        assert!(reason(r#"{"version": 2, "revision": 1, "messages": 7}"#).contains("has version 2"));
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(reason(&deep).starts_with("the text is neither a stored session"));
    }

    #[test]
    fn each_form_is_read() {
        let kind = |text: &str| match History::read(text) {
            Ok(History::Session(_)) => "session",
            Ok(History::Pending(_)) => "pending",
            Ok(History::Stored { problem: None, .. }) => "stored",
            Ok(History::Stored { .. }) => "invalid session",
            Ok(History::Request { wire, .. }) => wire.name(),
            Err(_) => "error",
        };
        let message = r#"{"role":"user","content":"Hello!"}"#;
        assert_eq!(kind(&format!("\u{feff}[{message}]")), "stored");
        assert_eq!(kind(&format!("{message}\n\n{message}\n")), "stored");
        assert_eq!(kind(&format!(r#"{{"user": 7, "tags": [], "conversation": [{message}]}}"#)), "stored");
        assert_eq!(kind(&format!(r#"{{"model": "m", "messages": [{message}]}}"#)), "chat_completions");
        assert_eq!(kind(r#"[{"role":"user","content":"half: \ud83d"}]"#), "chat_completions");
        assert_eq!(kind(r#"{"contents":[{"role":"user","parts":[{"text":"Hello!"}]}]}"#), "gemini");

        let session = serde_json::to_value(tool_runtime::Session::new().user("Hello!"));
        let mut session = session.expect("a session is JSON");
        assert_eq!(kind(&session.to_string()), "session");
        session["messages"] = serde_json::json!([{"role": "tool", "tool_call_id": "call_1", "content": "4"}]);
        assert_eq!(kind(&session.to_string()), "invalid session");
    }
}
