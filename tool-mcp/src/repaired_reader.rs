//! A reader of lines that are repaired before rmcp parses them.

use crate::message_size::{MAX_MESSAGE_BYTES, has_too_many_values};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, ReadBuf};

/// The functions that change a line before rmcp parses it.
#[derive(Clone, Copy)]
pub struct RepairLine {
    /// Repairs a line, which does not include its end; `None` for a line that stays unchanged.
    pub(crate) repair: fn(&[u8]) -> Option<Vec<u8>>,
    /// Returns the line that replaces a line that is too large, from its beginning and its end. `None` if the line is ignored.
    pub(crate) replace_too_large: fn(&[u8], &[u8]) -> Option<Vec<u8>>,
}

impl RepairLine {
    /// The line in place of this one, which is not too long. `None` if it stays unchanged.
    pub(crate) fn apply(self, line: &[u8]) -> Option<Vec<u8>> {
        if !has_too_many_values(line) {
            return (self.repair)(line);
        }
        let excerpt = line.len().min(MAX_EXCERPT);
        Some((self.replace_too_large)(&line[..excerpt], &line[line.len() - excerpt..]).unwrap_or_default())
    }
}

/// The number of bytes at the beginning and at the end of a line that is too large, by which it is recognised.
const MAX_EXCERPT: usize = 1024;

/// The number of bytes that are read at once.
const CHUNK: usize = 8 * 1024;

/// rmcp ignores a line that it cannot parse, and the request that it belongs to has no response.
pub(crate) struct RepairedReader<R> {
    reader: R,
    repair: RepairLine,
    /// The beginning of a line; if it is too long, only its end.
    line: Vec<u8>,
    /// The beginning of a line that is too long.
    too_long: Option<Vec<u8>>,
    /// The bytes to be returned, from `next` on.
    ready: Vec<u8>,
    next: usize,
}

impl<R> RepairedReader<R> {
    pub(crate) fn new(reader: R, repair: RepairLine) -> Self {
        let (line, ready) = (Vec::new(), Vec::new());
        RepairedReader { reader, repair, line, too_long: None, ready, next: 0 }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
            self.extend(&bytes[..end]);
            bytes = &bytes[end + 1..];
            let line = std::mem::take(&mut self.line);
            let line = match self.too_long.take() {
                Some(beginning) => (self.repair.replace_too_large)(&beginning, &line).unwrap_or_default(),
                None => self.repair.apply(&line).unwrap_or(line),
            };
            self.ready.extend(line);
            self.ready.push(b'\n');
        }
        self.extend(bytes);
    }

    /// Adds a part of a line.
    fn extend(&mut self, bytes: &[u8]) {
        self.line.extend_from_slice(bytes);
        if self.line.len() > MAX_MESSAGE_BYTES {
            self.too_long.get_or_insert_with(|| self.line[..MAX_EXCERPT].to_vec());
        }
        if self.too_long.is_some() {
            self.line = self.line[self.line.len().saturating_sub(MAX_EXCERPT)..].to_vec();
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
