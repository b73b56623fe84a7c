//! What the examples share: a model to talk to. A real one behind an OpenAI-compatible server, or a scripted
//! one that needs no network and is as strict about its input as a real one.

pub mod model;
pub mod provider_rules;
pub mod scripted;
