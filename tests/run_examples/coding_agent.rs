//! The coding agent: its size, and its work in a terminal against a stub of a server.

use crate::process::{self, stderr, stdout};
use std::fs;
use std::path::Path;

#[cfg(unix)]
mod in_a_terminal;
#[cfg(unix)]
mod server;

#[test]
fn the_example_has_few_lines() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/coding_agent");
    let read = |name: &str| fs::read_to_string(Path::new(folder).join(name)).expect("the file is readable");
    let names = fs::read_dir(folder).expect("the folder is readable");
    let names = names.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let all: usize = names.map(|name| read(&name).lines().count()).sum();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    let glue = read("main.rs").lines().filter(is_code).count();
    println!("coding_agent: {glue} lines of glue, {all} lines in all files");
    assert!(glue <= 90, "main.rs has {glue} lines of code");
    assert!(all <= 300, "all files have {all} lines");
}

#[test]
fn the_example_runs_with_a_script_by_default() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coding_agent/script");
    let _ = fs::remove_dir_all(&folder); // of an earlier test
    fs::create_dir_all(&folder).expect("the folder can be created");
    let folder = folder.to_str().expect("the path is Unicode");
    let output = process::run("coding_agent", &[folder, "--continue"], "", &[]);
    assert_eq!(output.status.code(), Some(1), "no session is stored");
    assert!(
        stderr(&output).starts_with("Error: ") && stderr(&output).contains("session.json: "),
        "{}",
        stderr(&output)
    );
    let output = process::run("coding_agent", &[folder], "What is new?\n", &[]);
    assert!(output.status.success(), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.starts_with("Model: a scripted model"), "{printed}");
    assert!(printed.contains("run {") && printed.ends_with("--continue continues it.\n"), "{printed}");
    let output = process::run("coding_agent", &[], "", &[]);
    assert_eq!(stderr(&output), "Error: usage: coding_agent FOLDER [--continue]\n");
}

#[cfg(not(unix))]
#[test]
fn in_a_terminal() {
    eprintln!("skipped: this system has no pseudo-terminals of Unix");
}
