//! The examples as processes: what a person who runs them sees.

mod approval;
mod process;
mod weather;
