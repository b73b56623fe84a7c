//! The tools of the package `hygiene`, on edition 2024.
#![deny(missing_docs, unused, unsafe_code, warnings, clippy::pedantic, rust_2018_idioms, unreachable_pub)]

extern crate tool_runtime as runtime;

#[path = "hygiene/src/tools.rs"]
pub mod tools;
