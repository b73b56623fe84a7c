//! The errors of requests of the page.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::fmt::Display;

/// An error response: a status, and a text that the page shows.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    text: String,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, text: impl Display) -> Self {
        ApiError { status, text: text.to_string() }
    }

    pub(crate) fn not_found(text: impl Display) -> Self {
        ApiError::new(StatusCode::NOT_FOUND, text)
    }

    pub(crate) fn internal(text: impl Display) -> Self {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, text)
    }

    pub(crate) fn bad_request(text: impl Display) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, text)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.status, Json(json!({"error": self.text}))).into_response()
    }
}
