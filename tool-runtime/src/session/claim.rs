//! Claims: a stored session that shows that a run of it is in progress.

#[cfg(doc)]
use super::Run;
use super::Session;

impl Session {
    /// Returns the session to store before a run, so that no other request starts the same calls: each pending call that does
    /// not wait for a decision or a result counts as begun in it.
    ///
    /// If this process ends before the run does, a call of a `read_only` or `idempotent` tool runs again, and any other gets
    /// the error that it may have taken effect. See the [guide](crate::guide::server) for an example.
    ///
    /// Store the session before you show a call to the person who decides about it: if the process ends first, the call is
    /// lost, and a later call may get its id.
    pub fn claim(&mut self) -> Session {
        self.claim_for(None)
    }

    /// Like [`claim`](Session::claim), and stores who claims it: the name of a process or of a request, which
    /// [`claim_owner`](Session::claim_owner) returns. Use a new name at each start of a process, so that it does not mistake the claim
    /// of its predecessor for its own.
    ///
    /// ```
    /// use tool_runtime::Session;
    ///
    /// let claimed = Session::new().user("Hello!").claim_as("worker-7 2026-11-26T15:38:10Z");
    /// let stored = serde_json::to_string(&claimed)?;
    /// let loaded: Session = serde_json::from_str(&stored)?;
    /// assert_eq!(loaded.claim_owner(), Some("worker-7 2026-11-26T15:38:10Z"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn claim_as(&mut self, owner: impl Into<String>) -> Session {
        self.claim_for(Some(owner.into()))
    }

    fn claim_for(&mut self, owner: Option<String>) -> Session {
        self.count_change();
        let mut claimed = self.clone();
        (claimed.is_claimed, claimed.claim_owner) = (true, owner);
        if let Some(pending) = claimed.state.pending_mut() {
            pending.calls.set_open_begun();
        }
        claimed
    }

    /// Whether the session was stored by [`claim`](Session::claim): a run of it is in progress in another request, or has
    /// ended without storing the session. A run of this session removes the claim; if its [log](Run::log) fails before the pending
    /// calls start, the claim stays.
    #[must_use]
    pub fn is_claimed(&self) -> bool {
        self.is_claimed
    }

    /// The owner of the claim; `None` if the session is not claimed, or by [`claim`](Session::claim).
    #[must_use]
    pub fn claim_owner(&self) -> Option<&str> {
        self.claim_owner.as_deref()
    }

    pub(super) fn remove_claim(&mut self) {
        self.claim_owner = None;
        if std::mem::take(&mut self.is_claimed) {
            self.count_change();
        }
    }
}
