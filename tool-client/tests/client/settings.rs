//! The settings of a model.

use crate::stub::{Received, Server, WIRES};
use crate::waits::Waits;
use crate::weather::{question, registry};
use serde_json::json;
use std::collections::BTreeMap;
use tool_runtime::Conversation;
use tool_runtime::wire::{Anthropic, Cache};
use tool_runtime_client::reqwest::header::{HeaderMap, HeaderValue};
use tool_runtime_client::reqwest::{Client, Proxy};
use tool_runtime_client::{Model, ModelError, RunModel as _};

/// The first request of a run with this model.
async fn first_request(server: &Server, model: &Model) -> Received {
    let (registry, _) = registry();
    // The second request follows the call.
    let _ = question().run(&registry).max_requests(1).model(model).await.expect("the server answers");
    let request = server.received().last().cloned();
    request.expect("a request")
}

async fn error_of(model: Model) -> String {
    let (registry, _) = registry();
    let request = Conversation::new().user("Hello!").request(&registry);
    model.complete(request).await.expect_err("the setting is invalid").to_string()
}

#[tokio::test]
async fn the_maximum_of_tokens_has_a_field_on_each_wire() {
    let pointers = [
        ("chat_completions", "/max_completion_tokens"),
        ("responses", "/max_output_tokens"),
        ("anthropic", "/max_tokens"),
        ("gemini", "/generationConfig/maxOutputTokens"),
        ("gemini_interactions", "/generation_config/max_output_tokens"),
        ("bedrock", "/inferenceConfig/maxTokens"),
        ("ollama", "/options/num_predict"),
    ];
    assert_eq!(pointers.map(|(wire, _)| wire), WIRES);
    for (wire, pointer) in pointers {
        let (server, waits) = (Server::start(wire, []).await, Waits::default());
        let request = first_request(&server, &server.model(&waits).max_tokens(777)).await;
        assert_eq!(request.body.pointer(pointer), Some(&json!(777)), "{wire}: {}", request.body);
    }
}

#[tokio::test]
async fn a_request_of_anthropic_has_the_maximum_that_it_requires() {
    let (server, waits) = (Server::start("anthropic", []).await, Waits::default());
    assert_eq!(first_request(&server, &server.model(&waits)).await.body["max_tokens"], 8192);
}

#[tokio::test]
async fn fields_are_added_and_objects_are_merged() {
    let (server, waits) = (Server::start("gemini", []).await, Waits::default());
    let model = server.model(&waits).field("generationConfig", json!({"temperature": 0.5, "seed": 1}));
    let model = model.max_tokens(9).field("generationConfig", json!({"seed": 2})).field("labels", ["a"]);
    let body = first_request(&server, &model).await.body;
    assert_eq!(body["generationConfig"], json!({"temperature": 0.5, "seed": 2, "maxOutputTokens": 9}));
    assert_eq!(body["labels"], json!(["a"]));
}

#[tokio::test]
async fn a_wire_keeps_its_settings() {
    let (server, waits) = (Server::start("anthropic", []).await, Waits::default());
    let model =
        Model::new(Anthropic::new().cache(Cache::new().tools()), "stub-1").key("key").base_url(&server.url);
    let body = first_request(&server, &waits.set(model)).await.body;
    assert!(body.to_string().contains("cache_control"), "{body}");
}

#[tokio::test]
async fn a_base_url_may_have_a_path_a_slash_and_a_query() {
    let (server, waits) = (Server::start("chat_completions", []).await, Waits::default());
    for (url, expected) in [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("", "/chat/completions"),
        (" ", "/chat/completions"),
        ("/openai/v1?api-version=2026-01-01", "/openai/v1/chat/completions?api-version=2026-01-01"),
    ] {
        let model = server.model(&waits).base_url(format!("{}{url}", server.url));
        assert_eq!(first_request(&server, &model).await.uri, expected);
    }
}

