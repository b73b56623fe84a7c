//! Fields that a provider's items and messages keep when another field is removed: their order stays, since a provider caches
//! the prompt by its bytes.

use crate::write;
use tool_runtime::AssistantMessage;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};

/// The text of a request with the messages that are read from this text.
fn rewritten(wire: &dyn Wire, body: &str) -> String {
    let messages = wire.read_messages(body).expect("they are read");
    serde_json::to_string(&write(wire, &messages)).expect("it is written")
}

#[test]
fn further_fields_keep_their_order() {
    let cases: [(&dyn Wire, &str, &[&str]); 7] = [
        (
            &ChatCompletions::new(),
            r#"[{"role":"assistant","z":1,"refusal":"no","content":"","y":2,"x":3,"a":{"c":1,"b":2},
                "tool_calls":[{"index":0,"z":1,"type":"function","id":"i","function":{"name":"f","arguments":"{}"},"y":2,"x":3}]},
               {"role":"tool","z":1,"tool_call_id":"i","y":2,"content":"r","x":3}]"#,
            &[
                r#""z":1,"y":2,"x":3,"a":{"c":1,"b":2}"#,
                r#""z":1,"y":2,"x":3}]"#,
                r#""content":"r","z":1,"y":2,"x":3"#,
            ],
        ),
        (
            &Anthropic::new(),
            r#"{"messages":[{"role":"user","content":"?"},
               {"role":"assistant","content":[{"type":"tool_use","id":"i","name":"f","input":{"b":1,"a":2}}]},
               {"role":"user","content":[{"type":"tool_result","z":1,"tool_use_id":"i","y":2,"content":"r","x":3,"a":4}]}]}"#,
            &[r#""input":{"b":1,"a":2}"#, r#""z":1,"y":2,"x":3,"a":4"#],
        ),
        (
            &Responses::new(),
            r#"{"input":[{"type":"message","z":1,"role":"user","y":2,"content":"?","x":3,"a":4},
               {"type":"function_call","z":1,"id":"fc_1","y":2,"call_id":"i","x":3,"name":"f","arguments":"{}","a":4},
               {"type":"function_call_output","z":1,"call_id":"i","y":2,"output":"r","x":3,"a":4}]}"#,
            // The id goes back only after the reasoning of the call.
            &[
                r#""z":1,"y":2,"x":3,"a":4"#,
                r#"{"type":"function_call","z":1,"y":2,"call_id":"i","x":3,"name":"f","arguments":"{}","a":4}"#,
                r#""output":"r","z":1,"y":2,"x":3,"a":4"#,
            ],
        ),
        (
            &Gemini::new(),
            r#"{"contents":[{"role":"user","parts":[{"text":"?"}]},
               {"role":"model","parts":[{"functionCall":{"name":"f","args":{"b":1,"a":2}}}]},
               {"role":"user","parts":[{"functionResponse":{"z":1,"name":"f","y":2,"response":{"output":{"b":1,"a":2}},"x":3,"a":4}}]}]}"#,
            &[r#""args":{"b":1,"a":2}"#, r#""output":{"b":1,"a":2}"#, r#""z":1,"y":2,"x":3,"a":4"#],
        ),
        (
            &Bedrock::new(),
            r#"{"messages":[{"role":"user","content":[{"text":"?"}]},
               {"role":"assistant","content":[{"toolUse":{"name":"f","toolUseId":"i","input":{"b":1,"a":2}}}]},
               {"role":"user","content":[{"toolResult":{"z":1,"toolUseId":"i","y":2,"content":[{"json":{"b":1,"a":2}}],"x":3}}]}]}"#,
            &[
                r#"{"name":"f","toolUseId":"i","input":{"b":1,"a":2}}"#,
                r#"{"json":{"b":1,"a":2}}"#,
                r#""z":1,"y":2,"x":3"#,
            ],
        ),
        (
            &GeminiInteractions::new(),
            r#"{"input":[{"type":"user_input","content":"?"},
               {"type":"function_call","name":"f","id":"i","arguments":{"b":1,"a":2}},
               {"type":"function_result","z":1,"call_id":"i","name":"f","y":2,"result":{"b":1,"a":2},"x":3,"a":4}]}"#,
            &[
                r#"{"type":"function_call","name":"f","id":"i","arguments":{"b":1,"a":2}}"#,
                r#""result":{"b":1,"a":2},"z":1,"y":2,"x":3,"a":4"#,
            ],
        ),
        (
            &Ollama::new(),
            r#"{"messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"b":1,"a":2}}}]},
               {"role":"tool","tool_name":"f","content":"r"}]}"#,
            &[r#""arguments":{"b":1,"a":2}"#],
        ),
    ];
    for (wire, body, expected) in cases {
        let text = rewritten(wire, body);
        for part in expected {
            assert!(text.contains(part), "{}: {part} in {text}", wire.name());
        }
    }
}

#[test]
fn the_items_of_a_streamed_reply_keep_the_order_of_their_fields() {
    let events = [
        r#"{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"model":"a"}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","z":1,"input":{},"id":"i","name":"f","y":2}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"b\":1,\"a\":2}"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let wire = Anthropic::new();
    let mut assembler = tool_runtime::stream::ReplyAssembler::new();
    for event in events {
        assembler.push(wire.read_event(event));
    }
    let reply: AssistantMessage = assembler.into_reply().expect("it is complete");
    let text = serde_json::to_string(&write(&wire, &[reply.into()])).expect("it is written");
    let item = r#"{"type":"tool_use","z":1,"input":{"b":1,"a":2},"id":"i","name":"f","y":2}"#;
    assert!(text.contains(item), "{text}");
}
