//! Errors of connections and calls.

use super::pages::ListKind;
use super::transport_error::{BoxError, full_text, is_unauthorized};
use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tool_runtime::BuildError;
use tool_runtime::conversation::InnerCallError;

/// The reason why there is no connection to a server. Its text includes that of the sources.
#[derive(Clone)]
#[non_exhaustive]
pub enum ConnectError {
    /// The server did not start, could not be reached, or did not respond as an MCP server.
    Failed(Arc<dyn Error + Send + Sync>),
    /// The server requires authorisation that the client does not have, or the client cannot get a token: see
    /// `ClientBuilder::bearer_token` and `ClientBuilder::oauth`.
    Unauthorized(Arc<dyn Error + Send + Sync>),
    /// The server did not respond in time: see [`ClientBuilder::connect_timeout`](super::ClientBuilder::connect_timeout).
    #[non_exhaustive]
    TimedOut {
        /// The time limit.
        allowed: Duration,
    },
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConnectError::Failed(error) => {
                write!(f, "cannot connect to the MCP server: {}", full_text(&**error))
            }
            ConnectError::Unauthorized(error) => write!(
                f,
                "cannot connect to the MCP server: it requires authorisation ({}); give the client a valid token with \
                 `bearer_token`, or sign in with `oauth`",
                full_text(&**error)
            ),
            ConnectError::TimedOut { allowed } => {
                write!(
                    f,
                    "cannot connect to the MCP server: it did not respond within {allowed:?}; raise `connect_timeout` if it \
                     needs longer"
                )
            }
        }
    }
}

/// The text of [`Display`](fmt::Display), since a `main` that returns the error prints it with `Debug`.
impl fmt::Debug for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ConnectError {}

impl ConnectError {
    pub(super) fn new(error: BoxError) -> Self {
        if is_unauthorized(&*error) {
            ConnectError::Unauthorized(error.into())
        } else {
            ConnectError::Failed(error.into())
        }
    }

    /// Whether another attempt has the same end: it would ask the same person again.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, ConnectError::Unauthorized(_))
    }
}

/// The reason why a list, a resource or a prompt of a server cannot be read. Its text includes that of the sources.
#[non_exhaustive]
pub enum ClientError {
    /// There is no connection.
    Connect(ConnectError),
    /// The server requires authorisation that the client does not have, or the client cannot get a token: see
    /// `ClientBuilder::bearer_token` and `ClientBuilder::oauth`. It is [`ConnectError::Unauthorized`] if the client was not
    /// connected.
    Unauthorized(Box<dyn Error + Send + Sync>),
    /// The server did not respond with a list.
    #[non_exhaustive]
    List {
        /// The list.
        kind: ListKind,
        /// The error of the server or of the transport.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server did not send a list in time: see
    /// [`ClientBuilder::connect_timeout`](super::ClientBuilder::connect_timeout).
    #[non_exhaustive]
    ListTimedOut {
        /// The list.
        kind: ListKind,
        /// The time limit.
        allowed: Duration,
    },
    /// The server has more tools than [`ClientBuilder::max_tools`](super::ClientBuilder::max_tools), or more resources, resource
    /// templates or prompts than [`ClientBuilder::max_resources`](super::ClientBuilder::max_resources).
    #[non_exhaustive]
    TooMany {
        /// The list.
        kind: ListKind,
        /// The limit.
        limit: usize,
    },
    /// A list of the server is larger than [`ClientBuilder::max_list_bytes`](super::ClientBuilder::max_list_bytes).
    #[non_exhaustive]
    ListTooLarge {
        /// The list.
        kind: ListKind,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The URI of a resource is too long.
    #[non_exhaustive]
    UriTooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The server responded to a request of a resource or a prompt with an error of the protocol.
    #[non_exhaustive]
    Protocol {
        /// The code, for example -32002 for an unknown resource.
        code: i32,
        /// The message of the server.
        message: String,
    },
    /// The request of a resource or a prompt has no response, since the connection was lost, or the server rejected the request
    /// with an HTTP status.
    NoResponse(Box<dyn Error + Send + Sync>),
    /// The server did not send a resource or a prompt in time: see [`ClientBuilder::timeout`](super::ClientBuilder::timeout).
    #[non_exhaustive]
    TimedOut {
        /// The time limit.
        allowed: Duration,
    },
    /// The response of the server is no resource or prompt: for example, it asks for input, which this client does not provide.
    UnexpectedResponse,
    /// The registry of the tools cannot be built.
    Build(BuildError),
}

impl From<ConnectError> for ClientError {
    fn from(error: ConnectError) -> Self {
        ClientError::Connect(error)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Connect(error) => error.fmt(f),
            ClientError::Unauthorized(error) => write!(
                f,
                "the MCP server requires authorisation ({}); give the client a valid token with `bearer_token`, or sign in with \
                 `oauth`",
                full_text(&**error)
            ),
            ClientError::List { kind, source } => {
                write!(f, "the MCP server did not list its {kind}: {}", full_text(&**source))
            }
            ClientError::ListTimedOut { kind, allowed } => {
                write!(
                    f,
                    "the MCP server did not list its {kind} within {allowed:?}; raise `connect_timeout` if it needs longer"
                )
            }
            ClientError::TooMany { kind, limit } => {
                let setting = if *kind == ListKind::Tools { "max_tools" } else { "max_resources" };
                write!(f, "the MCP server has more than {limit} {kind}; raise `{setting}` to use it")
            }
            ClientError::ListTooLarge { kind, limit } => {
                write!(
                    f,
                    "the {kind} of the MCP server have more than {limit} bytes; raise `max_list_bytes` to use it"
                )
            }
            ClientError::UriTooLong { limit } => {
                write!(f, "the URI has more than {limit} bytes; use a shorter one")
            }
            ClientError::Protocol { code, message } => {
                let message = full_text(&*Box::<dyn Error>::from(message.as_str()));
                write!(f, "the MCP server rejected the request: {message} (code {code})")
            }
            ClientError::NoResponse(error) => {
                write!(f, "the MCP server did not respond: {}", full_text(&**error))
            }
            ClientError::TimedOut { allowed } => {
                write!(
                    f,
                    "the MCP server did not respond within {allowed:?}; raise `timeout` if it needs longer"
                )
            }
            ClientError::UnexpectedResponse => {
                f.write_str("the MCP server responded with something other than the requested content")
            }
            ClientError::Build(error) => error.fmt(f),
        }
    }
}

/// The text of [`Display`](fmt::Display), since a `main` that returns the error prints it with `Debug`.
impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for ClientError {}

/// The reason why a call of a remote tool has no result. The model receives its `Display` text; the program finds it in
/// [`CallError::Returned`](tool_runtime::CallError::Returned).
#[derive(Debug)]
#[non_exhaustive]
pub enum RemoteError {
    /// The tool failed: its result has `isError`.
    #[non_exhaustive]
    Tool {
        /// The text of the result, for the model.
        message: String,
    },
    /// The server responded with an error of the protocol.
    #[non_exhaustive]
    Protocol {
        /// The code, for example -32602 for invalid parameters.
        code: i32,
        /// The message of the server, for the model.
        message: String,
    },
    /// The server cannot be reached, and the call was not sent. The model does not receive the reason.
    Unreachable(Box<dyn Error + Send + Sync>),
    /// The connection was lost after the call was sent. The model does not receive the reason.
    #[non_exhaustive]
    ConnectionLost {
        /// Whether the tool is not `read_only`.
        may_have_taken_effect: bool,
        /// The error of the transport.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The server requires authorisation that the client does not have, or the client cannot get a token; the tool was not called.
    /// The model does not receive the reason, which is the source.
    Unauthorized(Box<dyn Error + Send + Sync>),
    /// The server cancelled the call.
    Cancelled,
    /// The HTTP server rejected the request with this status.
    #[non_exhaustive]
    Rejected {
        /// The status, from 400 to 499.
        status: u16,
    },
    /// The server asks the user a question, which cannot be asked or answered.
    CannotAsk(InnerCallError),
    /// The server asks for something that this client does not provide, such as a text of a model.
    #[non_exhaustive]
    UnsupportedInput {
        /// The server asks for it.
        kind: String,
    },
    /// The server asks again and again: it has asked this number of times.
    #[non_exhaustive]
    TooManyQuestions {
        /// The number of responses with questions.
        responses: usize,
    },
    /// The response of the server is not a result.
    #[non_exhaustive]
    UnexpectedResponse {
        /// Whether the tool is not `read_only`.
        may_have_taken_effect: bool,
    },
}

impl From<ConnectError> for RemoteError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Unauthorized(_) => RemoteError::Unauthorized(error.into()),
            error => RemoteError::Unreachable(error.into()),
        }
    }
}

