//! The first program of the README.

use crate::stub::{ANSWER, KEY, Server};
use std::path::PathBuf;
use std::process::{Command, Output};

/// Cargo builds the examples of a package together with its tests.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(|deps| deps.parent()).expect("the folder of the build");
    folder.join("examples/quick_start").with_extension(std::env::consts::EXE_EXTENSION)
}

/// The end of the program with these variables, and without a proxy.
pub(crate) async fn run<const N: usize>(variables: [(&'static str, String); N]) -> Output {
    let mut command = Command::new(program());
    command.envs(variables);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic");
    output.expect("the program runs: `cargo test` without `--test` builds it")
}

#[tokio::test]
async fn it_prints_the_answer_of_a_strict_server() {
    let server = Server::start("chat_completions", []).await;
    let output = run([
        ("LLM_MODEL", "openai/stub-1".to_owned()),
        ("OPENAI_API_KEY", KEY.to_owned()),
        ("OPENAI_BASE_URL", server.url.clone() + "/v1"),
    ])
    .await;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{ANSWER}\n"));
    assert_eq!(server.requests(), 2);
}

#[test]
fn it_is_in_the_readme_with_at_most_25_lines() {
    let readme = include_str!("../../../README.md").replace("\r\n", "\n");
    let source = include_str!("../../examples/quick_start.rs").replace("\r\n", "\n");
    let (_, block) = readme.split_once("```rust,no_run\n").expect("the README has a first program");
    let (program, _) = block.split_once("```\n").expect("the program ends");
    let (_, source) = source.split_once("\n\n").expect("a header before the program");
    assert_eq!(source, program);
    assert!(program.lines().count() <= 25, "{} lines", program.lines().count());
}
