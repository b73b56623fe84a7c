//! Keys of properties that Anthropic rejects, in its requests: <https://github.com/anthropics/claude-code/issues/34771>.

use crate::{json, list};
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Message;
use tool_runtime::search::Search;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, RequestParts, Responses, Wire,
};
use tool_runtime::{AssistantMessage, Conversation, DynamicTool, Registry, RegistryBuilder, ToolCall};
use tool_runtime_testing::check_request;

const OWN: &str = r#"{"filter[city]":"Rome","stops":[{"@id":1}]}"#;

fn written() -> Value {
    json!({ "filter_city_": "Rome", "stops": [{ "_id": 1 }] })
}

fn tool(name: &str) -> DynamicTool {
    let stop = json!({
        "type": "object",
        "properties": { "@id": { "type": "integer" } },
        "required": ["@id"],
        "additionalProperties": false,
    });
    let parameters = json!({
        "type": "object",
        "properties": { "filter[city]": { "type": "string" }, "stops": { "type": "array", "items": stop } },
        "required": ["filter[city]", "stops"],
        "additionalProperties": false,
    });
    DynamicTool::new(name, "Finds flights to a city.", parameters, |arguments| async move {
        Ok::<_, String>(Value::Object(arguments))
    })
}

fn builder() -> RegistryBuilder {
    Registry::builder().dynamic(tool("find_flights"))
}

/// The body of a request that the rules of the wire accept.
fn body(wire: &dyn Wire, parts: &RequestParts<'_>) -> Value {
    let body = json(&wire.write(parts).expect("it is written"));
    assert_eq!(check_request(wire, &body), Ok(()), "{body}");
    body
}

async fn called(registry: &Registry, reply: AssistantMessage) -> Conversation {
    match Conversation::new().user("Rome?").receive(reply) {
        Received::ToolCalls(pending) => pending.dispatch(registry).await,
        Received::Answer(_) => panic!("it calls"),
    }
}

#[test]
fn both_forms_of_a_definition_have_written_names() {
    let registry = builder().build().expect("a tool");
    let messages = [Message::user("Rome?")];
    let parts = RequestParts::new(&messages).tools(registry.schemas());
    for strict in [false, true] {
        let wire = Anthropic::new().strict(strict);
        let tool = body(&wire, &parts)["tools"][0].clone();
        let schema = &tool["input_schema"];
        assert_eq!(tool["strict"] == true, strict, "{tool}");
        assert_eq!(schema["required"], json!(["filter_city_", "stops"]));
        assert_eq!(schema["properties"]["filter_city_"]["type"], "string");
        assert_eq!(schema["properties"]["stops"]["items"]["required"], json!(["_id"]));
        assert_eq!(schema["properties"]["stops"]["items"]["properties"]["_id"]["type"], "integer");
    }
    // Bedrock returns the errors of Anthropic's models.
    let spec = body(&Bedrock::new(), &parts)["toolConfig"]["tools"][0]["toolSpec"].clone();
    assert_eq!(spec["inputSchema"]["json"]["required"], json!(["filter_city_", "stops"]));
    // Other providers accept these keys.
    let others: [&dyn Wire; 5] = [
        &ChatCompletions::new(),
        &Responses::new(),
        &Gemini::new(),
        &GeminiInteractions::new(),
        &Ollama::new(),
    ];
    for wire in others {
        let body = body(wire, &parts).to_string();
        assert!(body.contains("filter[city]") && !body.contains("filter_city_"), "{}: {body}", wire.name());
    }
}

#[tokio::test]
async fn a_history_of_another_provider_has_written_names() {
    let registry = builder().build().expect("a tool");
    let call =
        json!({ "id": "a", "type": "function", "function": { "name": "find_flights", "arguments": OWN } });
    let message = json!({ "role": "assistant", "tool_calls": [call] });
    let choice = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    let reply = ChatCompletions::new().read_reply(&choice.to_string()).expect("it is read");
    let chat = called(&registry, reply).await;
    assert_eq!(chat.messages()[2].text(), OWN);
    let input = |parts: &RequestParts<'_>| {
        let body = body(&Anthropic::new().native_tool_search(true), parts);
        body["messages"][1]["content"][0]["input"].clone()
    };
    let converse = body(&Bedrock::new(), &RequestParts::new(chat.messages()).tools(registry.schemas()));
    assert_eq!(converse["messages"][1]["content"][0]["toolUse"]["input"], written());
    let parts = RequestParts::new(chat.messages());
    assert_eq!(input(&parts.tools(registry.schemas())), written());
    assert_eq!(input(&parts.deferred_tools(registry.schemas())), written());
    // Without the definition, nothing has a written name.
    assert_eq!(input(&parts).to_string(), OWN);
    // A call that is made by hand, or that was read from a history of Anthropic, may have written names already.
    let by_hand =
        AssistantMessage::from_tool_calls([ToolCall::new("a", "find_flights", written().to_string())]);
    let messages = [Message::user("Rome?"), by_hand.into(), tool_result()];
    assert_eq!(input(&RequestParts::new(&messages).tools(registry.schemas())), written());
}

