//! Results of tools: their form in tool messages, parts, artifacts and limits.

mod artifacts;
mod images;
mod panics;
mod parts;
mod truncated;
mod values;
