//! Servers that fail: each program ends with exit code 1 and one clear line.

use crate::process::{Run, run};
use crate::program::{PROGRAMS, Program};
use crate::stub::{Behaviour, Server};

/// The line that the program prints.
fn error_line(program: &Program, context: &str, run: &Run) -> String {
    let Run { code, stdout, stderr } = run;
    let name = program.name;
    assert_eq!(*code, Some(1), "{name}, {context}: {stdout}{stderr}");
    assert!(stderr.starts_with("Error: "), "{name}, {context}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{name}, {context}: {stderr}");
    assert!(!stderr.contains("panicked") && !stderr.contains("backtrace"), "{name}, {context}: {stderr}");
    assert!(!stdout.contains("answered"), "{name}, {context}: {stdout}");
    println!("{name}, {context}: {}", stderr.trim_end());
    stderr.trim_end().to_owned()
}

async fn errors(behaviour: Behaviour, seconds: u32, is_clear: impl Fn(&str) -> bool) {
    errors_of(PROGRAMS, behaviour, seconds, is_clear).await;
}

async fn errors_of(
    programs: impl IntoIterator<Item = &Program>,
    behaviour: Behaviour,
    seconds: u32,
    is_clear: impl Fn(&str) -> bool,
) {
    for program in programs {
        let server = Server::start(behaviour).await;
        let line = error_line(program, &format!("{behaviour:?}"), &run(program, &server.url, seconds).await);
        assert!(is_clear(&line), "{}, {behaviour:?}: {line}", program.name);
        assert_eq!(server.rejections(), Vec::<String>::new(), "{}", program.name);
    }
}

#[tokio::test]
async fn an_error_of_the_server_is_named() {
    errors(Behaviour::Fails, 60, |line| line.contains("500") || line.contains("the model crashed")).await;
    errors(Behaviour::FailsWithAPage, 60, |line| line.contains("502") || line.contains("nginx")).await;
}

#[tokio::test]
async fn a_response_that_is_no_reply_is_an_error() {
    // Some clients have the error of their parser: `expected value at line 1 column 1`.
    let is_not_json = |line: &str| {
        line.contains("not JSON") || line.contains("expected value") || line.contains("is not a reply")
    };
    // A client of streams skips a text that is not an event.
    let is_no_stream = |line: &str| line.contains("the stream ended without a reply");
    errors(Behaviour::Page, 60, |line| is_not_json(line) || is_no_stream(line)).await;
    errors(Behaviour::OtherJson, 60, |line| line.contains("expected a reply of") || is_no_stream(line)).await;
}

#[tokio::test]
async fn a_connection_that_is_lost_is_an_error() {
    errors(Behaviour::Interrupts, 60, |line| line.contains("connection") || line.contains("disconnected"))
        .await;
}

#[tokio::test]
async fn a_time_out_is_called_a_time_out() {
    let is_named = |line: &str| line.contains("timed out") || line.contains("timeout");
    errors(Behaviour::IsSilent, 1, is_named).await;
    // async-openai does not return the cause of an error within a stream.
    let (streamed, complete): (Vec<_>, _) =
        PROGRAMS.iter().partition(|program| program.name.ends_with("_streamed"));
    errors_of(complete, Behaviour::Stalls, 1, is_named).await;
    errors_of(streamed, Behaviour::Stalls, 1, |line| line.contains("the reply was interrupted")).await;
}

#[tokio::test]
async fn an_unreachable_server_is_an_error() {
    for program in PROGRAMS {
        let line = error_line(program, "unreachable", &run(program, "http://127.0.0.1:1", 60).await);
        assert!(line.to_lowercase().contains("connect"), "{}: {line}", program.name);
    }
}

/// The programs have no feature `bedrock` of tool-runtime-client.
#[tokio::test]
async fn a_stream_of_bedrock_needs_a_feature_and_sends_nothing() {
    use tool_runtime::{Registry, Session, tools};
    use tool_runtime_client::{Model, RunModel as _};
    let server = Server::start(Behaviour::Answers).await;
    let model = Model::bedrock("stub-1").key("secret").base_url(&server.url);
    let registry = Registry::new(tools![]).expect("no tool");
    let mut session = Session::new().user("Hello!");
    let error =
        session.run(&registry).stream_model(&model).await.expect_err("the feature is off").to_string();
    assert!(error.contains("need the feature `bedrock` of tool-runtime-client"), "{error}");
    assert_eq!(server.requests().len(), 0);
}
