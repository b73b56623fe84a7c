//! A server in a child process.

use super::response_line::REPAIR_LINE;
use crate::repaired_reader::RepairedReader;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// The time in which the process exits after the end of its input, and after SIGTERM.
const EXIT_LIMIT: Duration = Duration::from_secs(3);

#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Like `TokioChildProcess` of rmcp, whose lines cannot be repaired.
pub(super) struct ChildProcess {
    /// The command has `kill_on_drop`.
    child: Box<dyn ChildWrapper>,
    transport: AsyncRwTransport<RoleClient, RepairedReader<ChildStdout>, ChildStdin>,
}

impl ChildProcess {
    pub(super) fn new(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = CommandWrap::from(command).spawn()?;
        let taken = || io::Error::other("the process has no standard input or output");
        let input = child.stdin().take().ok_or_else(taken)?;
        let output = child.stdout().take().ok_or_else(taken)?;
        let transport = AsyncRwTransport::new(RepairedReader::new(output, REPAIR_LINE), input);
        Ok(ChildProcess { child, transport })
    }

    async fn has_exited(&mut self) -> io::Result<bool> {
        match timeout(EXIT_LIMIT, self.child.wait()).await {
            Ok(exited) => exited.map(|_| true),
            Err(_) => Ok(false),
        }
    }
}

impl Transport<RoleClient> for ChildProcess {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.transport.send(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.transport.receive()
    }

    /// <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#stdio>
    async fn close(&mut self) -> io::Result<()> {
        self.transport.close().await?;
        if self.has_exited().await? {
            return Ok(());
        }
        #[cfg(unix)]
        if self.child.signal(SIGTERM).is_ok() && self.has_exited().await? {
            return Ok(());
        }
        Box::into_pin(self.child.kill()).await
    }
}
