//! Compile errors: the `.stderr` file of each program in `cases/` has the expected errors.
//!
//! ```text
//! cargo test -p ui                                        every case
//! cargo test -p ui -- ui trybuild=invalid_timeout         the cases whose path contains `invalid_timeout`
//! TRYBUILD=overwrite cargo test -p ui                     writes the `.stderr` files
//! ```

use std::io::Write as _;
use std::process::Command;

/// The compiler that the `.stderr` files come from.
const COMPILER: &str = "rustc 1.95.0";

#[test]
fn ui() {
    let version =
        Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("--version").output();
    let version = String::from_utf8_lossy(&version.expect("rustc runs").stdout).into_owned();
    if !version.starts_with(COMPILER) {
        // `eprintln!` would be captured by the test harness.
        let reason = format!("skipped: the expected errors are those of {COMPILER}; this is {version}");
        std::io::stderr().write_all(reason.as_bytes()).expect("standard error is writable");
        return;
    }
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}
