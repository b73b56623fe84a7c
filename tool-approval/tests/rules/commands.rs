//! Commands and their verdicts, as a table.

use super::{Judge, rules};
use serde_json::json;
use tool_runtime_approval::Rules;

/// The rules of the table.
fn table_rules() -> Rules {
    let command = |pattern: &str| json!({"tool": "run_command", "arguments": {"command": pattern}});
    rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "deny": [command("rm *"), command("Deploy *"), command("git push --force*"), command("> /etc/*")],
        "ask": [command("git push *")],
        "allow": [command("git *"), command("ls *"), command("echo *"), command("cargo test")],
    }))
}

#[rustfmt::skip]
const TABLE: &[(&str, &str)] = &[
    // One program.
    ("git status", "allowed"),
    ("git", "allowed"),
    ("  git status ", "allowed"),
    ("git log -p -- 'a file; with (signs)' \"and $\"", "undecided"),
    ("git commit -m 'a file; with (signs) # and > others'", "allowed"),
    ("git commit -m \"one | two\"", "allowed"),
    ("git log --format='%h (%an)' HEAD~3..HEAD", "allowed"),
    ("gitk", "undecided"),
    ("git\tstatus", "undecided"),
    ("/tmp/git status", "undecided"),
    ("'git' status", "undecided"),
    ("GIT status", "undecided"),
    ("cargo test", "allowed"),
    ("cargo test --release", "undecided"),
    ("ls *.rs", "allowed"),
    ("make", "undecided"),
    ("", "undecided"),
    // A denied program.
    ("rm x", "denied"),
    ("rm", "denied"),
    ("rm\tx", "denied"),
    ("rm   -rf   /", "denied"),
    ("/bin/rm x", "denied"),
    ("../../bin/rm x", "denied"),
    ("~/bin/rm x", "denied"),
    ("RM x", "denied"),
    ("/opt/Deploy now", "denied"),
    ("Deploy.exe now", "undecided"),
    ("rm.exe x", "denied"),
    ("r''m x", "denied"),
    ("r\\m x", "denied"),
    ("\"rm\" x", "denied"),
    ("$'rm' x", "denied"),
    ("$\"rm\" x", "denied"),
    ("r\\\nm x", "denied"),
    ("make && \\\n rm x", "denied"),
    ("make $\\\n(rm x)", "unclear"),
    ("make <\\\n(rm x)", "unclear"),
    ("rmdir x", "undecided"),
    ("rm-all x", "undecided"),
    ("echo rm", "allowed"),
    ("echo 'rm x'", "allowed"),
    ("git rm x", "allowed"),
    ("# rm", "undecided"),
    ("make # rm x", "undecided"),
    ("command -v rm", "undecided"),
    // An asked one, and patterns of arguments.
    ("git push", "asks"),
    ("git push origin main", "asks"),
    ("git push --force origin", "denied"),
    ("git   push   '--force'", "denied"),
    ("git push $FLAGS", "asks"),
    ("git $WHAT", "unclear"),
    ("git {push,--force}", "unclear"),
    ("git log $WHAT", "undecided"),
    ("git -C x push --force", "allowed"),
    // Lists and pipelines.
    ("git status; rm -rf /", "denied"),
    ("git status && rm x", "denied"),
    ("git status || rm x", "denied"),
    ("git status & rm x", "denied"),
    ("git status\nrm x", "denied"),
    ("git status | sh", "unclear"),
    ("git status | xargs rm", "denied"),
    ("git status; git log", "undecided"),
    ("git status | cat", "undecided"),
    ("git status\n", "undecided"),
    ("git status # all", "undecided"),
    ("git status &", "undecided"),
    ("git status;rm x", "denied"),
    ("git status |& rm x", "denied"),
    // Redirections.
    ("echo x > /etc/passwd", "denied"),
    ("> /etc/passwd", "denied"),
    ("echo x >>'/etc/passwd'", "denied"),
    ("make 2>/etc/passwd", "denied"),
    ("make &>/etc/passwd", "denied"),
    ("make >$X", "unclear"),
    ("cat < /etc/passwd", "undecided"),
    ("git log > log.txt", "undecided"),
    ("git log 2>&1", "undecided"),
    (">f rm x", "denied"),
    ("2>f rm x", "denied"),
    ("ls >rm x", "undecided"),
    ("ls &>rm x", "unclear"),
    ("git status &> f", "undecided"),
    ("git diff <(git log)", "undecided"),
    ("cat <(rm x)", "denied"),
    ("git log > >(rm x)", "denied"),
    // Substitutions and expansions.
    ("git log $(rm x)", "denied"),
    ("git log \"$(rm x)\"", "denied"),
    ("echo \"$(echo \"$(rm x)\")\"", "denied"),
    ("git log `rm x`", "denied"),
    ("git log \"`rm x`\"", "denied"),
    ("git log `echo \\`rm x\\``", "unclear"),
    ("git log '$(rm x)'", "unclear"),
    ("git log $(git status)", "undecided"),
    ("git log $HOME", "undecided"),
    ("rm${IFS}x", "unclear"),
    ("$X -rf /", "unclear"),
    ("${X} -rf /", "unclear"),
    ("$(echo rm) x", "unclear"),
    ("`echo rm` x", "unclear"),
    ("r$X x", "unclear"),
    ("r? x", "unclear"),
    ("/bin/r* x", "unclear"),
    ("{rm,x}", "unclear"),
    ("$'\\x72m' x", "unclear"),
    ("echo ${X:-$(rm x)}", "unclear"),
    ("echo ${X@P}", "unclear"),
    ("echo $((1 + 2))", "undecided"),
    ("echo $((X))", "unclear"),
    ("echo $[X]", "unclear"),
    ("((X))", "unclear"),
    ("A[X]=1", "unclear"),
    // Groups and compound commands.
    ("{ rm x; }", "denied"),
    ("(rm x)", "denied"),
    ("( (rm x) )", "denied"),
    ("! rm x", "denied"),
    ("if true; then rm x; fi", "denied"),
    ("if rm x; then true; fi", "denied"),
    ("if true; then true; elif rm x; then true; else true; fi", "denied"),
    ("while rm x; do true; done", "denied"),
    ("until false; do rm x; done", "denied"),
    ("for f in a b; do rm $f; done", "denied"),
    ("for f in a b; do echo $f; done", "undecided"),
    ("for f do rm $f; done", "denied"),
    ("for f in $(rm x); do true; done", "denied"),
    ("case x in x) rm x;; esac", "denied"),
    ("case $(rm x) in x) true;; esac", "denied"),
    ("case x in a) ;; rm) ;; esac", "denied"),
    ("echo \"$(case x in x) rm x;; esac)\"", "unclear"),
    ("f() { rm x; }; f", "denied"),
    ("function f { rm x; }; f", "denied"),
    ("coproc rm x", "denied"),
    ("[[ -f x ]] && rm x", "denied"),
    ("[ -f x ] && rm x", "denied"),
    ("if [[ -f x ]] then rm x; fi", "denied"),
    ("while [[ ( -f x ) ]] do rm x; done", "denied"),
    ("if (true) then rm x; fi", "denied"),
    ("if if true; then true; fi then rm x; fi", "denied"),
    ("[ -f x ] && make", "undecided"),
    // Assignments and wrappers.
    ("FOO=1 rm x", "denied"),
    ("FOO=1 BAR='a b' rm x", "denied"),
    ("FOO=$(rm x) make", "denied"),
    ("FOO=1 git status", "undecided"),
    ("FOO=(a b) rm x", "denied"),
    ("sudo rm x", "denied"),
    ("sudo -u root rm x", "denied"),
    ("sudo -s", "unclear"),
    ("sudo make install", "undecided"),
    ("doas rm x", "denied"),
    ("env -i rm x", "denied"),
    ("env A=1 B=$C rm x", "denied"),
    ("env A=\"$B\" make", "undecided"),
    ("env A=$B make", "unclear"),
    ("env -S 'rm x'", "denied"),
    ("env '-Srm x'", "unclear"),
    ("nohup rm x &", "denied"),
    ("time -p rm x", "denied"),
    ("timeout -s KILL 5 rm x", "denied"),
    ("nice -n 5 /bin/rm x", "denied"),
    ("exec rm x", "denied"),
    ("command rm x", "denied"),
    ("builtin command rm x", "denied"),
    ("sudo nice env A=1 rm x", "denied"),
    ("sudo $X rm", "denied"),
    ("sudo $X", "unclear"),
    ("xargs rm", "denied"),
    ("xargs -0 -n 1 rm", "denied"),
    ("xargs -I X X y", "unclear"),
    ("xargs sh -c", "unclear"),
    ("xargs sudo", "unclear"),
    ("find . -exec rm {} \\;", "denied"),
    ("find . -execdir /bin/rm {} +", "denied"),
    ("find . -exec grep x {} +", "undecided"),
    ("find . -exec {} \\;", "unclear"),
    ("find . -name rm", "undecided"),
    ("find . $X rm {} +", "denied"),
    ("busybox rm x", "denied"),
    // Scripts in arguments.
    ("bash -c \"rm x\"", "denied"),
    ("sh -c 'rm x'", "denied"),
    ("bash -lc 'git status; rm x'", "denied"),
    ("bash -c 'bash -c \"rm x\"'", "denied"),
    ("/bin/bash -c 'r\\m x'", "denied"),
    ("bash -c 'git status'", "undecided"),
    ("bash -c \"$X\"", "unclear"),
    ("bash -c '\"$@\"' x rm y", "denied"),
    ("bash build.sh", "undecided"),
    ("bash", "unclear"),
    ("bash -s x", "unclear"),
    ("bash < x", "unclear"),
    ("bash <<< 'rm x'", "unclear"),
    ("bash /dev/stdin", "unclear"),
    ("eval \"rm x\"", "denied"),
    ("eval -- \"rm x\"", "denied"),
    ("eval rm x", "denied"),
    ("eval r\\\\m x", "denied"),
    ("eval \"$X\"", "unclear"),
    ("eval 'if true' ';then rm x;fi'", "denied"),
    ("trap 'rm x' EXIT", "denied"),
    ("alias ls=rm", "unclear"),
    ("ssh host rm x", "denied"),
    ("ssh host 'rm x'", "denied"),
    ("sudo bash -c 'rm x'", "denied"),
    ("X='A[$(rm x)]'; declare -i Y=X", "unclear"),
    ("PS4='x'; set -x", "unclear"),
    // Here documents.
    ("cat <<E\nrm x\nE\n", "undecided"),
    ("cat <<E\nrm x\nE\nrm x\n", "denied"),
    ("cat <<E\n$(rm x)\nE\n", "denied"),
    ("cat <<'E'\n$(rm x)\nE\n", "undecided"),
    ("cat <<'E'\nit's\nE\nrm x #'", "denied"),
    ("cat <<-E\n\trm x\n\tE\nrm x", "denied"),
    ("cat <<A <<B\nB\nA\nA\nB\nrm x", "denied"),
    ("cat <<E; rm x\nE\n", "denied"),
    ("cat <<E\nE\\\n\nE\nrm x", "unclear"),
    ("cat <<E\nx", "unclear"),
    ("cat <<$X\nx\n$X", "unclear"),
    ("sh <<E\nrm x\nE\n", "unclear"),
    ("git commit -m \"$(cat <<'E'\nIt's done (rm x)\nE\n)\"", "undecided"),
    ("git commit -m \"$(cat <<'E'\nIt's done\nE\n)\"; rm x", "denied"),
    // Texts that cannot be read.
    ("git status 'x", "unclear"),
    ("git status \"x", "unclear"),
    ("git status $(x", "unclear"),
    ("git status `x", "unclear"),
    ("git status \\", "unclear"),
    ("git status ${x", "unclear"),
    ("git status >", "unclear"),
    ("rm x 'y", "denied"),
    ("make; rm x 'y", "unclear"),
    ("rm x; make 'y", "denied"),
    ("make\nrm x\nmake 'y", "denied"),
    ("git\0 status", "unclear"),
    ("git status\r", "unclear"),
    ("make\u{a0}x", "unclear"),
    ("git\u{2003}status", "unclear"),
    ("git log 'a\u{a0}b'", "undecided"),
    ("rm\u{a0}x", "unclear"),
];

