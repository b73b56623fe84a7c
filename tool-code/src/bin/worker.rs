//! Runs one program for another process, which starts it: see `Worker` of the package `tool-runtime-code`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tool_runtime_code::serve_worker()
}
