//! The routes of the server.

use crate::Shop;
use crate::chat::{self, RunningChat};
use crate::events::Update;
use crate::inspector;
use crate::origin::check_origin;
use crate::request_error::RequestError;
use crate::users::{User, identify, random_token};
use crate::view::{is_interrupted, session_view};
use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use axum::http::header::{ACCEPT, CONTENT_SECURITY_POLICY, HeaderMap};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router, middleware};
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::convert::Infallible;
use std::sync::Arc;

/// The length of a message of the user, in bytes.
const MAX_TEXT: usize = 4_000;

pub(crate) fn routes(shop: Arc<Shop>) -> Router {
    let inspector = inspector::router(&shop);
    Router::new()
        .route("/chat", post(chat))
        .route("/approve", post(approve))
        .route("/resume", post(resume))
        .route("/session", get(session).delete(remove))
        .route_layer(middleware::from_fn_with_state(shop.clone(), identify))
        .route("/", get(page))
        .fallback(async || RequestError::new(StatusCode::NOT_FOUND, "there is no such route"))
        .method_not_allowed_fallback(async || {
            RequestError::new(StatusCode::METHOD_NOT_ALLOWED, "the method is not allowed here")
        })
        .layer(middleware::from_fn(check_origin))
        .with_state(shop)
        .merge(inspector)
}

/// The page is one document. It loads nothing from elsewhere, and the browser runs no script without the nonce of this response.
async fn page() -> Result<Response, RequestError> {
    let nonce = random_token()?;
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = include_str!("../page/page.html")
        .replace("{nonce}", &nonce)
        .replace("{style}", include_str!("../page/page.css"))
        .replace("{timeline}", include_str!("../page/timeline.js"))
        .replace("{script}", include_str!("../page/page.js"));
    Ok(([(CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response())
}

type Body<T> = Result<Json<T>, JsonRejection>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Chat {
    text: String,
}

async fn chat(
    State(shop): State<Arc<Shop>>,
    Extension(user): Extension<User>,
    headers: HeaderMap,
    body: Body<Chat>,
) -> Result<Response, RequestError> {
    let Json(Chat { text }) = body?;
    if text.trim().is_empty() {
        return Err(RequestError::bad_request("the text is empty; write a message"));
    }
    if text.len() > MAX_TEXT {
        return Err(RequestError::bad_request(format!(
            "the text is too long; write at most {MAX_TEXT} bytes"
        )));
    }
    let running = chat::run(shop, user, |session| {
        session.push_user(text);
        Ok(())
    });
    respond(&headers, running.await?).await
}

#[derive(Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case", deny_unknown_fields)]
enum Decision {
    Approve {
        id: String,
        /// Replace those of the model.
        arguments: Option<Map<String, Value>>,
    },
    Deny {
        id: String,
        #[serde(default)]
        reason: String,
    },
}

async fn approve(
    State(shop): State<Arc<Shop>>,
    Extension(user): Extension<User>,
    headers: HeaderMap,
    body: Body<Decision>,
) -> Result<Response, RequestError> {
    let Json(decision) = body?;
    let running = chat::run(shop, user, |session| {
        Ok(match decision {
            Decision::Approve { id, arguments: None } => session.approve(&id),
            Decision::Approve { id, arguments: Some(arguments) } => session.approve_with(&id, arguments),
            Decision::Deny { id, reason } if reason.trim().is_empty() => {
                session.deny(&id, "the user denied it")
            }
            Decision::Deny { id, reason } => session.deny(&id, format!("the user denied it: {reason}")),
        }?)
    });
    respond(&headers, running.await?).await
}

async fn resume(
    State(shop): State<Arc<Shop>>,
    Extension(user): Extension<User>,
    headers: HeaderMap,
) -> Result<Response, RequestError> {
    let running = chat::run(shop, user, |session| {
        if is_interrupted(session) {
            return Ok(());
        }
        Err(RequestError::conflict("nothing was interrupted; send a message, or decide about a call"))
    });
    respond(&headers, running.await?).await
}

async fn session(
    State(shop): State<Arc<Shop>>,
    Extension(user): Extension<User>,
) -> Result<Json<Value>, RequestError> {
    // In this order: a run that ends in between is shown as running, and the page asks again.
    let is_running = shop.sessions.is_running(user);
    Ok(Json(session_view(&shop.sessions.load(user).await?, is_running)))
}

async fn remove(
    State(shop): State<Arc<Shop>>,
    Extension(user): Extension<User>,
) -> Result<StatusCode, RequestError> {
    shop.sessions.remove(user).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Responds with server-sent events if the client accepts them, otherwise with the end of the run.
async fn respond(headers: &HeaderMap, mut running: RunningChat) -> Result<Response, RequestError> {
    let mut accepted = headers.get_all(ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    if accepted.any(|accept| accept.contains("text/event-stream")) {
        let events = stream::unfold(Some(running), async |running| {
            let mut running = running?;
            let (event, rest) = match next(&mut running).await {
                Update::Event(event) => (event, Some(running)),
                Update::End(Ok(end)) => (end, None),
                Update::End(Err(error)) => (json!({ "type": "error", "error": error.to_string() }), None),
            };
            Some((Ok::<_, Infallible>(Event::default().data(event.to_string())), rest))
        });
        return Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response());
    }
    loop {
        if let Update::End(end) = next(&mut running).await {
            return end.map(|end| Json(end).into_response());
        }
    }
}

/// The next update. A run that panics has no end.
async fn next(running: &mut RunningChat) -> Update {
    let stopped = || Update::End(Err(RequestError::internal("a run stopped unexpectedly")));
    running.updates.recv().await.unwrap_or_else(stopped)
}