#[tokio::test]
async fn each_command_has_the_verdict_of_the_table() {
    let judge = Judge::new(table_rules());
    let mut wrong = Vec::new();
    for (command, expected) in TABLE {
        let found = judge.command(command).await;
        if found != *expected {
            wrong.push(format!("{command:?}: {found}, not {expected}"));
        }
    }
    println!("{} commands", TABLE.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_long_command_is_unclear_and_denied_by_its_whole_text() {
    let judge = Judge::new(table_rules());
    let long = "x".repeat(100_000);
    assert_eq!(judge.command(&format!("git log {long}")).await, "unclear");
    assert_eq!(judge.command(&format!("rm {long}")).await, "denied");
    assert_eq!(judge.command(&format!("git log {}", "x".repeat(60_000))).await, "allowed");
}

#[tokio::test]
async fn a_command_may_be_an_array_of_words() {
    let program = |pattern: &str| json!({"tool": "run_program", "arguments": {"program": pattern}});
    let judge = Judge::new(rules(json!({
        "commands": [{"tool": "run_*", "argument": "program"}],
        "deny": [program("rm *")],
        "allow": [program("git *")],
    })));
    for (words, expected) in [
        (json!(["rm", "x"]), "denied"),
        (json!(["/bin/rm"]), "denied"),
        (json!(["sudo", "rm", "x"]), "denied"),
        (json!(["bash", "-lc", "git status; rm x"]), "denied"),
        (json!(["git", "status"]), "allowed"),
        (json!(["git", "log", "--format=%h"]), "allowed"),
        (json!(["git", "a;b"]), "undecided"),
        (json!(["git status", "x"]), "undecided"),
        (json!(["echo", "rm", "$x"]), "undecided"),
        (json!([]), "undecided"),
    ] {
        let (found, _) = judge.verdict("run_program", json!({ "program": words }).to_string()).await;
        assert_eq!(found, expected, "{words}");
    }
}

#[tokio::test]
async fn an_argument_that_is_no_declared_command_is_plain_text() {
    let command = |pattern: &str| json!({"tool": "run_command", "arguments": {"command": pattern}});
    let judge = Judge::new(rules(json!({"deny": [command("rm *")], "allow": [command("git *")]})));
    assert_eq!(judge.command("git status; rm x").await, "allowed");
    assert_eq!(judge.command("rm").await, "undecided");
}
