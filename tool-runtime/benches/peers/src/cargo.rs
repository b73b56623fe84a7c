//! Commands of Cargo.

use crate::Result;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the generated programs and their build output, next to this program.
pub(crate) fn programs() -> Result<PathBuf> {
    let this = env::current_exe()?;
    let folder = this.parent().ok_or("this program has no parent folder")?;
    Ok(folder.join("programs"))
}

/// Runs a command of Cargo for the package in a folder, and returns its output.
pub(crate) fn run(package: &Path, target: &Path, arguments: &[&str]) -> Result<String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(arguments)
        .args(["--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        // Incremental data of an earlier build would make a later one faster.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_TARGET_DIR", target)
        .output()?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        let error = String::from_utf8_lossy(&output.stderr);
        Err(format!("cargo {} of {} failed: {error}", arguments.join(" "), package.display()).into())
    }
}
