//! The data of a dispatched call that stays in the process.

use crate::outcome::Outcome;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The value that a tool returns to the program in addition to the content for the model. Clones share it.
pub(crate) type Artifact = Arc<dyn Any + Send + Sync>;

/// The outcome and the artifact of a call. They do not belong to the message, and no form of it contains them. So any
/// two values are equal, and a message that was stored and read equals the original.
#[derive(Clone, Default)]
pub(crate) struct ProcessData {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) artifact: Option<Artifact>,
}

impl PartialEq for ProcessData {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for ProcessData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessData")
            .field("outcome", &self.outcome)
            .field("has_artifact", &self.artifact.is_some())
            .finish()
    }
}
