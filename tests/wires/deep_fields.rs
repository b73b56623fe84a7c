//! Replies and histories with fields of any depth: whatever a wire accepts can be stored and loaded.

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_runtime::dispatch::ToolResult;
use tool_runtime::message::{Content, Message, Part, stored};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::{AssistantMessage, DynamicTool, Registry, Session, ToolCall, ToolOutput, wire};
use tool_runtime_testing::ScriptedModel;

/// The text of a value that has this place in a text is `@`.
const REPLIES: &[(&str, &[&str])] = &[
    (
        "chat_completions",
        &[
            r#"{"choices":[{"message":{"role":"assistant","content":"a","x":@}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","content":"a","$serde_json::private::RawValue":"b"}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","content":[{"type":"text","text":"a","x":@}]}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","content":[{"type":"x","x":@}]}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","reasoning_details":[@]}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","x":@,"function":{"name":"f","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":@}}}]}}]}"#,
        ],
    ),
    (
        "anthropic",
        &[
            r#"{"role":"assistant","content":[{"type":"text","text":"a","x":@}],"x":@}"#,
            r#"{"role":"assistant","content":[{"type":"x","x":@}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":@},"x":@}]}"#,
            r#"{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"f","input":@}]}"#,
        ],
    ),
    (
        "responses",
        &[
            r#"{"output":[{"type":"message","content":[{"type":"output_text","text":"a","annotations":[@]}]}],"x":@}"#,
            r#"{"output":[{"type":"x","x":@}]}"#,
            r#"{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}","x":@}]}"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"a","x":@}],"x":@},"x":@}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"executableCode":@}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":@},"x":@}}]}}]}"#,
        ],
    ),
    (
        "bedrock",
        &[
            r#"{"output":{"message":{"content":[{"text":"a","x":@}],"x":@}},"x":@}"#,
            r#"{"output":{"message":{"content":[{"guardContent":@}]}}}"#,
            r#"{"output":{"message":{"content":[{"toolUse":{"toolUseId":"c","name":"f","input":{"a":@},"x":@}}]}}}"#,
        ],
    ),
    (
        "gemini_interactions",
        &[
            r#"{"status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"a","x":@}],"x":@}],"x":@}"#,
            r#"{"status":"completed","steps":[{"type":"code_execution_call","arguments":@}]}"#,
            r#"{"status":"completed","steps":[{"type":"function_call","id":"c","name":"f","arguments":{"a":@},"x":@}]}"#,
        ],
    ),
    (
        "ollama",
        &[
            r#"{"message":{"role":"assistant","content":"a","x":@},"x":@,"done":true}"#,
            r#"{"message":{"role":"assistant","content":"","tool_calls":[{"x":@,"function":{"name":"f","arguments":{"a":@}}}]},"done":true}"#,
        ],
    ),
];

const EVENTS: &[(&str, &[&str])] = &[
    (
        "chat_completions",
        &[
            r#"{"choices":[{"delta":{"content":"a","x":@}}]}"#,
            r#"{"choices":[{"delta":{"content":[{"type":"x","x":@}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[@]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","x":@,"function":{"name":"f","arguments":"{}"}}]}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":{"a":@}}}]}}]}"#,
        ],
    ),
    (
        "anthropic",
        &[
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a","x":@}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"x","x":@}}"#,
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":{"a":@}}}"#,
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":@}}"#,
        ],
    ),
    (
        "responses",
        &[
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"x","x":@}}"#,
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"x","x":@}}"#,
            r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}","x":@}}"#,
            r#"{"type":"response.completed","response":{"output":[{"type":"x","x":@}],"x":@}}"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"{"candidates":[{"content":{"parts":[{"text":"a","x":@}]}}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":@}},"x":@}]}}]}"#,
        ],
    ),
    (
        "bedrock",
        &[
            r#"{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c","name":"f","x":@}}}}"#,
            r#"{"contentBlockStart":{"contentBlockIndex":1,"start":{"toolResult":{"toolUseId":"s","x":@}}}}"#,
            r#"{"contentBlockDelta":{"contentBlockIndex":1,"delta":{"toolResult":[{"json":@}]}}}"#,
        ],
    ),
    (
        "gemini_interactions",
        &[
            r#"{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"c","name":"f","arguments":{"a":@}}}"#,
            r#"{"event_type":"step.start","index":1,"step":{"type":"google_search_call","x":@}}"#,
            r#"{"event_type":"step.delta","index":1,"delta":{"type":"google_search_call","arguments":@}}"#,
            r#"{"event_type":"step.delta","index":2,"delta":{"type":"image","data":@}}"#,
        ],
    ),
    (
        "ollama",
        &[
            r#"{"message":{"role":"assistant","content":"a","x":@},"done":false}"#,
            r#"{"message":{"role":"assistant","content":"","tool_calls":[{"x":@,"function":{"name":"f","arguments":{"a":@}}}]},"done":false}"#,
        ],
    ),
];

