//! Cargo, as a user calls it.

use crate::Result;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the generated programs are, and what is built of them: beside this program.
pub(crate) fn programs() -> Result<PathBuf> {
    let this = env::current_exe()?;
    let folder = this.parent().ok_or("this program is in no folder")?;
    Ok(folder.join("programs"))
}

/// Runs a command of cargo's for the package of a folder, and gives what it printed.
pub(crate) fn run(package: &Path, target: &Path, arguments: &[&str]) -> Result<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .args(["--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        // What is left of an earlier build would make a later one faster.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", target)
        .output()?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("cargo {} of {} failed: {said}", arguments.join(" "), package.display()).into())
    }
}
