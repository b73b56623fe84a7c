//! Errors of requests: a status and a text for the user. The details of an internal error go to the log.

use crate::database::DatabaseError;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::error::Error;
use std::fmt;
use tool_runtime::conversation::NotPendingError;
use tool_runtime::session::RunError;

#[derive(Debug)]
pub(crate) struct RequestError {
    status: StatusCode,
    text: String,
}

impl RequestError {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        RequestError { status, text: text.into() }
    }

    pub(crate) fn bad_request(text: impl Into<String>) -> Self {
        RequestError::new(StatusCode::BAD_REQUEST, text)
    }

    pub(crate) fn conflict(text: impl Into<String>) -> Self {
        RequestError::new(StatusCode::CONFLICT, text)
    }

    /// An error that users cannot correct.
    pub(crate) fn internal(error: impl fmt::Display) -> Self {
        eprintln!("Error: {error}");
        RequestError::new(StatusCode::INTERNAL_SERVER_ERROR, "the server failed; its log has the reason")
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for RequestError {}

impl IntoResponse for RequestError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.text }))).into_response()
    }
}

impl From<DatabaseError> for RequestError {
    fn from(error: DatabaseError) -> Self {
        error.log();
        let status =
            if error.is_busy() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::INTERNAL_SERVER_ERROR };
        RequestError::new(status, error.to_string())
    }
}

impl From<NotPendingError> for RequestError {
    fn from(error: NotPendingError) -> Self {
        let status = match error {
            NotPendingError::UnknownId { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::CONFLICT,
        };
        RequestError::new(status, error.to_string())
    }
}

impl From<JsonRejection> for RequestError {
    fn from(rejection: JsonRejection) -> Self {
        RequestError::new(rejection.status(), rejection.body_text())
    }
}

/// The text of a client's error may contain addresses, so it goes to the log only.
impl<E: Error> From<RunError<E>> for RequestError {
    fn from(error: RunError<E>) -> Self {
        eprintln!("Error: {error}");
        let text = match error {
            RunError::Stream(_) => "the reply of the model was interrupted; continue to request it again",
            _ => "the model did not reply; continue to try again (the log of the server has the reason)",
        };
        RequestError::new(StatusCode::BAD_GATEWAY, text)
    }
}
