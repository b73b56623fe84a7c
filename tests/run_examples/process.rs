//! Running an example as a process.

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

/// Builds the examples once: without Cargo, each run of an example takes a hundredth of the time.
fn folder_of_examples() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let target_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("");
        let mut command = Command::new(env!("CARGO"));
        // With `--package examples`, dependencies would have fewer features than in `cargo test`, and be built a second time.
        command
            .args(["build", "--quiet", "--examples", "--target-dir"])
            .arg(&target_dir)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        // Variables of the test package would make build scripts that read them run again each time.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        assert!(command.status().expect("cargo runs").success(), "the examples cannot be built");
        target_dir.join("debug").join("examples")
    });
    &FOLDER
}

/// The example, without settings in its environment.
pub(crate) fn command(example: &str) -> Command {
    let mut command =
        Command::new(folder_of_examples().join(example).with_extension(std::env::consts::EXE_EXTENSION));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command.env_remove("TOOL_WIRE");
    for name in ["BASE_URL", "API_KEY", "MODEL"] {
        command.env_remove(format!("OPENAI_{name}")).env_remove(format!("ANTHROPIC_{name}"));
    }
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    command
}

/// Runs the example with these arguments and only these settings in its environment. Standard input contains `input`, and
/// then ends.
pub(crate) fn run(example: &str, arguments: &[&str], input: &str, settings: &[(&str, &str)]) -> Output {
    let mut command = command(example);
    command.args(arguments);
    command.envs(settings.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the example runs");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    // An example that does not read may have ended already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child.wait_with_output().expect("the example ends")
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The messages that the example prints when they are added.
pub(crate) fn appended_messages(stdout: &str) -> Vec<Value> {
    let numbered = |line: &str| {
        let (number, message) = line.split_once(". ")?;
        number.parse::<usize>().ok()?;
        assert!(message.starts_with(r#"{"role":"#), "the role comes first: {message}");
        serde_json::from_str(message).ok()
    };
    stdout.lines().filter_map(numbered).collect()
}
