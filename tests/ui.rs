//! What the compiler says of a tool that is not one: a file of `ui/` for each.

use std::io::Write as _;
use std::process::Command;

/// The compiler whose words the `.stderr` files hold.
const COMPILER: &str = "rustc 1.95.0";

#[test]
fn every_mistake_is_one_clear_error() {
    let version =
        Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("--version").output();
    let version = String::from_utf8_lossy(&version.expect("rustc runs").stdout).into_owned();
    if !version.starts_with(COMPILER) {
        // Past the capture of the test harness, which would hide it.
        let said = format!("skipped: the expected messages are those of {COMPILER}, and this is {version}");
        std::io::stderr().write_all(said.as_bytes()).expect("standard error is there");
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
