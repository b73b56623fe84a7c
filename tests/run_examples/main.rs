//! The examples as processes: their output and exit codes.

mod approval;
mod lint;
mod planner;
mod process;
mod streaming;
mod stub;
mod weather;
