//! The file of a lock: its content, its errors, and the variable that writes it.

use super::shop::{lock_of, registry};
use super::{LockPath, message};
use serde_json::Value;
use std::process::{Command, Output};
use tool_runtime_lock::assert_tools_lock;

/// The variable with the path of the lock, in the other process.
const LOCK_PATH: &str = "TEST_LOCK_PATH";

/// Runs the assertion in a process with this value of `TOOLS_LOCK`.
fn assert_in_process(value: &str, path: &LockPath) -> Output {
    let test = "files::the_variable_writes_the_lock";
    Command::new(std::env::current_exe().expect("the path of this program"))
        .args(["--exact", test, "--nocapture"])
        .env("TOOLS_LOCK", value)
        .env(LOCK_PATH, &path.0)
        .output()
        .expect("it runs")
}

#[test]
fn the_variable_writes_the_lock() {
    if let Some(path) = std::env::var_os(LOCK_PATH) {
        return assert_tools_lock(&registry(), path);
    }
    let path = LockPath::new();
    let output = assert_in_process("overwrite", &path);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    assert!(errors.contains("does not exist") && errors.contains("is written"), "{errors}");
    assert_eq!(message(&registry(), &path), None);

    let text = std::fs::read_to_string(&path.0).expect("it was written");
    assert!(
        text.starts_with("{\n  \"version\": 1,\n  \"tools\": [\n    {\n      \"name\": \"add_category\",\n"),
        "{text}"
    );
    assert!(text.ends_with("}\n"), "{text}");
    let written: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(written, lock_of(&registry()));
    let keys: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("          \"")).collect();
    let keys: Vec<&str> =
        keys.iter().filter_map(|line| line.split_once("\": {")).map(|(key, _)| key).collect();
    assert!(keys.windows(3).any(|keys| keys == ["limit", "query", "status"]), "{keys:?}");

    // The file of another registry is updated, and the changes are printed.
    let changed = text.replace("\"maximum\": 100,", "\"maximum\": 500,");
    std::fs::write(&path.0, &changed).expect("it is writable");
    let output = assert_in_process("overwrite", &path);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && errors.contains("the maximum falls from 500 to 100"), "{errors}");
    assert_eq!(std::fs::read_to_string(&path.0).expect("it was written"), text);

    for value in ["1", "true", ""] {
        let output = assert_in_process(value, &path);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{errors}");
        assert!(errors.contains(&format!("TOOLS_LOCK is {value:?}: set it to `overwrite`")), "{errors}");
    }
}

#[test]
fn the_form_of_the_json_does_not_matter() {
    let lock = lock_of(&registry());
    let pretty = serde_json::to_string_pretty(&lock).expect("it is JSON");
    let reversed = reversed(&lock).to_string();
    for text in [lock.to_string(), pretty.replace('\n', "\r\n"), reversed] {
        assert_eq!(message(&registry(), &LockPath::with(&text)), None);
    }
}

/// The value with the keys of each object in reverse order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(entries) => {
            entries.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect()
        }
        Value::Array(items) => items.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

#[test]
fn a_file_that_is_no_lock_fails_with_the_command_that_writes_it() {
    let command = "\nTo update tools.lock, run this test with TOOLS_LOCK=overwrite in the environment.";
    let missing = message(&registry(), &LockPath::new()).expect("there is no file");
    assert_eq!(missing, format!("tools.lock does not exist{}", command.replace("update", "create")));
    for (text, problem) in [
        ("<<<<<<< HEAD", "is not a lock file of tools: expected value at line 1 column 1"),
        ("", "is not a lock file of tools: EOF while parsing a value at line 1 column 0"),
        (r#"{"tools":[]}"#, "is not a lock file of tools: missing field `version` at line 1 column 12"),
        (r#"{"version":2,"tools":{}}"#, "has version 2, and this version of tool-runtime-lock reads 1"),
        (r#"{"version":1}"#, "is not a lock file of tools: missing field `tools` at line 1 column 13"),
    ] {
        let message = message(&registry(), &LockPath::with(text)).expect("it is no lock");
        assert_eq!(message, format!("tools.lock {problem}{command}"));
    }
    let mut twice = lock_of(&registry());
    twice["tools"][1] = twice["tools"][0].clone();
    let message = message(&registry(), &LockPath::with(&twice.to_string())).expect("two tools have one name");
    assert!(message.contains("it has two tools with the name `add_category`"), "{message}");
}

#[test]
fn a_relative_path_is_relative_to_the_working_directory() {
    let panic =
        std::panic::catch_unwind(|| assert_tools_lock(&registry(), "no-such.lock")).expect_err("no file");
    let message = panic.downcast_ref::<String>().expect("the message is text");
    let folder = std::env::current_dir().expect("there is one");
    assert!(
        message.starts_with(&format!("no-such.lock does not exist in {}\n", folder.display())),
        "{message}"
    );
}
