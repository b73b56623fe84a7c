//! The bodies of HTTP requests, which arrive before the program authorises the requests.

use super::byte_budget::{ByteBudget, ReservedBytes};
use super::http_service::Rejection;
use crate::message_size::{has_too_many_values, limits};
use crate::surrogates::replace_lone_surrogates;
use bytes::{Buf as _, Bytes};
use http::StatusCode;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http_body_util::BodyExt;
use std::borrow::Cow;
use std::fmt::Display;
use std::pin::pin;
use std::time::Duration;
use tokio::time::timeout;

/// The time in which a body must arrive, for each 4 MiB of the limit of a body, rounded up.
const MAX_TIME: Duration = Duration::from_secs(30);
const BYTES_IN_MAX_TIME: usize = 4 << 20;

/// The size of all bodies that are not handled yet, in KiB.
const MAX_KIBIBYTES: usize = 32 * 1024;

/// Reads the bodies of one service.
#[derive(Clone)]
pub(super) struct BodyReader {
    budget: ByteBudget,
    max_bytes: usize,
}

impl BodyReader {
    pub(super) fn new(max_bytes: usize) -> Self {
        // One body of the largest size must be possible.
        let kibibytes = MAX_KIBIBYTES.max(max_bytes.div_ceil(1024));
        BodyReader { budget: ByteBudget::new(kibibytes), max_bytes }
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
            // Only bytes that have arrived count, since a client may declare any size.
            let bytes = received.bytes.len() + data.remaining();
            self.budget.reserve(&mut received.reserved, bytes).await?;
            received.bytes.extend_from_slice(&data.copy_to_bytes(data.remaining()));
        }
    }
}

/// The bytes that have arrived, which count until this is dropped.
#[derive(Default)]
struct Received {
    bytes: Vec<u8>,
    reserved: ReservedBytes,
}

impl AsRef<[u8]> for Received {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}
