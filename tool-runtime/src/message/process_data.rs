//! The data of a dispatched call that stays in the process.

use super::Artifact;
use crate::outcome::Outcome;

/// The outcome and the artifact of a call. They are no part of the message, and no form of it contains them. So any two
/// values are equal, and a message that was stored and read equals the original.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessData {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) artifact: Option<Artifact>,
}

impl PartialEq for ProcessData {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
