//! First programs of a new user, outside the workspace: the dependencies in their `Cargo.toml` are sufficient.

use std::path::Path;
use std::process::Command;

fn run(program: &str) -> String {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the workspace is there");
    let from = root.join("tests/newcomer").join(program);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(program);
    std::fs::create_dir_all(folder.join("src")).expect("a folder for the program");
    std::fs::copy(from.join("src/main.rs"), folder.join("src/main.rs")).expect("its source");
    let manifest = std::fs::read_to_string(from.join("Cargo.toml")).expect("its manifest");
    let manifest = manifest.replace("../../..", &root.display().to_string().replace('\\', "/"));
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("its manifest, with an absolute path");
    // Use the locked versions, so that no registry is needed.
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the lock file");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        // Dependencies with the same features and the same debug information are not built a second time.
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."))
        .env("CARGO_PROFILE_DEV_DEBUG", "line-tables-only")
        .current_dir(&folder)
        .output()
        .expect("cargo runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} failed: {stderr}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn tools_with_scalar_arguments_need_only_tool_runtime_and_tokio() {
    assert_eq!(run("scalars"), "5 answers as expected");
}

#[test]
fn tools_with_struct_arguments_also_need_serde() {
    assert_eq!(run("structs"), "1 answers as expected");
}
