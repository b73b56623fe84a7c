//! Programs that call tools.

mod engines;
mod programs;
mod setup;
mod texts;
mod waits;
