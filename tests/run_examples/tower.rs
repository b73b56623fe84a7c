//! The tower example. It checks its results itself.

use crate::process::{self, stderr, stdout};

#[test]
fn layers_repeat_delay_and_reject_calls() {
    let output = process::run("tower", &[], "", &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    let results: Vec<&str> = printed.lines().filter(|line| line.starts_with("  ")).collect();
    assert_eq!(results[..2], ["  call_1: a.txt is in the archive", "  call_2: Error: the mailbox is full"]);
    assert_eq!(results[2..8], [0, 1, 2, 3, 4, 5].map(|id| format!("  {id}: 42")));
    assert_eq!(
        results[8..],
        ["  0: 42", "  1: Error: the tool `ask_server` is not available: service overloaded"]
    );
}