#[tokio::test]
async fn the_name_of_a_model_is_encoded_in_a_path() {
    let arn = "arn:aws:bedrock:eu-central-1:1:inference-profile/eu.model-v1:0";
    for (wire, name, expected) in [
        ("bedrock", arn, "/model/arn:aws:bedrock:eu-central-1:1:inference-profile%2Feu.model-v1:0/converse"),
        ("bedrock", "a b?c#d", "/model/a%20b%3Fc%23d/converse"),
        ("gemini", "tunedModels/mine", "/v1beta/tunedModels/mine:generateContent"),
        ("gemini", "models/gemini-2.5-flash", "/v1beta/models/gemini-2.5-flash:generateContent"),
    ] {
        let (server, waits) = (Server::start(wire, []).await, Waits::default());
        let wire = tool_runtime::wire::by_name(wire).expect("there is such a wire");
        let model = waits.set(Model::new(wire, name).base_url(&server.url));
        assert_eq!(first_request(&server, &model).await.uri, expected);
    }
}

#[tokio::test]
async fn invalid_settings_are_errors_that_name_them() {
    let local = || Model::openai("m").base_url("http://127.0.0.1:1/v1");
    let cases = [
        (
            local().base_url("localhost:8080/v1"),
            "the base URL `localhost:8080/v1` is invalid: begin it with `https://`",
        ),
        (local().base_url("user:pass@localhost/v1?key=7"), "the base URL `localhost/v1` is invalid"),
        (local().base_url(""), "the base URL `` is invalid"),
        (local().header("a b", "c"), "the header `a b` has an invalid name or value"),
        (local().key("a\nkey"), "the key has a character that a header cannot have"),
        (local().field("a", BTreeMap::from([(vec![1], 1)])), "the field `a`: key must be a string"),
        (Model::bedrock("m").key("key"), "the model has no region"),
    ];
    for (model, expected) in cases {
        let error = error_of(model).await;
        assert!(error.contains(expected), "{error}");
    }
    // The line break at the end of a file is not part of the key.
    let (server, waits) = (Server::start("anthropic", []).await, Waits::default());
    let request = first_request(&server, &server.model(&waits).key("a-key\n")).await;
    assert_eq!(request.headers["x-api-key"], "a-key");
}

#[tokio::test]
async fn the_http_client_of_a_program_has_its_headers_and_its_proxy() {
    let (server, waits) = (Server::start("anthropic", []).await, Waits::default());
    let headers =
        HeaderMap::from_iter([("x-team".parse().expect("a header"), HeaderValue::from_static("blue"))]);
    // The stub server is the proxy: the address has another host.
    let proxy = Proxy::http(&server.url).expect("an address");
    let client = Client::builder().default_headers(headers).proxy(proxy).build().expect("a client");
    let model = server.model(&waits).base_url("http://models.example").http_client(client);
    let request = first_request(&server, &model).await;
    assert_eq!(request.headers["x-team"], "blue");
    assert_eq!(request.uri, "http://models.example/v1/messages");
}

#[tokio::test]
async fn a_request_that_cannot_be_written_is_no_attempt() {
    let model = Model::openai("m").field("a", BTreeMap::from([(vec![1], 1)]));
    let (registry, _) = registry();
    let error = model.stream(Conversation::new().user("Hello!").request(&registry)).await;
    assert!(matches!(error, Err(ModelError::InvalidSetting { .. })), "{error:?}");
}

#[tokio::test]
async fn a_request_asks_for_the_tokens_of_a_stream_alone() {
    let (server, waits, (registry, _)) =
        (Server::start("chat_completions", []).await, Waits::default(), registry());
    let request = || Conversation::new().user("Beijing: sunny").request(&registry);
    let model = server.model(&waits);
    let _ = model.stream(request()).await.expect("a stream");
    let _ = model.complete(request().stream_usage(true)).await.expect("a reply");
    let received = server.received();
    assert_eq!(received[0].body["stream_options"], json!({"include_usage": true}));
    assert!(received[1].body.get("stream_options").is_none(), "{}", received[1].body);
}

#[tokio::test]
async fn a_header_is_sent_and_does_not_replace_the_key() {
    let (server, waits) = (Server::start("anthropic", []).await, Waits::default());
    let model =
        server.model(&waits).header("anthropic-beta", "tools-1").header("anthropic-version", "2024-01-01");
    let request = first_request(&server, &model.header("x-api-key", "another key")).await;
    assert_eq!(request.headers["anthropic-beta"], "tools-1");
    assert_eq!(request.headers["anthropic-version"], "2024-01-01");
    assert_eq!(request.headers["x-api-key"], crate::stub::KEY);
}