fn tool_result() -> Message {
    tool_runtime::ToolMessage::new("a", "none").into()
}

#[tokio::test]
async fn a_reply_of_anthropic_continues_with_another_provider_and_returns() {
    let registry = builder().build().expect("a tool");
    let block = json!({ "type": "tool_use", "id": "toolu_1", "name": "find_flights", "input": written() });
    let message = json!({ "type": "message", "content": [block], "stop_reason": "tool_use" });
    let reply = Anthropic::new().read_reply(&message.to_string()).expect("it is read");
    let chat = called(&registry, reply).await;
    let parts = RequestParts::new(chat.messages()).tools(registry.schemas());
    let moved = body(&ChatCompletions::new(), &parts);
    assert_eq!(moved["messages"][1]["tool_calls"][0]["function"]["arguments"], OWN);
    let returned = ChatCompletions::new().read_messages(&moved.to_string()).expect("it is read");
    for messages in [chat.messages(), &returned] {
        let parts = RequestParts::new(messages).tools(registry.schemas());
        assert_eq!(
            list(&body(&Anthropic::new(), &parts)["messages"][1]["content"]),
            std::slice::from_ref(&block)
        );
    }
}

#[tokio::test]
async fn a_reply_of_bedrock_has_written_names_too() {
    let registry = builder().build().expect("a tool");
    let block = json!({ "toolUse": { "toolUseId": "t1", "name": "find_flights", "input": written() } });
    let message = json!({ "message": { "role": "assistant", "content": [block] } });
    let reply = json!({ "output": message, "stopReason": "tool_use" });
    let reply = Bedrock::new().read_reply(&reply.to_string()).expect("it is read");
    let chat = called(&registry, reply).await;
    assert_eq!(chat.messages()[2].text(), OWN);
    let parts = RequestParts::new(chat.messages()).tools(registry.schemas());
    assert_eq!(list(&body(&Bedrock::new(), &parts)["messages"][1]["content"]), [block]);
}

/// The definitions that the search of the API loads have written names, and so has the error of a call.
#[tokio::test]
async fn a_tool_of_the_native_search_has_written_names() {
    let registry = builder().dynamic(tool("find_hotels")).search(Search::new()).build().expect("two tools");
    let wire = Anthropic::new().native_tool_search(true);
    let messages = [Message::user("Rome?")];
    let parts = RequestParts::new(&messages).tools(registry.schemas());
    let sent = body(&wire, &parts.deferred_tools(registry.deferred_schemas()));
    let tools = list(&sent["tools"]).iter().filter(|tool| tool["defer_loading"] == true);
    let properties: Vec<&Value> =
        tools.map(|tool| &tool["input_schema"]["properties"]["filter_city_"]).collect();
    assert_eq!(properties, [&json!({ "type": "string" }); 2]);
    let reply = |name: &str, input: &Value| {
        let block = json!({ "type": "tool_use", "id": "toolu_1", "name": name, "input": input });
        let message = json!({ "type": "message", "content": [block], "stop_reason": "tool_use" });
        wire.read_reply(&message.to_string()).expect("it is read")
    };
    let chat = called(&registry, reply("find_flights", &written())).await;
    assert_eq!(chat.messages()[2].text(), OWN);
    let chat = called(&registry, reply("find_flights", &json!({ "stops": [] }))).await;
    let text = chat.messages()[2].text();
    assert!(
        text.starts_with("Error: invalid arguments for `find_flights`: `filter_city_` is missing"),
        "{text}"
    );
    assert!(
        text.contains("\nSignature: ") && text.contains("filter_city_") && !text.contains("filter[city]"),
        "{text}"
    );
    // `search_tools` shows the tool's keys, and so does the error of `call_tool`.
    let own: Value = serde_json::from_str(OWN).expect("it is JSON");
    for arguments in [&own, &written()] {
        let input = json!({ "name": "find_flights", "arguments": arguments });
        let chat = called(&registry, reply("call_tool", &input)).await;
        assert_eq!(chat.messages()[2].text(), OWN);
    }
    let input = json!({ "name": "find_flights", "arguments": { "stops": [] } });
    let text = called(&registry, reply("call_tool", &input)).await.messages()[2].text().to_owned();
    assert!(text.contains("`filter[city]` is missing") && !text.contains("filter_city_"), "{text}");
}
