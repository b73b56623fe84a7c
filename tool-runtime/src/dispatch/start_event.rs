//! The event that a call starts.

use crate::context::CallStatus;
use crate::outcome::CallError;
use crate::tool::Call;
use tokio::sync::SemaphorePermit;

impl Call<'_> {
    /// Sends the start of the call. A listener that receives it may cancel the run before the call runs.
    pub(super) async fn send_start(&self) -> Result<(), CallError> {
        let Some(events) = self.events else { return Ok(()) };
        let _turn = self.turn_to_start().await?;
        let (arguments, run_with) = self.incoming.event_arguments();
        events.send(CallStatus::Started { arguments, run_with });
        if let Some(gate) = self.incoming.batch.context().start_gate() {
            gate.flush().await;
        }
        self.check_cancellation()
    }

    /// Waits until the listener of a session's run has received all events. No call starts after it has cancelled the token.
    /// The next call waits until the permit is dropped.
    pub(super) async fn turn_to_start(&self) -> Result<Option<SemaphorePermit<'_>>, CallError> {
        let turn = match self.incoming.batch.context().start_gate() {
            Some(gate) => gate.turn().await,
            None => None,
        };
        self.check_cancellation()?;
        Ok(turn)
    }
}
