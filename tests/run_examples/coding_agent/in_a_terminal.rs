//! Conversations in a terminal.

use super::server::{Api, Reply, Server};
use crate::terminal::Terminal;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

const QUESTION: &str = "Run it? [y, n, a reason, or other arguments as JSON] ";
const PROMPT: &str = "\n> ";
const APIS: [Api; 2] = [Api::ChatCompletions, Api::Anthropic];

/// An empty workspace with one file.
fn workspace(name: &str, server: &Server) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("coding_agent").join(name).join(server.wire());
    let _ = fs::remove_dir_all(&folder); // of an earlier test
    fs::create_dir_all(&folder).expect("the folder can be created");
    fs::write(folder.join("notes.txt"), "one\ntwo\nthree\n").expect("the file can be written");
    folder
}

fn start(server: &Server, workspace: &Path, arguments: &[&str]) -> Option<Terminal> {
    let settings = server.settings();
    let settings = settings.each_ref().map(|(name, value)| (*name, &**value));
    let workspace = workspace.to_str().expect("the path is Unicode");
    Terminal::start("coding_agent", &[&[workspace], arguments].concat(), &settings)
}

/// Leaves with Ctrl-D.
fn leave(mut terminal: Terminal) {
    terminal.press("\u{4}");
    let (status, rest) = terminal.end();
    assert!(status.success(), "{rest}");
    assert!(rest.contains("The session is stored"), "{rest}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agent_reads_edits_runs_and_answers() {
    for api in APIS {
        let edit = json!({"path": "notes.txt", "old": "two", "new": "2"});
        let server = Server::start(
            api,
            [
                Reply::Call("read", json!({"path": "."})),
                Reply::Call("read", json!({"path": "notes.txt"})),
                Reply::Call("edit", edit),
                Reply::Call("run", json!({"command": "cat notes.txt; echo problem >&2; exit 3"})),
                Reply::Text("The second line is a digit now."),
            ],
        );
        let server = server.await;
        let folder = workspace("edits", &server);
        let Some(mut terminal) = start(&server, &folder, &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Write two as a digit.");
        terminal.expect("edit {");
        terminal.expect(QUESTION);
        assert!(server.newest_message(1).contains("notes.txt"), "{}", server.newest_message(1));
        assert!(server.newest_message(2).contains(r"one\ntwo\nthree\n"), "{}", server.newest_message(2));
        terminal.type_line("y");
        terminal.expect("notes.txt is changed");
        terminal.expect(QUESTION);
        terminal.type_line("y");
        terminal.expect("exit status: 3");
        terminal.expect("The second line is a digit now.");
        terminal.expect(PROMPT);
        let output = r"exit status: 3\none\n2\nthree\nproblem\n";
        assert!(server.newest_message(4).contains(output), "{}", server.newest_message(4));
        leave(terminal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_receives_the_reason_of_a_denial_and_edited_arguments() {
    for api in APIS {
        let run = |command: &str| Reply::Call("run", json!({"command": command}));
        let replies = [run("rm notes.txt"), run("cat notes.txt"), run("false"), Reply::Text("Done.")];
        let server = Server::start(api, replies).await;
        let Some(mut terminal) = start(&server, &workspace("denial", &server), &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Remove my notes.");
        terminal.expect(QUESTION);
        terminal.type_line("keep them until March");
        terminal.expect(QUESTION);
        terminal.type_line("n");
        terminal.expect(QUESTION);
        terminal.type_line(r#"{"command": 7}"#);
        terminal.expect(r#"run {"command": 7} ("#);
        terminal.expect(QUESTION);
        terminal.type_line(r#"{"command": "echo edited"}"#);
        terminal.expect("Done.");
        let newest = [1, 2, 3].map(|request| server.newest_message(request));
        assert!(newest[0].contains("Error: the user denied it: keep them until March"), "{newest:?}");
        assert!(newest[1].contains("Error: the user denied it\""), "{newest:?}");
        assert!(newest[2].contains(r"exit status: 0\nedited\n"), "{newest:?}");
        terminal.expect(PROMPT);
        leave(terminal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_process_was_killed_asks_again() {
    for api in APIS {
        let replies =
            [Reply::Call("run", json!({"command": "echo done >> log.txt"})), Reply::Text("It is done.")];
        let server = Server::start(api, replies).await;
        let folder = workspace("killed", &server);
        let Some(mut terminal) = start(&server, &folder, &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Write the log.");
        terminal.expect(QUESTION);
        terminal.kill();
        let Some(mut terminal) = start(&server, &folder, &["--continue"]) else { return };
        terminal.expect(r#"run {"command":"echo done >> log.txt"}"#);
        terminal.expect(QUESTION);
        assert_eq!(server.requests().len(), 1, "the reply is stored");
        terminal.type_line("y");
        terminal.expect("It is done.");
        terminal.expect(PROMPT);
        leave(terminal);
        assert_eq!(fs::read_to_string(folder.join("log.txt")).expect("the command ran"), "done\n");
        let Some(mut terminal) = start(&server, &folder, &["--continue"]) else { return };
        terminal.expect(PROMPT);
        assert_eq!(server.requests().len(), 2, "an answered session sends no request");
        leave(terminal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_does_not_run_again_after_its_process_was_killed() {
    for api in APIS {
        let command = "echo begun >> log.txt; while [ ! -e end.txt ]; do sleep 0.01; done; echo > ended.txt";
        let replies = [Reply::Call("run", json!({"command": command})), Reply::Text("I look at the log.")];
        let server = Server::start(api, replies).await;
        let folder = workspace("killed_command", &server);
        let Some(mut terminal) = start(&server, &folder, &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Write the log.");
        terminal.expect(QUESTION);
        terminal.type_line("y");
        until("the command has started", || folder.join("log.txt").exists());
        terminal.kill();
        fs::write(folder.join("end.txt"), "").expect("the file can be written");
        until("the command has ended", || folder.join("ended.txt").exists());
        let Some(mut terminal) = start(&server, &folder, &["--continue"]) else { return };
        terminal.expect("I look at the log.");
        terminal.expect(PROMPT);
        assert!(
            server.newest_message(1).contains("It may have taken effect"),
            "{}",
            server.newest_message(1)
        );
        leave(terminal);
        assert_eq!(fs::read_to_string(folder.join("log.txt")).expect("the command ran"), "begun\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_reads_the_rest_of_a_long_output() {
    for api in APIS {
        let server = Server::start(
            api,
            [
                Reply::Call("run", json!({"command": "seq 100000"})),
                Reply::Call("read_result", json!({"handle": "1", "search": "54321"})),
                Reply::Text("Line 54322."),
            ],
        );
        let server = server.await;
        let Some(mut terminal) = start(&server, &workspace("spilled", &server), &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Where is 54321?");
        terminal.expect(QUESTION);
        terminal.type_line("y");
        terminal.expect("Line 54322.");
        terminal.expect(PROMPT);
        let (spilled, found) = (server.newest_message(1), server.newest_message(2));
        assert!(spilled.contains("read_result with handle") && spilled.len() < 12_000, "{spilled}");
        assert!(found.contains("54322: 54321"), "{found}");
        leave(terminal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_typed_during_the_work_is_in_the_next_request() {
    for api in APIS {
        let replies = [Reply::HeldCall("read", json!({"path": "notes.txt"})), Reply::Text("Understood.")];
        let server = Server::start(api, replies).await;
        let Some(mut terminal) = start(&server, &workspace("steering", &server), &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Read my notes.");
        server.arrived().await;
        terminal.type_line("Only the first line.");
        terminal.expect("(the agent reads this before its next request)");
        server.release();
        terminal.expect("Understood.");
        terminal.expect(PROMPT);
        assert_eq!(server.requests().len(), 2);
        assert!(server.newest_message(1).contains("Only the first line."), "{}", server.newest_message(1));
        leave(terminal);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_stops_the_run_and_then_the_program() {
    for api in APIS {
        let replies = [Reply::HeldCall("read", json!({"path": "."})), Reply::Text("Hello.")];
        let server = Server::start(api, replies).await;
        let Some(mut terminal) = start(&server, &workspace("stopped", &server), &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Read everything.");
        server.arrived().await;
        terminal.press("\u{3}");
        terminal.expect("There is no answer: the run was cancelled.");
        terminal.expect(PROMPT);
        terminal.type_line("Only greet me.");
        terminal.expect("Hello.");
        terminal.expect(PROMPT);
        terminal.press("\u{3}");
        let (status, rest) = terminal.end();
        assert!(status.success() && rest.contains("The session is stored"), "{rest}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_the_processes_of_a_command() {
    for api in APIS {
        let command = "trap '' INT; sleep 600 & echo $! > id.new; mv id.new id.txt; wait";
        let replies = [Reply::Call("run", json!({"command": command})), Reply::Text("I stopped.")];
        let server = Server::start(api, replies).await;
        let folder = workspace("processes", &server);
        let Some(mut terminal) = start(&server, &folder, &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Wait for ten minutes.");
        terminal.expect(QUESTION);
        terminal.type_line("y");
        until("the command has started", || folder.join("id.txt").exists());
        let id = fs::read_to_string(folder.join("id.txt")).expect("the id of the process");
        let exists =
            || Command::new("kill").args(["-0", id.trim()]).output().expect("kill runs").status.success();
        assert!(exists());
        terminal.press("\u{3}");
        terminal.expect("There is no answer: the run was cancelled.");
        until("the process has ended", || !exists());
        terminal.expect(PROMPT);
        terminal.type_line("Stop.");
        terminal.expect("I stopped.");
        terminal.expect(PROMPT);
        let request = server.requests()[1].to_string();
        assert!(request.contains("It may have taken effect"), "{request}");
        leave(terminal);
    }
}

/// Waits for a change that nothing reports.
fn until(change: &str, has_occurred: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !has_occurred() {
        assert!(Instant::now() < deadline, "{change}: not within two minutes");
        thread::sleep(Duration::from_millis(5));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_too_long_is_repeated_with_a_summary() {
    for api in APIS {
        // The results become notices, which leaves the arguments.
        let path = "./".repeat(1_000) + "notes.txt";
        let reads = (0..7).map(|_| Reply::Call("read", json!({"path": path})));
        let end = [Reply::TooLong, Reply::Text("The notes were read."), Reply::Text("Nothing new.")];
        let server = Server::start(api, reads.chain(end)).await;
        let Some(mut terminal) = start(&server, &workspace("too_long", &server), &[]) else { return };
        terminal.expect(PROMPT);
        terminal.type_line("Watch my notes.");
        terminal.expect("(older messages are shortened)");
        terminal.expect("Nothing new.");
        terminal.expect(PROMPT);
        let lengths: Vec<usize> = server.requests().iter().map(|request| request.to_string().len()).collect();
        let [.., rejected, _, repeated] = *lengths else { panic!("{lengths:?}") };
        assert!(repeated < rejected * 2 / 3, "{lengths:?}");
        let repeated = server.requests()[9].to_string();
        assert!(
            repeated.contains("The notes were read.") && repeated.contains("Watch my notes."),
            "{repeated}"
        );
        leave(terminal);
    }
}
