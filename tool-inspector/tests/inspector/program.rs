//! The program `tool-inspector`.

use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tool-inspector"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A program that runs until the end of the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program, and returns the address of its page.
fn start(arguments: &[&str], input: &str) -> (Running, String) {
    let mut running = Running(command(arguments).spawn().expect("the program starts"));
    running.0.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    let mut line = String::new();
    BufReader::new(running.0.stdout.take().expect("a pipe")).read_line(&mut line).expect("it prints");
    let address = line.strip_prefix("Open http://").and_then(|rest| rest.split(' ').next());
    let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
    (running, address)
}

fn get(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).expect("the server accepts connections");
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: {address}\r\nx-tool-inspector: 1\r\nconnection: close\r\n\r\n"
    )
    .expect("it reads");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("it answers");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {response}"))
}

fn fail(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = command(arguments).output().expect("the program starts");
    (status.code(), String::from_utf8(stderr).expect("UTF-8"))
}

#[test]
fn it_opens_a_file_or_the_standard_input() {
    let history = r#"{"contents":[{"role":"user","parts":[{"text":"Hello!"}]}]}"#;
    let file = std::env::temp_dir().join(format!("history_{}.json", std::process::id()));
    fs::write(&file, history).expect("the folder is writable");
    let path = file.to_str().expect("UTF-8");
    for (arguments, input) in [(vec![path], ""), (vec!["--port", "0", "-"], history)] {
        let (_running, address) = start(&arguments, input);
        assert_eq!(get(&address, "/api/registry")["has_registry"], false);
        let timeline = get(&address, "/api/file");
        assert_eq!(
            (&timeline["wire"], &timeline["messages"][0]["text"]),
            (&"gemini".into(), &"Hello!".into())
        );
    }
    fs::remove_file(file).expect("it exists");
}

#[test]
fn a_text_that_is_no_history_is_an_error_on_the_page() {
    let (_running, address) = start(&["-"], "Hello!");
    assert_eq!(
        get(&address, "/api/file")["error"],
        "the text is not JSON: expected value at line 1 column 1"
    );
}

#[test]
fn wrong_arguments_have_a_clear_message() {
    let (code, error) = fail(&["/does/not/exist.json"]);
    assert_eq!(code, Some(1));
    assert!(error.starts_with("/does/not/exist.json cannot be read: "), "{error}");
    for (arguments, text) in [
        (&["--port"][..], "--port needs a number"),
        (&["--port", "x"], "x is not a port"),
        (&["--tools"], "there is no option --tools"),
        (&["a", "b"], "there is more than one history"),
    ] {
        let (code, error) = fail(arguments);
        assert_eq!((code, error.lines().next()), (Some(2), Some(text)));
        assert!(error.contains("usage: tool-inspector"), "{error}");
    }
    let Output { status, stdout, .. } = command(&["--help"]).output().expect("the program starts");
    assert!(status.success() && stdout.starts_with(b"usage: "));
}
