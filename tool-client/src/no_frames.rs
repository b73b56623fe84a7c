//! Streams of Bedrock without the feature `bedrock`.

use crate::ModelError;
use crate::events::EventStream;
use crate::response::ByteStream;
use futures_util::stream::{self, StreamExt as _};

/// An error.
pub(crate) fn frames(_: ByteStream) -> EventStream {
    let error = ModelError::invalid(
        "streams of Bedrock need the feature `bedrock` of tool-runtime-client; without it, replies are not streamed",
    );
    stream::once(std::future::ready(Err(error))).boxed()
}
