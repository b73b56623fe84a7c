//! The properties of a tool keep their order between servers and models (<https://github.com/mark3labs/mcp-go/issues/983>).

use crate::peer::{Peer, Response, registry_of};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};
use tool_runtime::{Conversation, Registry, tool, tools};
use tool_runtime_mcp::serve;

/// As a server writes it: sorted neither by name nor by keyword.
const GIVEN: &str = r#"{"properties":{"reasoning":{"type":"string"},"sources":{"items":{"properties":{"url":{},"quote":{}},
    "type":"object"},"type":"array"},"answer":{"type":"boolean"}},"type":"object","required":["reasoning","answer"]}"#;

const WRITTEN: &str = concat!(
    r#"{"type":"object","required":["reasoning","answer"],"properties":{"reasoning":{"type":"string"},"#,
    r#""sources":{"type":"array","items":{"type":"object","properties":{"url":{},"quote":{}}}},"answer":{"type":"boolean"}}}"#,
);

async fn registry() -> Registry {
    let schema: Value = serde_json::from_str(GIVEN).expect("it is JSON");
    let tools = json!({"tools": [{"name": "judge", "inputSchema": schema}]});
    registry_of(move |peer| {
        let tools = tools.clone();
        peer.serve(move |_, _| Response::Result(tools.clone()))
    })
    .await
}

#[tokio::test]
async fn the_tool_of_a_server_has_its_order_in_the_request_of_each_wire() {
    let registry = registry().await;
    let wires: [Arc<dyn Wire>; 7] = [
        Arc::new(ChatCompletions::new()),
        Arc::new(Anthropic::new()),
        Arc::new(Responses::new()),
        Arc::new(Gemini::new()),
        Arc::new(GeminiInteractions::new()),
        Arc::new(Bedrock::new()),
        Arc::new(Ollama::new()),
    ];
    for wire in wires {
        let request = Conversation::new().user("?").request(&registry).wire(Arc::clone(&wire));
        let body = request.body().expect("it is written");
        let text = serde_json::to_string(&body).expect("it is written");
        assert!(text.contains(WRITTEN), "{}: {text}", wire.name());
        assert_eq!(serde_json::to_value(&body).expect("it is written").to_string(), text);
    }
    let strict = registry.schemas()[0].openai_strict().map(|strict| strict.get().to_owned());
    assert!(strict.is_err(), "`url` takes any value");
}

#[tokio::test]
async fn a_served_tool_has_its_declared_order() {
    /// Judges.
    #[tool]
    fn judge(reasoning: String, answer: bool, confidence: u8) {
        let _ = (reasoning, answer, confidence);
    }

    for registry in [Registry::new(tools![judge]).expect("one tool"), registry().await] {
        let expected = registry.schemas()[0].parameters().get().to_owned();
        let mut client = Peer::connect_to(serve(registry)).await;
        client.send(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
        let listed = client.receive("id", 1).await;
        assert_eq!(listed["result"]["tools"][0]["inputSchema"].to_string(), expected);
    }
}
