//! Shared code of the examples: a model, either on a server or scripted, without a network and with the checks of a strict
//! server; and a printed transcript.

pub mod model;
pub mod scripted;
pub mod transcript;
