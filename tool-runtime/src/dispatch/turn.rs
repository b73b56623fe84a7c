//! The turn of a call in the order of its reply.

use super::Ended;
use crate::tool::Call;

impl Call<'_> {
    /// Waits for the earlier calls that must end first.
    pub(super) async fn wait_for_turn(&self) -> Result<(), Ended> {
        match self.incoming.batch.order {
            // No barrier precedes a call that starts early.
            Some(order) if !self.incoming.batch.is_early => {
                order.turn(self.incoming.position).await.map_err(|call| Ended::NeedsCall { call })
            }
            _ => Ok(()),
        }
    }
}
