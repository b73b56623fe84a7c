//! The decision of the program about each message of a client.

#[cfg(feature = "http-server")]
use super::Access;
use super::{McpRequest, Server};
use rmcp::model::{ErrorCode, ErrorData, Extensions};
use std::panic::{AssertUnwindSafe, catch_unwind};
use tool_runtime::RunContext;

/// The run context that the program has created for a message, in its extensions.
#[derive(Clone)]
pub(super) struct Authorized {
    pub(super) run: RunContext,
    /// The tool that the program has read.
    pub(super) tool: Option<String>,
}

impl Server {
    /// Asks the function of the program. `None` if there is none, and no token.
    pub(super) fn authorize(&self, request: &McpRequest<'_>) -> Result<Option<Authorized>, ErrorData> {
        let tool = request.tool().map(str::to_owned);
        let Some(create) = &self.run_context else {
            return Ok(run_of_token(request).map(|run| Authorized { run: run.clone(), tool }));
        };
        // The panic hook of the process has reported a panic. The client must get a response.
        let created = catch_unwind(AssertUnwindSafe(|| create(request)));
        let created =
            created.map_err(|_| ErrorData::internal_error("the request cannot be handled now", None))?;
        let run = created.map_err(|error| ErrorData::new(ErrorCode::INVALID_REQUEST, error, None))?;
        Ok(Some(Authorized { run, tool }))
    }
}

/// The run context of the token.
#[cfg(feature = "http-server")]
fn run_of_token<'a>(request: &McpRequest<'a>) -> Option<&'a RunContext> {
    request.access().map(Access::run_context)
}

#[cfg(not(feature = "http-server"))]
fn run_of_token<'a>(_: &McpRequest<'a>) -> Option<&'a RunContext> {
    None
}

/// The decision about the message with these extensions. Over HTTP, it is that about the HTTP request.
#[cfg(feature = "http-server")]
pub(super) fn authorized(extensions: &Extensions) -> Option<&Authorized> {
    let in_http = || extensions.get::<http::request::Parts>()?.extensions.get();
    extensions.get().or_else(in_http)
}

#[cfg(not(feature = "http-server"))]
pub(super) fn authorized(extensions: &Extensions) -> Option<&Authorized> {
    extensions.get()
}
