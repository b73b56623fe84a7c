//! The approval example, with and without text on its standard input.

use crate::process::{self, appended_messages, stderr, stdout};

const DRAFT: &str = r#"The model wants to run delete_note {"name":"draft"}"#;
const TAXES: &str = r#"The model wants to run delete_note {"name":"taxes"}"#;
const CLOSED: &str = "nobody can approve it, since standard input is closed";

/// The printed text, the results of the two deletions, and the answer.
fn run(input: &str) -> (String, [String; 3]) {
    let output = process::run("approval", &[], input, &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    let messages = appended_messages(&printed);
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "tool", "assistant"]);
    assert_eq!(messages[2]["content"], r#"["draft","ideas","taxes"]"#, "reading needs no approval");
    let content = |index: usize| messages[index]["content"].as_str().unwrap_or_default().to_owned();
    (printed, [content(4), content(5), content(6)])
}

#[test]
fn the_example_asks_before_each_deletion_and_continues() {
    let (printed, [draft, taxes, conclusion]) = run("y\nkeep it for the audit\n");
    let (first, second) = (printed.find(DRAFT).expect("asked"), printed.find(TAXES).expect("asked"));
    assert!(first < second, "the questions are in call order");
    assert_eq!(draft, "the note draft is deleted");
    assert_eq!(taxes, "Error: the user denied it: keep it for the audit");
    assert_eq!(
        conclusion,
        "Done: the note draft is deleted. I kept a note: the user denied it: keep it for the audit."
    );
}

#[test]
fn an_empty_line_denies_the_call() {
    let (_, [draft, taxes, _]) = run("\nNO\n");
    assert_eq!([draft, taxes], ["Error: the user denied it"; 2]);
}

#[test]
fn with_closed_standard_input_every_call_is_denied() {
    let (printed, [draft, taxes, _]) = run("");
    assert_eq!([draft, taxes], [format!("Error: {CLOSED}"), format!("Error: {CLOSED}")]);
    assert_eq!(printed.matches(&format!("Denied: {CLOSED}")).count(), 2);
    let (_, [draft, taxes, _]) = run("yes");
    assert_eq!([&*draft, &*taxes], ["the note draft is deleted", &*format!("Error: {CLOSED}")]);
}
