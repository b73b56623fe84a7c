//! Storing and loading, and the revision.

use serde_json::Value;
use tool_runtime::Session;

/// Stores the session as text or as a value, and loads it again. Returns the loaded one.
pub(crate) fn store_and_load(session: &Session, as_text: bool) -> Result<Session, String> {
    let text = stored(session);
    let loaded: Result<Session, _> = if as_text {
        serde_json::from_str(&text)
    } else {
        serde_json::to_value(session).and_then(serde_json::from_value)
    };
    let loaded = loaded.map_err(|error| format!("{error} in {text}"))?;
    let text_of_loaded = stored(&loaded);
    if text_of_loaded != text {
        return Err(format!("stored: {text}\nloaded: {text_of_loaded}"));
    }
    if format!("{:?}", loaded.awaiting_approval()) == format!("{:?}", session.awaiting_approval())
        && format!("{:?}", loaded.awaiting_result()) == format!("{:?}", session.awaiting_result())
        && loaded.warnings() == session.warnings()
    {
        return Ok(loaded);
    }
    Err("the loaded session differs".to_owned())
}

pub(crate) fn stored(session: &Session) -> String {
    serde_json::to_string(session).expect("a session can be stored")
}

/// Whether two stored forms differ, apart from the revisions.
fn differ(before: &str, now: &str) -> bool {
    let content = |stored: &str| {
        let mut value: Value = serde_json::from_str(stored).expect("it is JSON");
        value["revision"].take();
        value
    };
    before != now && content(before) != content(now)
}

/// The revision grows with each change.
pub(crate) fn check_revision(before: (u64, &str), session: &Session) -> Result<(), String> {
    let (revision, stored_before) = before;
    let now = session.revision();
    // Only an equal revision needs the comparison.
    if now > revision || now == revision && !differ(stored_before, &stored(session)) {
        return Ok(());
    }
    Err(format!(
        "the revision is {revision} before and {now} after {stored_before}\nnow: {}",
        stored(session)
    ))
}
