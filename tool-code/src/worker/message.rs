//! The messages between a process and its workers: JSON, one in each line.

use crate::engine::{CallAnswer, Program, ProgramCall, ProgramEnd};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum ToWorker {
    Run(Program),
    Answer(CallAnswer),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum FromWorker {
    Calls(Vec<ProgramCall>),
    End(ProgramEnd),
}

pub(super) async fn write_line(
    output: &mut (impl AsyncWrite + Unpin),
    message: &impl Serialize,
) -> io::Result<()> {
    output.write_all(&line(message)?).await?;
    output.flush().await
}

/// A message as a line. JSON has no line breaks outside of texts, where they are escaped.
pub(super) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// # Errors
///
/// There is no message, it is longer than `max_bytes`, or it is malformed.
pub(super) async fn read_line<T: DeserializeOwned>(
    input: &mut (impl AsyncBufRead + Unpin),
    max_bytes: u64,
) -> io::Result<T> {
    let mut line = Vec::new();
    input.take(max_bytes).read_until(b'\n', &mut line).await?;
    if line.last() != Some(&b'\n') {
        let problem = if line.is_empty() { "it has ended" } else { "its message is too long, or incomplete" };
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    Ok(serde_json::from_slice(&line)?)
}
