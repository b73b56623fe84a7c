//! What the examples share: a model to talk to, a real one behind an OpenAI-compatible server, or a scripted
//! one that needs no network and is as strict about its input as a real one; and the transcript of what is said.

pub mod model;
pub mod provider_rules;
pub mod scripted;
pub mod transcript;
