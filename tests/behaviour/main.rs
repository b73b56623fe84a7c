//! What the library promises, as a user would notice it.
mod dispatch;
