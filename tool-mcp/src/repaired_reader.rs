//! A reader of lines that are repaired before rmcp parses them.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// Repairs a line, which does not include its end; `None` for a line that stays unchanged.
pub(crate) type RepairLine = fn(&[u8]) -> Option<Vec<u8>>;

/// The size of a line from which on it is not repaired: rmcp drops such a line.
const MAX_LINE: usize = rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;

/// The number of bytes that are read at once.
const CHUNK: usize = 8 * 1024;

/// rmcp ignores a line that it cannot parse, and the request that it belongs to has no response.
pub(crate) struct RepairedReader<R> {
    reader: R,
    repair: RepairLine,
    /// The beginning of a line.
    line: Vec<u8>,
    /// Whether the beginning of the line was too long, and is in `ready`.
    is_too_long: bool,
    /// The bytes to be returned, from `next` on.
    ready: Vec<u8>,
    next: usize,
}

impl<R> RepairedReader<R> {
    pub(crate) fn new(reader: R, repair: RepairLine) -> Self {
        let (line, ready) = (Vec::new(), Vec::new());
        RepairedReader { reader, repair, line, is_too_long: false, ready, next: 0 }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.line.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let repaired = if self.is_too_long { None } else { (self.repair)(&self.line) };
            self.ready.extend_from_slice(repaired.as_ref().unwrap_or(&self.line));
            self.ready.push(b'\n');
            self.line.clear();
            self.is_too_long = false;
        }
        self.line.extend_from_slice(bytes);
        if self.is_too_long || self.line.len() > MAX_LINE {
            self.is_too_long = true;
            self.ready.append(&mut self.line);
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for RepairedReader<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        while self.next == self.ready.len() {
            (self.ready, self.next) = (Vec::new(), 0);
            let mut chunk = [0; CHUNK];
            let mut read = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.reader).poll_read(context, &mut read))?;
            if read.filled().is_empty() {
                // rmcp ignores a line without an end.
                return Poll::Ready(Ok(()));
            }
            self.take(read.filled());
        }
        let rest = &self.ready[self.next..];
        let count = rest.len().min(buffer.remaining());
        buffer.put_slice(&rest[..count]);
        self.next += count;
        Poll::Ready(Ok(()))
    }
}
