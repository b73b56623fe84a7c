//! The examples as processes: their output and exit codes.

mod approval;
mod coding_agent;
mod lint;
mod lint_wires;
mod planner;
mod process;
mod search;
mod streaming;
mod stub;
mod subagent;
#[cfg(unix)]
mod terminal;
mod tower;
mod weather;
mod wires;
