//! Errors of requests: a status and a text for the user. The details of an internal error go to the log.

use crate::database::DatabaseError;
use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::error::Error;
use std::fmt::Display;
use tool_runtime::conversation::NotPendingError;
use tool_runtime::session::RunError;

#[derive(Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    pub(crate) text: String,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Problem { status, text: text.into() }
    }

    pub(crate) fn bad_request(text: &str) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, text)
    }

    pub(crate) fn conflict(text: &str) -> Self {
        Problem::new(StatusCode::CONFLICT, text)
    }

    /// An error that users cannot correct.
    pub(crate) fn internal(error: impl Display) -> Self {
        eprintln!("Error: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server failed; its log has the reason")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.status, Json(json!({ "error": self.text }))).into_response()
    }
}

impl From<DatabaseError> for Problem {
    fn from(error: DatabaseError) -> Self {
        eprintln!("Error: {error}: {}", error.0);
        let status =
            if error.is_busy() { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::INTERNAL_SERVER_ERROR };
        Problem::new(status, error.to_string())
    }
}

impl From<NotPendingError> for Problem {
    fn from(error: NotPendingError) -> Self {
        let status = match error {
            NotPendingError::UnknownId { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::CONFLICT,
        };
        Problem::new(status, error.to_string())
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Self {
        Problem::new(rejection.status(), rejection.body_text())
    }
}

/// The text of a client's error may contain addresses, so it goes to the log only.
impl<E: Error> From<RunError<E>> for Problem {
    fn from(error: RunError<E>) -> Self {
        eprintln!("Error: {error}");
        let text = match error {
            RunError::Stream(_) => "the reply of the model was interrupted; continue to request it again",
            _ => "the model did not reply; continue to try again (the log of the server has the reason)",
        };
        Problem::new(StatusCode::BAD_GATEWAY, text)
    }
}
