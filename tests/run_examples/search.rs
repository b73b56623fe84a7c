//! The search example: a conversation with 300 tools, and searches among the definitions of a file.

use crate::process::{self, appended_messages, stderr, stdout};

#[test]
fn the_example_finds_tools_calls_them_and_corrects_a_call() {
    let output = process::run("search", &[], "", &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    assert!(printed.contains("300 tools: a request has "), "{printed}");
    let messages = appended_messages(&printed);
    let content = |index: usize| messages[index]["content"].as_str().unwrap_or_default();
    assert!(content(3).contains("\ngithub_create_issue\n"), "{}", content(3));
    assert!(content(4).contains("\nslack_send_message\n"), "{}", content(4));
    assert!(content(6).starts_with("Error: invalid arguments for `github_create_issue`"), "{}", content(6));
    assert_eq!(content(10), "Done: 2 calls succeeded.");
}

#[test]
fn a_file_of_definitions_can_be_searched() {
    let folder = std::env::temp_dir().join(format!("tool_search_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("tools.jsonl");
    let definition =
        r#"{"name":"create.issue","description":"Creates an issue.","inputSchema":{"type":"object"}}"#;
    std::fs::write(&path, format!("{definition}\n\n")).expect("a file");
    let path = path.to_string_lossy();
    let output = process::run("search", &[&path, "create", "an", "issue"], "", &[]);
    let printed = stdout(&output);
    assert!(output.status.success() && printed.contains("\ncreate_issue\nCreates an issue."), "{printed}");

    let output = process::run("search", &[&path], "", &[]);
    assert!(!output.status.success());
    assert_eq!(stderr(&output), "Error: pass nothing, or a file of definitions and a query\n");
    std::fs::write(&*path, "{").expect("a file");
    let output = process::run("search", &[&path, "issue"], "", &[]);
    assert!(!output.status.success());
    assert!(stderr(&output).starts_with(&format!("Error: line 1 of {path} is no definition: ")));
    std::fs::remove_dir_all(&folder).expect("it is there");
    let output = process::run("search", &[&path, "issue"], "", &[]);
    assert!(stderr(&output).starts_with(&format!("Error: {path} cannot be read: ")));
}
