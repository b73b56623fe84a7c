//! The bodies of the requests between web servers, sessions and workers.

use serde::{Deserialize, Serialize};
#[cfg(feature = "agent")]
use tool_runtime::Session;
use tool_runtime::dispatch::{CallEnd, ToolResult};
use tool_runtime::message::{Content, Message, stored};
use tool_runtime::session::{RunEnd, WaitingCall};

/// The default name of the virtual object of the sessions.
pub(crate) const SESSIONS: &str = "Sessions";

/// The default name of the service of the calls.
pub(crate) const CALLS: &str = "Calls";

/// The default limit of a session, of a result and of a request. The engine holds up to three copies of a value of an invocation, for
/// which it has 32 MiB by default: with more, the invocation waits without an error.
pub(crate) const MAX_BYTES: usize = 10 * 1024 * 1024;

/// The status code of a request that contradicts the state of the session.
#[cfg(feature = "agent")]
pub(crate) const CONFLICT: u16 = 409;

/// The status code of a request about a session that does not exist.
#[cfg(feature = "agent")]
pub(crate) const NOT_FOUND: u16 = 404;

/// The status code of a value that is larger than the engine accepts.
#[cfg(feature = "agent")]
pub(crate) const TOO_LARGE: u16 = 413;

/// The status code of a request in whose place another one waits.
#[cfg(feature = "agent")]
pub(crate) const TOO_MANY_REQUESTS: u16 = 429;

/// The bytes of a value as JSON.
#[cfg(feature = "agent")]
pub(crate) fn json_bytes(value: &impl Serialize) -> usize {
    struct Count(usize);

    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    // A value that cannot be serialized fails where it is serialized.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// A message of the user. A program without this package sends a JSON string.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum UserMessage {
    Text(String),
    Message(#[serde(with = "stored")] Vec<Message>),
}

impl UserMessage {
    pub(crate) fn new(content: Content) -> Self {
        // A session serializes images and files, which a string does not have.
        UserMessage::Message(vec![Message::user(content)])
    }

    #[cfg(feature = "agent")]
    pub(crate) fn push(self, session: &mut Session) {
        match self {
            UserMessage::Text(text) => session.push_user(text),
            UserMessage::Message(messages) => {
                for message in messages {
                    if let Message::User(message) = message {
                        session.push_user(message.content);
                    }
                }
            }
        }
    }
}

/// A decision about a call, or its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Approve { id: String },
    ApproveWith { id: String, arguments: serde_json::Value },
    Deny { id: String, reason: String },
    ProvideResult { id: String, result: ToolResult },
}

#[cfg(feature = "agent")]
impl Decision {
    pub(crate) fn call_id(&self) -> &str {
        match self {
            Decision::Approve { id }
            | Decision::ApproveWith { id, .. }
            | Decision::Deny { id, .. }
            | Decision::ProvideResult { id, .. } => id,
        }
    }
}

/// The end of a call, and the call that has run under its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EndedCall {
    pub(crate) tool: String,
    pub(crate) arguments: String,
    pub(crate) end: CallEnd,
}

/// The state of a session, for those who wait for it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// How the session ended, or why it waits.
    pub end: SessionEnd,
    /// The calls that a person must approve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaiting_approval: Vec<WaitingCall>,
    /// The calls whose results come from elsewhere. Calls that run on workers are not among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaiting_result: Vec<WaitingCall>,
    /// The text of the newest reply: the answer, if the model has answered.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// How a session ended, or why it waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionEnd {
    /// The run of the session ended.
    Run(RunEnd),
    /// A person has cancelled the session. The next message or [`Sessions::resume`](crate::Sessions::resume) continues it.
    Cancelled,
    /// The model cannot be asked, or the session has become too large. The session is unchanged:
    /// [`Sessions::resume`](crate::Sessions::resume) tries again, and a further message as well.
    Failed(String),
}

#[cfg(feature = "agent")]
impl Report {
    pub(crate) fn new(session: &Session, end: SessionEnd) -> Self {
        let is_handed_out = |call: &WaitingCall| session.handed_out().iter().any(|other| other.id == call.id);
        Report {
            end,
            awaiting_approval: session.awaiting_approval(),
            awaiting_result: session
                .awaiting_result()
                .into_iter()
                .filter(|call| !is_handed_out(call))
                .collect(),
            text: session.final_text().to_owned(),
        }
    }
}
