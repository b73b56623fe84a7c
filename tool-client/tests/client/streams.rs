//! Streams in unusual forms, which are read.

use crate::formats;
use crate::setup::Setup;
use crate::stub::{ANSWER, Part, Scripted, planned};
use crate::weather::question;
use serde_json::json;
use std::io::Write as _;
use tool_runtime::session::RunEnd;
use tool_runtime_client::RunModel as _;

/// The events of the answer, as the server sends them.
pub(crate) fn events() -> Vec<String> {
    formats::events("chat_completions", &planned(&json!("Beijing: sunny")))
}

pub(crate) fn event_text() -> String {
    events().iter().flat_map(|event| ["data: ", event, "\n\n"]).map(str::to_owned).collect()
}

/// The answer of a run whose first reply is this stream, and the number of requests.
async fn answer(stream: Scripted) -> (String, usize) {
    let setup = Setup::chat_completions([stream]).await;
    let mut session = question();
    let end = setup.run(&mut session, true).await;
    assert_eq!(end.expect("the run ends"), RunEnd::Answered);
    let requests = setup.server.requests();
    (session.final_text().to_owned(), requests)
}

#[tokio::test]
async fn packets_do_not_matter() {
    let text = event_text();
    let whole = [Part::from(text.clone())];
    assert_eq!(answer(Scripted::stream(whole)).await, (ANSWER.to_owned(), 1));
    // A letter of three bytes and one of two are in two packets.
    for length in [1, 2, 3, 7, 64] {
        let packets = text.as_bytes().chunks(length).map(|bytes| Part::Bytes(bytes.to_vec()));
        assert_eq!(
            answer(Scripted::stream(packets)).await,
            (ANSWER.to_owned(), 1),
            "packets of {length} bytes"
        );
    }
}

#[tokio::test]
async fn line_breaks_and_comments_do_not_matter() {
    let crlf = event_text().replace('\n', "\r\n");
    let cr = event_text().replace('\n', "\r");
    let commented =
        format!(": processing\n\n\u{20}: no field\n\n{}", event_text().replace("data: ", ": ping\ndata:"));
    let with_fields = event_text().replace("data: ", "event: message\nid: 7\nretry: 10\ndata: ");
    let with_bom = format!("\u{feff}{}", event_text());
    for text in [crlf, cr, commented, with_fields, with_bom] {
        let packets = text.as_bytes().chunks(5).map(|bytes| Part::Bytes(bytes.to_vec()));
        assert_eq!(answer(Scripted::stream(packets)).await, (ANSWER.to_owned(), 1), "{text}");
    }
}

#[tokio::test]
async fn a_compressed_response_is_read() {
    let compressed = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    };
    let bytes = compressed(&event_text());
    let packets = bytes.chunks(9).map(|bytes| Part::Bytes(bytes.to_vec()));
    let stream = Scripted::stream(packets).header("content-encoding", "gzip");
    assert_eq!(answer(stream).await, (ANSWER.to_owned(), 1));
    let whole =
        compressed(&formats::body("chat_completions", &planned(&json!("Beijing: sunny"))).to_string());
    let whole = Scripted::status(200, Part::Bytes(whole)).header("content-encoding", "gzip");
    let setup = Setup::chat_completions([whole]).await;
    let mut session = question();
    let end = setup.run(&mut session, false).await.expect("the run ends");
    assert_eq!((end, session.final_text()), (RunEnd::Answered, ANSWER));
    assert!(setup.server.received()[0].headers["accept-encoding"].to_str().expect("text").contains("gzip"));
}

#[tokio::test]
async fn http_2_is_spoken() {
    let setup = Setup::chat_completions([]).await;
    let client = tool_runtime_client::reqwest::Client::builder().no_proxy().http2_prior_knowledge().build();
    let model = setup.model.clone().http_client(client.expect("a client"));
    let mut session = question();
    let end = session.run(&setup.registry).stream_model(&model).await.expect("the run ends");
    assert_eq!((end, session.final_text()), (RunEnd::Answered, ANSWER));
    // HTTP/2 has the host in the address.
    assert!(setup.server.received()[0].uri.authority().is_some());
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read() {
    let body = formats::body("chat_completions", &planned(&json!("Beijing: sunny"))).to_string();
    assert_eq!(answer(Scripted::status(200, body)).await, (ANSWER.to_owned(), 1));
}

#[tokio::test]
async fn a_stream_without_its_type_is_read() {
    let stream = Scripted::stream([event_text().into()]).header("content-type", "text/plain");
    assert_eq!(answer(stream).await, (ANSWER.to_owned(), 1));
}
