//! The examples as processes: what a person who runs them sees.

mod approval;
mod lint;
mod planner;
mod process;
mod quick_start;
mod streaming;
mod stub;
mod weather;
