//! The bodies of HTTP requests, which arrive before the program authorises the requests.

use super::http_service::Rejection;
use super::running::MAX_RUNNING_KIBIBYTES;
use crate::message_size::{has_too_many_values, limits, text_request_bytes};
use crate::surrogates::replace_lone_surrogates;
use bytes::{Buf as _, Bytes};
use http::StatusCode;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http_body_util::BodyExt;
use std::borrow::Cow;
use std::fmt::Display;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The time in which a body must arrive, for each 4 MiB of the limit of a body, rounded up.
const MAX_TIME: Duration = Duration::from_secs(30);
const BYTES_IN_MAX_TIME: usize = 4 << 20;

/// The size of all bodies that are not handled yet, in KiB.
const MAX_KIBIBYTES: usize = 32 * 1024;

/// The first bytes of each body, and of each running request, do not count, so that small requests are handled while large ones
/// wait.
const UNCOUNTED_BYTES: usize = 16 * 1024;

/// The time that a body or a request waits for others.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// Reads the bodies of one service, and limits the requests that run.
#[derive(Clone)]
pub(super) struct BodyReader {
    kibibytes: Arc<Semaphore>,
    running_kibibytes: Arc<Semaphore>,
    max_bytes: usize,
}

/// Counts the bytes of a message until its last clone is dropped. rmcp keeps it in the parts of the HTTP request, with the message,
/// until the message is handled.
#[derive(Clone)]
pub(super) struct RunningMessage {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl BodyReader {
    pub(super) fn new(max_bytes: usize) -> Self {
        // One body of the largest size must be possible.
        let kibibytes = MAX_KIBIBYTES.max(max_bytes.div_ceil(1024));
        let running_kibibytes = Arc::new(Semaphore::new(MAX_RUNNING_KIBIBYTES as usize));
        BodyReader { kibibytes: Arc::new(Semaphore::new(kibibytes)), running_kibibytes, max_bytes }
    }

    /// Waits until the message in this body may run together with the others.
    pub(super) async fn begin(&self, body: &[u8]) -> Result<RunningMessage, Rejection> {
        let kibibytes = text_request_bytes(body).saturating_sub(UNCOUNTED_BYTES).div_ceil(1024);
        let kibibytes = u32::try_from(kibibytes).unwrap_or(u32::MAX).min(MAX_RUNNING_KIBIBYTES);
        let acquired = timeout(MAX_WAIT, Arc::clone(&self.running_kibibytes).acquire_many_owned(kibibytes));
        let permit = acquired.await.ok().and_then(Result::ok).ok_or_else(|| {
            let text = "the server handles too many large requests; try again later";
            Rejection::text(StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
        })?;
        Ok(RunningMessage { _permit: Arc::new(permit) })
    }

    /// The body, with lone surrogates replaced. Its bytes count towards `MAX_KIBIBYTES` until it is dropped.
    pub(super) async fn read<B>(&self, parts: &Parts, body: B) -> Result<Bytes, Rejection>
    where
        B: BodyExt,
        B::Error: Display,
    {
        let times = u32::try_from(self.max_bytes.div_ceil(BYTES_IN_MAX_TIME)).unwrap_or(u32::MAX);
        let limit = MAX_TIME.saturating_mul(times.max(1));
        let received = timeout(limit, self.receive(parts, body)).await;
        let mut received = received.map_err(|_| {
            let text = format!("the request body did not arrive within {} s; send it again", limit.as_secs());
            Rejection::text(StatusCode::REQUEST_TIMEOUT, text)
        })??;
        if has_too_many_values(&received.bytes) {
            let text = format!("the request is too large: {}; send a smaller one", limits());
            return Err(Rejection::text(StatusCode::PAYLOAD_TOO_LARGE, text));
        }
        if let Cow::Owned(repaired) = replace_lone_surrogates(&received.bytes) {
            received.bytes = repaired;
        }
        Ok(Bytes::from_owner(received))
    }

    async fn receive<B>(&self, parts: &Parts, body: B) -> Result<Received, Rejection>
    where
        B: BodyExt,
        B::Error: Display,
    {
        let too_large = || Rejection::too_large("a body", self.max_bytes);
        let declared =
            parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: usize| length > self.max_bytes) {
            return Err(too_large());
        }
        let (mut body, mut received) = (pin!(body), Received::default());
        loop {
            let frame = body.frame().await.transpose().map_err(|error| {
                let text = format!("the request body cannot be read: {error}");
                Rejection::text(StatusCode::INTERNAL_SERVER_ERROR, text)
            })?;
            let Some(frame) = frame else { return Ok(received) };
            let Ok(mut data) = frame.into_data() else { continue };
            if data.remaining() > self.max_bytes - received.bytes.len() {
                return Err(too_large());
            }
            let reserved = received.reserve(&self.kibibytes, data.remaining()).await;
            reserved.ok_or_else(|| {
                let text = "the server receives too many large requests; try again later";
                Rejection::text(StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
            })?;
            received.bytes.extend_from_slice(&data.copy_to_bytes(data.remaining()));
        }
    }
}

/// The bytes that have arrived, and the permits for them.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    permits: Option<OwnedSemaphorePermit>,
}

impl Received {
    /// Waits until this number of further bytes fits. Only bytes that have arrived count, since a client may declare any size.
    /// `None` if they do not fit in time.
    async fn reserve(&mut self, kibibytes: &Arc<Semaphore>, bytes: usize) -> Option<()> {
        let needed = (self.bytes.len() + bytes).saturating_sub(UNCOUNTED_BYTES).div_ceil(1024);
        let reserved = self.permits.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = u32::try_from(needed.saturating_sub(reserved)).ok()?;
        if missing > 0 {
            let acquired = timeout(MAX_WAIT, Arc::clone(kibibytes).acquire_many_owned(missing));
            let acquired = acquired.await.ok()?.ok()?;
            match &mut self.permits {
                Some(permits) => permits.merge(acquired),
                permits => *permits = Some(acquired),
            }
        }
        Some(())
    }
}

impl AsRef<[u8]> for Received {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