const HISTORIES: &[(&str, &[&str])] = &[
    (
        "chat_completions",
        &[
            r#"[{"role":"user","content":"a","x":@}]"#,
            r#"[{"role":"user","content":[{"type":"x","x":@}]}]"#,
            r#"[{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"a","x":@}],"x":@}]"#,
        ],
    ),
    (
        "anthropic",
        &[
            r#"[{"role":"user","content":[{"type":"document","source":@}]}]"#,
            r#"[{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"x","x":@}],"x":@}]}]"#,
        ],
    ),
    (
        "responses",
        &[
            r#"[{"role":"user","content":[{"type":"x","x":@}],"x":@}]"#,
            r#"[{"type":"function_call_output","call_id":"c","output":[{"type":"x","x":@}],"x":@}]"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"[{"role":"user","parts":[{"x":@}]}]"#,
            r#"[{"role":"user","parts":[{"functionResponse":{"name":"f","response":@,"x":@}}]}]"#,
        ],
    ),
    (
        "bedrock",
        &[
            r#"[{"role":"user","content":[{"guardContent":@}]}]"#,
            r#"[{"role":"user","content":[{"toolResult":{"toolUseId":"c","content":[{"json":@}],"x":@}}]}]"#,
        ],
    ),
    (
        "gemini_interactions",
        &[
            r#"[{"type":"user_input","content":[{"type":"x","x":@}]}]"#,
            r#"[{"type":"function_result","call_id":"c","name":"f","result":@,"x":@}]"#,
        ],
    ),
    ("ollama", &[r#"[{"role":"user","content":"a","x":@}]"#, r#"[{"role":"tool","content":"a","x":@}]"#]),
];

/// A value in lists and objects.
fn deep(random: &mut Rng, depth: usize) -> String {
    let (mut value, mut end) = (String::new(), String::new());
    for _ in 0..depth {
        let (before, after) = [("[", "]"), (r#"{"a":"#, "}"), (r#"{"$json":"#, "}"), (r"[1,", "]")]
            [if random.u8(..10) == 0 { 2 } else { random.usize(..2) * 3 / 2 }];
        value.push_str(before);
        end.insert_str(0, after);
    }
    let leaf = [
        "1",
        "null",
        r#""a""#,
        r#"{"$json":"[]"}"#,
        r#"{"$json":"{"}"#,
        r#"{"$serde_json::private::RawValue":"[[[1]]]"}"#,
        r#"{"b":1,"$serde_json::private::RawValue":"a"}"#,
        r#"{"b":1,"$serde_json::private::Number":"a"}"#,
    ][random.usize(..8)];
    [&value, leaf, &end].concat()
}

fn filled(random: &mut Rng, template: &str) -> String {
    let mut text = String::new();
    for (number, piece) in template.split('@').enumerate() {
        if number > 0 {
            let range = if random.bool() { 100..128 } else { 0..140 };
            let depth = random.usize(range);
            text += &deep(random, depth);
        }
        text += piece;
    }
    text
}

/// Stores and loads messages, as a program with levels of its own does.
fn check(messages: &[Message], source: &str) {
    #[derive(Serialize, Deserialize)]
    struct Chat {
        #[serde(with = "stored")]
        messages: Vec<Message>,
    }

    let chat = Chat { messages: messages.to_vec() };
    let text = serde_json::to_string(&json!([[[{ "chat": chat }]]])).expect("it is stored");
    let read: Vec<Vec<Vec<std::collections::BTreeMap<String, Chat>>>> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {source}"));
    assert_eq!(read[0][0][0]["chat"].messages, messages, "{source}");
    // A database with values of JSON parses the text first.
    let value: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {source}"));
    let read: Vec<Vec<Vec<std::collections::BTreeMap<String, Chat>>>> =
        serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}: {source}"));
    assert_eq!(read[0][0][0]["chat"].messages, messages, "{source}");
}

#[test]
fn what_a_wire_accepts_can_be_stored_and_loaded() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let (mut accepted, mut rejected) = (0, 0);
    let mut count = |messages: Option<Vec<Message>>, source: &str| match messages {
        Some(messages) => {
            check(&messages, source);
            accepted += 1;
        }
        None => rejected += 1,
    };
    for _ in 0..60 {
        for (name, templates) in REPLIES {
            let wire = wire::by_name(name).expect("a wire");
            for template in *templates {
                let body = filled(&mut random, template);
                count(wire.read_reply(&body).ok().map(|reply| vec![reply.into()]), &body);
            }
        }
        for (name, templates) in EVENTS {
            let mut assembler = ReplyAssembler::new().wire(wire::by_name(name).expect("a wire"));
            let events: Vec<String> = templates.iter().map(|event| filled(&mut random, event)).collect();
            for event in events.iter().filter(|_| random.bool()) {
                assembler.push(event.as_str());
            }
            count(assembler.into_reply().ok().map(|reply| vec![reply.into()]), &events.join("\n"));
        }
        for (name, templates) in HISTORIES {
            for template in *templates {
                let body = filled(&mut random, template);
                count(wire::by_name(name).expect("a wire").read_messages(&body).ok(), &body);
            }
        }
    }
    println!("{accepted} accepted, {rejected} rejected");
    assert!(accepted > 500 && rejected > 100);
}

#[tokio::test]
async fn results_of_any_depth_can_be_stored_and_loaded() {
    for depth in (0..140).chain([1_000]) {
        let value = move || (0..depth).fold(json!({ "a": 1 }), |value, _| json!([value]));
        let text = value().to_string();
        let tool = DynamicTool::new("f", "", json!({ "type": "object" }), move |_| {
            let part = Part::json(value());
            async move { Ok::<_, String>(ToolOutput::from(Content::from_parts([part]))) }
        });
        let registry = Registry::builder().dynamic(tool).build().expect("a registry");
        let result = registry.call("f", json!({})).await;
        let recorded = serde_json::to_string(&json!([[result]])).expect("it is recorded");
        let replayed: Vec<Vec<ToolResult>> = serde_json::from_str(&recorded).expect("it is replayed");
        assert_eq!(
            (replayed[0][0].text(), result.text()),
            (text.clone().into(), text.clone().into()),
            "{depth} levels"
        );
        let mut session = Session::new().user("?");
        let call = ToolCall::new("c", "f", "{}");
        let model = ScriptedModel::new([
            AssistantMessage::from_tool_calls(vec![call]),
            AssistantMessage::from_text("done"),
        ]);
        let _ = session.run(&registry).complete(|request| model.complete(request)).await.expect("it runs");
        let stored = serde_json::to_string(&session).expect("it is stored");
        let read: Session = serde_json::from_str(&stored).unwrap_or_else(|error| panic!("{depth}: {error}"));
        assert_eq!(read.messages(), session.messages());
    }
}
