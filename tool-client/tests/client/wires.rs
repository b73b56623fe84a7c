//! A conversation with one call on each wire.

use crate::setup::Setup;
use crate::stub::{ANSWER, KEY, Server, WIRES};
use crate::weather::question;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime_client::RunModel as _;

/// The path of a request, and the header with the key.
fn path_and_key(wire: &str, is_stream: bool) -> (&'static str, &'static str) {
    match (wire, is_stream) {
        ("responses", _) => ("/v1/responses", "authorization"),
        ("anthropic", _) => ("/v1/messages", "x-api-key"),
        ("gemini", false) => ("/v1beta/models/stub-1:generateContent", "x-goog-api-key"),
        ("gemini", true) => ("/v1beta/models/stub-1:streamGenerateContent?alt=sse", "x-goog-api-key"),
        ("gemini_interactions", _) => ("/v1beta/interactions", "x-goog-api-key"),
        ("bedrock", false) => ("/model/stub-1/converse", "authorization"),
        ("bedrock", true) => ("/model/stub-1/converse-stream", "authorization"),
        ("ollama", _) => ("/api/chat", "authorization"),
        _ => ("/v1/chat/completions", "authorization"),
    }
}

fn check_requests(server: &Server, wire: &str, is_stream: bool) {
    let received = server.received();
    assert_eq!(received.len(), 2, "{wire}: a call, then the answer");
    let (path, header) = path_and_key(wire, is_stream);
    for request in received.iter() {
        assert_eq!(request.uri, path, "{wire}");
        let key = request.headers[header].to_str().expect("the key is text");
        assert_eq!(key.trim_start_matches("Bearer "), KEY, "{wire}");
        assert_eq!(request.headers["content-type"], "application/json", "{wire}");
        let has_model = !["bedrock", "gemini"].contains(&wire);
        assert_eq!(request.body["model"] == "stub-1", has_model, "{wire}");
        assert_eq!(request.headers.contains_key("anthropic-version"), wire == "anthropic", "{wire}");
        assert_eq!(request.headers.contains_key("api-revision"), wire == "gemini_interactions", "{wire}");
    }
}

#[tokio::test]
async fn each_wire_has_whole_replies() {
    for wire in WIRES {
        let setup = Setup::new(wire, []).await;
        let mut session = question();
        let end = setup.run(&mut session, false).await;
        assert_eq!(end.unwrap_or_else(|error| panic!("{wire}: {error}")), RunEnd::Answered, "{wire}");
        assert_eq!((session.final_text(), setup.runs.count()), (ANSWER, 1), "{wire}");
        assert_eq!(session.usage().total_tokens(), 24, "{wire}");
        check_requests(&setup.server, wire, false);
    }
}

#[tokio::test]
async fn each_wire_has_streamed_replies() {
    for wire in WIRES {
        if wire == "bedrock" && !cfg!(feature = "bedrock") {
            println!("skipped: the streams of Bedrock need the feature `bedrock`");
            continue;
        }
        let setup = Setup::new(wire, []).await;
        let mut session = question();
        let mut pieces = Vec::new();
        let run = session.run(&setup.registry).on_event(|event| {
            if let Event::Text { text, .. } = event {
                pieces.push(text.clone());
            }
        });
        let end = run.stream_model(&setup.model).await;
        assert_eq!(end.unwrap_or_else(|error| panic!("{wire}: {error}")), RunEnd::Answered, "{wire}");
        assert_eq!((session.final_text(), setup.runs.count()), (ANSWER, 1), "{wire}");
        assert_eq!(pieces.concat(), ANSWER, "{wire}");
        assert!(pieces.len() > 3, "{wire}: the text arrives in pieces");
        assert_eq!(session.usage().total_tokens(), 24, "{wire}");
        check_requests(&setup.server, wire, true);
    }
}
