//! The approval example, with answers on its standard input, and with none.

use crate::process::{self, appended_messages, stderr, stdout};

const DRAFT: &str = r#"The model wants to run delete_note {"name":"draft"}"#;
const TAXES: &str = r#"The model wants to run delete_note {"name":"taxes"}"#;
const CLOSED: &str = "nobody can approve it, since standard input is closed";

/// What is printed, the answers to the two deletions, and the conclusion.
fn run(input: &str) -> (String, [String; 3]) {
    let output = process::run("approval", &[], input, &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    let messages = appended_messages(&printed);
    let roles: Vec<&str> = messages.iter().filter_map(|message| message["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant", "tool", "tool", "assistant"]);
    assert_eq!(messages[2]["content"], r#"["draft","ideas","taxes"]"#, "to read needs no approval");
    let content = |index: usize| messages[index]["content"].as_str().unwrap_or_default().to_owned();
    (printed, [content(4), content(5), content(6)])
}

#[test]
fn a_person_is_asked_before_each_deletion_and_the_conversation_goes_on() {
    let (printed, [draft, taxes, conclusion]) = run("y\nkeep it for the audit\n");
    let (first, second) = (printed.find(DRAFT).expect("asked"), printed.find(TAXES).expect("asked"));
    assert!(first < second, "one after the other, in the order of the calls");
    assert_eq!(draft, "the note draft is deleted");
    assert_eq!(taxes, "Error: the user said: keep it for the audit");
    assert_eq!(
        conclusion,
        "Done: the note draft is deleted. I left a note where it was: the user said: keep it for the audit."
    );
}

#[test]
fn no_answer_is_no() {
    let (_, [draft, taxes, _]) = run("\nNO\n");
    assert_eq!([draft, taxes], ["Error: the user said no"; 2]);
}

#[test]
fn with_standard_input_closed_it_denies_and_says_so() {
    let (printed, [draft, taxes, _]) = run("");
    assert_eq!([draft, taxes], [format!("Error: {CLOSED}"), format!("Error: {CLOSED}")]);
    assert_eq!(printed.matches(&format!("Denied: {CLOSED}")).count(), 2);
    let (_, [draft, taxes, _]) = run("yes");
    assert_eq!([&*draft, &*taxes], ["the note draft is deleted", &*format!("Error: {CLOSED}")]);
}
