//! Hostile commands: the work grows with their length at most, and no stack overflows.

use super::{Judge, rules};
use serde_json::json;

fn judge() -> Judge {
    let command = |pattern: &str| json!({"tool": "run_command", "arguments": {"command": pattern}});
    Judge::new(rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "deny": [command("rm *"), command("*a*b*c*d"), command("* --force *")],
        "allow": [command("*")],
    })))
}

/// Texts that are repeated.
const PIECES: &[&str] = &[
    "$(",
    "\"$(",
    "(",
    "((",
    "$((",
    "{ ",
    "`",
    "'",
    "\"",
    "\\",
    ";",
    "|",
    "&",
    "\n",
    "a;",
    "a\n",
    "a b ",
    "sudo ",
    "env ",
    "eval ",
    "sh -c ",
    "xargs ",
    "$'",
    "${",
    "${A",
    "<(",
    "<<E\n",
    "<<E ",
    "<<E\nE\n",
    "<",
    ">f ",
    "if ",
    "case ",
    "for ",
    "A=1 ",
    "$A",
    "'$('",
    "'`a`' ",
    "abcabc ",
    "sudo '`a`' ",
    "eval '`a`' ",
    "eval \"eval ",
    "#\n",
    "\\\n",
    "{a,b}",
    "*",
    "rm ",
    "find -exec ",
    "function ",
    "ls --force",
    "\u{2028}",
    "é ",
    "[",
    "! ",
];

#[tokio::test]
async fn a_long_command_ends_quickly() {
    let judge = judge();
    for piece in PIECES {
        for size in [1_000, 60_000, 1_000_000] {
            let command = piece.repeat(size / piece.len());
            let verdict = judge.command(&command).await;
            let may_run = *piece == "abcabc " || (*piece).trim_start().starts_with("ls");
            assert!(size < 100_000 || may_run || verdict != "allowed", "{piece:?}: {verdict}");
        }
    }
}

/// The bytes that a verdict allocates: a measure of work that does not depend on the machine.
fn work(judge: &Judge, runtime: &tokio::runtime::Runtime, command: &str) -> u64 {
    allocation_counter::measure(|| {
        runtime.block_on(judge.command(command));
    })
    .bytes_total
}

#[test]
fn the_work_doubles_with_the_length_at_most() {
    let judge = judge();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for piece in PIECES {
        let mut before = work(&judge, &runtime, &piece.repeat(4_000 / piece.len()));
        for size in [8_000, 16_000, 32_000, 64_000, 128_000] {
            let work = work(&judge, &runtime, &piece.repeat(size / piece.len()));
            // The texts of parts are limited to 256 KiB, of which a doubled command may take the whole.
            let limit = before * 5 / 2 + 6 * 1024 * 1024;
            assert!(work <= limit, "{piece:?}: {work} bytes for {size} bytes, after {before}");
            before = work;
        }
    }
}

#[test]
fn a_nested_command_needs_a_small_stack() {
    let thread = std::thread::Builder::new().stack_size(256 * 1024);
    let nested = thread.spawn(|| {
        let judge = judge();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        for (open, close) in
            [("$(", ")"), ("\"$(", ")\""), ("<(", ")"), ("(", ")"), ("{ ", "; }"), ("eval ", "")]
        {
            for depth in [10, 1_000, 15_000] {
                let command = format!("echo {}rm x{}", open.repeat(depth), close.repeat(depth));
                let verdict = runtime.block_on(judge.command(&command));
                assert!(
                    matches!(verdict, "denied" | "unclear" | "allowed" | "undecided"),
                    "{open} {depth}: {verdict}"
                );
            }
        }
    });
    nested.expect("a thread").join().expect("the stack suffices");
}
