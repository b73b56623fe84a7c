//! Errors of calls: for the model, for the program and for logs.

mod arguments;
mod corrections;
mod logged;
#[allow(dead_code, reason = "some values are only printed")]
mod nested;
mod page;
mod returned;
