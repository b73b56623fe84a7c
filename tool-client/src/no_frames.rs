//! Streams of Bedrock without the feature `bedrock`, which `Framing::is_supported` excludes.

use crate::response::{ByteStream, EventStream};
use futures_util::stream::{self, StreamExt as _};

pub(crate) const ARE_SUPPORTED: bool = false;

/// No events.
pub(crate) fn frames(_: ByteStream) -> EventStream {
    stream::empty().boxed()
}
