//! Shared code of the examples: a model, either on an OpenAI-compatible server or scripted, without a network and with
//! the checks of a strict server; and a printed transcript.

pub mod model;
pub mod provider_rules;
pub mod scripted;
pub mod transcript;
