//! The origin of a reply, and how it ended.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The provider's API and the model that a reply comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Origin {
    /// The name of the wire that read the reply: for example `chat_completions`.
    pub wire: Cow<'static, str>,
    /// The model, if the response names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The id of the response, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
}

impl Origin {
    pub(crate) fn new(wire: &'static str) -> Self {
        Origin { wire: Cow::Borrowed(wire), model: None, response_id: None }
    }
}

/// Whether a reply is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Completeness {
    /// The finish reason is not known, since only the message was read.
    #[default]
    Unknown,
    /// The model ended the reply.
    Complete,
    /// The reply was truncated, for example at its token limit.
    Truncated,
    /// The provider paused a long reply in which it runs tools itself. Send the reply back unchanged, and the provider
    /// continues it; a [run](crate::Session::run) of a session does.
    Paused,
    /// The reply was streamed, and the stream ended without a finish reason and without a regular end. The connection
    /// may have failed; some servers send neither.
    Unconfirmed,
}
