//! The examples as processes: their output and exit codes.

mod approval;
mod lint;
mod lint_wires;
mod planner;
mod process;
mod quick_start;
mod search;
mod streaming;
mod stub;
mod subagent;
mod tower;
mod weather;
mod wires;
