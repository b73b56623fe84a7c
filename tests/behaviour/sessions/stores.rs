//! The store of a run.

use super::*;
use tool_runtime::session::{HookError, HookFuture, RunEnd, RunError, SessionStore};

/// Keeps each stored session, with its claim.
#[derive(Clone, Default)]
struct Stored(Arc<Mutex<Vec<Session>>>);

impl Stored {
    fn sessions(&self) -> Vec<Session> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn newest(&self) -> Session {
        self.sessions().pop().expect("it was stored")
    }
}

impl SessionStore for Stored {
    fn store<'a>(&'a mut self, session: &'a Session) -> HookFuture<'a, ()> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(stored(session));
            Ok(())
        })
    }
}

/// Whether it is claimed, and the numbers of its messages and pending calls.
fn seen(session: &Session) -> (bool, usize, usize) {
    let pending = session.pending().map_or(0, |pending| pending.calls().len());
    (session.is_claimed(), session.messages().len(), pending)
}

#[tokio::test]
async fn a_run_stores_claims_before_calls_and_requests_and_the_session_at_its_end() {
    let (registry, _) = shop();
    for streams in [false, true] {
        let store = Stored::default();
        let model = model([calling([call("a", "find", 7)]), calling([call("b", "refund", 7)])]);
        let mut session = asked();
        let run = session.run(&registry).store(store.clone());
        let end = if streams {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!(end, RunEnd::NeedsApproval);
        let all: Vec<_> = store.sessions().iter().map(seen).collect();
        assert_eq!(all, [(true, 1, 0), (true, 1, 1), (true, 3, 0), (true, 3, 1), (false, 3, 1)]);
        assert_eq!(store.newest().awaiting_approval()[0].id, "b");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_run_that_was_dropped_does_not_run_again_from_the_store() {
    let (registry, ledger) = shop();
    for streams in [false, true] {
        let store = Stored::default();
        let model = model([calling([call("a", "ship", 7)]), text_reply("I check it.")]);
        let mut session = asked();
        let run = session.run(&registry).store(store.clone());
        let seconds = Duration::from_secs(60);
        let is_dropped = if streams {
            tokio::time::timeout(seconds, run.stream(|request| model.stream(request))).await.is_err()
        } else {
            tokio::time::timeout(seconds, run.complete(|request| model.complete(request))).await.is_err()
        };
        assert!(is_dropped);
        let mut loaded = store.newest();
        assert_eq!(seen(&loaded), (true, 1, 1));
        let end = loaded.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, RunEnd::Answered);
        let results = results(&loaded);
        assert!(results[0].contains("was interrupted. It may have taken effect"), "{results:?}");
    }
    assert_eq!(ledger.entries(), ["ship 7", "ship 7"], "once in each session");
}

#[tokio::test]
async fn an_error_of_the_store_ends_the_run_before_the_calls_and_another_run_continues() {
    let (registry, ledger) = shop();
    for streams in [false, true] {
        let model = model([calling([call("a", "refund", 7)]), text_reply("Done.")]);
        let mut session = asked();
        let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
        session.approve("a").expect("it waits");
        let full = |_: &Session| -> Result<(), HookError> { Err("the disk is full".into()) };
        let run = session.run(&registry).store(full);
        let error = if streams {
            run.stream(|request| model.stream(request)).await.expect_err("it is full")
        } else {
            run.complete(|request| model.complete(request)).await.expect_err("it is full")
        };
        assert!(matches!(&error, RunError::Store(_)) && error.to_string() == "the disk is full", "{error}");
        assert_eq!(ledger.entries(), Vec::<String>::new());
        let store = Stored::default();
        let run = session.run(&registry).store(store.clone());
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
        assert_eq!(
            (std::mem::take(&mut *ledger.0.lock().expect("no panic")), store.newest().final_text()),
            (vec!["refund 7".to_owned()], "Done.")
        );
    }
}

#[tokio::test]
async fn the_session_is_stored_after_an_error_of_the_client() {
    let (registry, _) = shop();
    let store = Stored::default();
    let model = model([calling([call("a", "find", 7)]), ScriptedReply::error("overloaded")]);
    let mut session = asked();
    let run = session.run(&registry).store(store.clone());
    let error = run.complete(|request| model.complete(request)).await.expect_err("the server has an error");
    assert!(matches!(error, RunError::Client(_)), "{error}");
    assert_eq!(seen(&store.newest()), (false, 3, 0));
}
