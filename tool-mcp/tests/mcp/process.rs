//! The server of `tests/judges`, as a process.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Those of this test, so that Cargo builds nothing twice.
const FEATURES: &str =
    if cfg!(feature = "http-client") { "http-client,http-server" } else { "client,http-server" };

/// The program `tests/judges/server.rs`, which is built once, or is in the folder `BUILT_EXAMPLES`.
pub(crate) fn server() -> PathBuf {
    static SERVER: LazyLock<PathBuf> = LazyLock::new(|| match std::env::var_os("BUILT_EXAMPLES") {
        Some(folder) => std::path::absolute(Path::new(&folder).join("judged_server")).expect("a path"),
        None => build_server(),
    });
    SERVER.clone()
}

fn build_server() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--package", "tool-runtime-mcp", "--features", FEATURES]);
    assert!(build.args(["--example", "judged_server"]).status().expect("cargo runs").success());
    let tests = std::env::current_exe().expect("a path");
    tests.ancestors().nth(2).expect("the folder of the profile").join("examples/judged_server")
}