impl fmt::Display for RemoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RemoteError::Protocol { code, message } if message.is_empty() => {
                write!(f, "the server rejected the call with the error code {code}")
            }
            RemoteError::Tool { message } | RemoteError::Protocol { message, .. } => f.write_str(message),
            RemoteError::Unreachable(_) => {
                f.write_str("the server of the tool cannot be reached; the tool was not called")
            }
            RemoteError::ConnectionLost { may_have_taken_effect: true, .. } => f.write_str(
                "the connection was lost; the call may have taken effect. Check before you try again.",
            ),
            RemoteError::ConnectionLost { .. } => f.write_str("the connection was lost. Try again."),
            RemoteError::Unauthorized(_) => f.write_str(
                "the server of the tool requires authorisation that this program does not have; the tool was not called. Ask the \
                 user to sign in again, or to give the program a token with the necessary rights.",
            ),
            RemoteError::Cancelled => f.write_str("the server cancelled the call; it may have taken effect"),
            RemoteError::Rejected { status } => {
                write!(
                    f,
                    "the server of the tool rejected the request with the HTTP status {status}; the tool was not called"
                )
            }
            RemoteError::CannotAsk(error) => write!(f, "the server of the tool asks a question, and {error}"),
            RemoteError::UnsupportedInput { kind } => {
                write!(f, "the server of the tool asks for {kind}, which the program does not provide")
            }
            RemoteError::TooManyQuestions { responses } => {
                write!(f, "the server of the tool has asked {responses} times, and has no result")
            }
            RemoteError::UnexpectedResponse { may_have_taken_effect } => {
                f.write_str("the server of the tool responded with something other than a result")?;
                f.write_str(if *may_have_taken_effect { "; the call may have taken effect" } else { "" })
            }
        }
    }
}

impl Error for RemoteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RemoteError::Unreachable(source)
            | RemoteError::ConnectionLost { source, .. }
            | RemoteError::Unauthorized(source) => Some(&**source),
            RemoteError::CannotAsk(source) => Some(source),
            RemoteError::Tool { .. }
            | RemoteError::Protocol { .. }
            | RemoteError::UnsupportedInput { .. }
            | RemoteError::TooManyQuestions { .. }
            | RemoteError::Cancelled
            | RemoteError::Rejected { .. }
            | RemoteError::UnexpectedResponse { .. } => None,
        }
    }
}
