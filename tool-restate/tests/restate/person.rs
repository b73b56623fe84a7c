//! The user of a session: one message, and the decisions, each from two web servers at once.

use crate::ledger;
use std::path::PathBuf;
use std::time::Duration;
use tool_runtime::Session;
use tool_runtime::session::RunEnd;
use tool_runtime_restate::{EngineError, Report, SessionEnd, Sessions};

/// The session at its end, for the check.
pub(crate) struct Ended {
    pub(crate) id: String,
    pub(crate) session: Session,
    /// The decisions that were conflicts.
    pub(crate) conflicts: usize,
}

/// Plays a session to its end.
pub(crate) async fn play(sessions: Sessions, id: String, ledger: PathBuf) -> Ended {
    // Longer than the engine is gone.
    let sessions = sessions.retry_for(Duration::from_secs(60));
    let mut conflicts = 0;
    sessions.message(&id, &*id).key(format!("{id}-message")).await.expect("the message is accepted");
    let report = loop {
        let report = sessions.wait(&id).await.expect("the session settles");
        if !decide(&sessions, &id, &report, &mut conflicts).await {
            break report;
        }
    };
    assert_eq!(report.end, SessionEnd::Run(RunEnd::Answered), "{id}: {report:?}");
    ledger::write_ended(&ledger, &id);
    let session = sessions.get(&id).await.expect("the engine responds").expect("a session");
    Ended { id, session, conflicts }
}

/// Decides about one call; `false` if none waits.
async fn decide(sessions: &Sessions, id: &str, report: &Report, conflicts: &mut usize) -> bool {
    if let Some(call) = report.awaiting_approval.first() {
        let decide = |server: u8| {
            let key = format!("{id}-{}-{server}", call.id);
            async move {
                match &*call.tool {
                    "change" => {
                        let arguments = call.arguments.replace("\"order\":\"", "\"order\":\"edited ");
                        sessions.approve_with(id, &call.id, arguments).key(key).await
                    }
                    _ => sessions.approve(id, &call.id).key(key).await,
                }
            }
        };
        let decided = tokio::join!(decide(0), decide(1));
        let rejected = match decided {
            (Ok(()), Err(error)) | (Err(error), Ok(())) => error,
            other => panic!("{id}: two decisions about {} end with {other:?}", call.id),
        };
        assert!(matches!(rejected, EngineError::Conflict(_)), "{id}: {rejected}");
        *conflicts += 1;
        return true;
    }
    let Some(call) = report.awaiting_result.first() else { return false };
    let ticket = call.ticket.as_deref().unwrap_or_default();
    let result = format!("answered {ticket}");
    sessions.provide_result(id, &call.id, result).key(format!("{id}-result")).await.expect("it waits");
    true
}
