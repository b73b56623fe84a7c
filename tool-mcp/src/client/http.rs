//! An HTTP client whose responses are repaired before rmcp parses them.

use super::http_response;
use super::response_line::REPAIR_LINE;
use super::resumption::Resumption;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue};
use reqwest::StatusCode;
use reqwest::redirect::Policy;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use std::collections::HashMap;
use std::sync::Arc;

/// rmcp ignores an event that it cannot parse, and parses a body of JSON without a limit of values.
///
/// It also limits how often streams of events are resumed, which rmcp does as soon as a server asks for it.
#[derive(Clone)]
pub(super) struct RepairingClient {
    client: reqwest::Client,
    resumption: Resumption,
}

pub(super) type Headers = HashMap<HeaderName, HeaderValue>;
pub(super) type Events = BoxStream<'static, Result<Sse, SseError>>;
pub(super) type HttpError = StreamableHttpError<reqwest::Error>;

/// The headers that a program cannot set.
const RESERVED: [&str; 4] = ["accept", "content-type", "mcp-session-id", "last-event-id"];

/// The limit of redirects of one request.
const MAX_REDIRECTS: usize = 10;

impl RepairingClient {
    /// A client with the settings of that of rmcp, which is private: no idle connections, and redirects to the same origin that
    /// repeat the body.
    pub(super) fn new() -> reqwest::Result<Self> {
        let redirects = Policy::custom(|attempt| {
            let repeats_body =
                [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT].contains(&attempt.status());
            let origin = attempt.previous().first().map(reqwest::Url::origin);
            if !repeats_body || origin != Some(attempt.url().origin()) {
                attempt.stop()
            } else if attempt.previous().len() > MAX_REDIRECTS {
                attempt.error(format!("more than {MAX_REDIRECTS} redirects"))
            } else {
                attempt.follow()
            }
        });
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).redirect(redirects).build()?;
        Ok(RepairingClient { client, resumption: Resumption::default() })
    }
}

fn repaired(events: Events) -> Events {
    let repair = |event: Result<Sse, SseError>| {
        let Ok(mut event) = event else { return vec![event] };
        let repaired = event.data.as_deref().and_then(|data| REPAIR_LINE.apply(data.as_bytes()));
        let Some(text) = repaired.and_then(|repaired| String::from_utf8(repaired).ok()) else {
            return vec![Ok(event)];
        };
        // A batch has several messages.
        let mut lines = text.lines();
        event.data = lines.next().map(str::to_owned);
        let rest = lines.map(|line| Ok(Sse { data: Some(line.to_owned()), ..Sse::default() }));
        std::iter::once(Ok(event)).chain(rest).collect()
    };
    events.flat_map(move |event| futures_util::stream::iter(repair(event))).boxed()
}

impl StreamableHttpClient for RepairingClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session_id, auth_header, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let mut request = self
            .client
            .post(&*uri)
            .header(ACCEPT, [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", "))
            .header(CONTENT_TYPE, JSON_MIME_TYPE);
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            if RESERVED.contains(&name.as_str()) {
                return Err(HttpError::ReservedHeaderConflict(name.to_string()));
            }
            request = request.header(name, value);
        }
        if let Some(session) = &session_id {
            request = request.header(HEADER_SESSION_ID, &**session);
        }
        let response = request.body(serde_json::to_vec(&message)?).send().await?;
        Ok(match http_response::read(response, &message, session_id.is_some(), limits).await? {
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(self.resumption.watch(repaired(events)), session)
            }
            response => response,
        })
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<(), HttpError> {
        self.client.delete_session(uri, session_id, auth_header, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        headers: Headers,
    ) -> Result<Events, HttpError> {
        let limit = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, headers, limit)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        headers: Headers,
        limit: usize,
    ) -> Result<Events, HttpError> {
        self.resumption.wait().await;
        let events = self.client.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            headers,
            limit,
        );
        Ok(self.resumption.watch(repaired(events.await?)))
    }
}
