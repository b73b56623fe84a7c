//! Storing and loading, and the revision.

use serde_json::Value;
use tool_runtime::Session;

/// Stores the session and loads it again, in two forms. Returns the loaded one.
pub(crate) fn store_and_load(session: &Session) -> Result<Session, String> {
    let text = stored(session);
    let loaded: Session = serde_json::from_str(&text).map_err(|error| format!("{error} in {text}"))?;
    expect_equal(&stored(&loaded), &text)?;
    let value = serde_json::to_value(session).map_err(|error| error.to_string())?;
    let from_value: Session = serde_json::from_value(value).map_err(|error| error.to_string())?;
    expect_equal(&stored(&from_value), &text)?;
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

fn expect_equal(loaded: &str, stored: &str) -> Result<(), String> {
    if loaded == stored { Ok(()) } else { Err(format!("stored: {stored}\nloaded: {loaded}")) }
}

/// The stored form without its revision.
fn content(stored: &str) -> Value {
    let mut value: Value = serde_json::from_str(stored).expect("it is JSON");
    value["revision"].take();
    value
}

/// The revision grows with each change.
pub(crate) fn check_revision(before: (u64, &str), session: &Session) -> Result<(), String> {
    let (revision, stored_before) = before;
    let now = stored(session);
    let has_changed = content(stored_before) != content(&now);
    match session.revision() {
        now if now > revision => Ok(()),
        now if now == revision && !has_changed => Ok(()),
        _ => Err(format!("the revision is {revision} before and {} after {stored_before}\nnow: {now}", session.revision())),
    }
}
