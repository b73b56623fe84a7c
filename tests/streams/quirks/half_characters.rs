//! Texts with half a surrogate pair, which no string can contain.

use crate::{assembled, called, finish};
use tool_runtime::wire::{Anthropic, Bedrock, Gemini, GeminiInteractions, Responses, Wire};

#[test]
fn half_a_character_in_a_chunk_is_joined_or_replaced() {
    // anomalyco/opencode#17758
    let text = |text: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"content":"{text}"}}}}]}}"#);
    let assembled =
        |chunks: &[String]| assembled(chunks.iter().chain([&finish("stop").to_string()])).text().to_owned();
    assert_eq!(assembled(&[text("a\\ud83d"), text("\\ude00b")]), "a😀b");
    assert_eq!(assembled(&[text("a\\ud83d"), String::new(), text("\\uDE00b")]), "a😀b");
    assert_eq!(assembled(&[text("a\\ud83d"), text("b")]), "a\u{fffd}b");
    assert_eq!(assembled(&[text("\\ude00\\ud83d\\ud83d\\ude00")]), "\u{fffd}\u{fffd}😀");
    assert_eq!(assembled(&[text("a\\ud83d")]), "a\u{fffd}");
    let arguments = |text: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"get","arguments":"{text}"}}}}]}}}}]}}"#
        )
    };
    let chunks =
        [arguments(r#"{\"a\":\"\ud83d"#), arguments(r#"\ude00\"}"#), finish("tool_calls").to_string()];
    assert_eq!(called(chunks), [["a", "get", "{\"a\":\"😀\"}"]]);
}

#[test]
fn half_a_character_loses_nothing_of_a_reply_on_any_wire() {
    // rakazo/rakazo#416
    let anthropic = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00b"}}"#,
    ];
    let responses = [
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"a\ud83d"}"#,
        r#"{"type":"response.output_text.delta","output_index":0,"delta":"\ude00b"}"#,
    ];
    let gemini = [
        r#"{"candidates":[{"content":{"parts":[{"text":"a\ud83d"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"\ude00b"}]},"finishReason":"STOP"}]}"#,
    ];
    let interactions = [
        r#"{"event_type":"step.start","index":0,"step":{"type":"model_output"}}"#,
        r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"a\ud83d"}}"#,
        r#"{"event_type":"step.delta","index":0,"delta":{"type":"text","text":"\ude00b"}}"#,
        r#"{"event_type":"interaction.completed","interaction":{"id":"i","status":"completed"}}"#,
    ];
    let bedrock = [
        r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"a\ud83d"},"p":"abc"}}"#,
        r#"{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"text":"\ude00b"}}}"#,
        r#"{"messageStop":{"stopReason":"end_turn"}}"#,
    ];
    let streams: [(Box<dyn Wire>, &[&str]); 5] = [
        (Box::new(Anthropic::new()), &anthropic),
        (Box::new(Responses::new()), &responses),
        (Box::new(Gemini::new()), &gemini),
        (Box::new(GeminiInteractions::new()), &interactions),
        (Box::new(Bedrock::new()), &bedrock),
    ];
    for (wire, events) in streams {
        // The program may read the events itself.
        let chunks: Vec<_> = events.iter().map(|event| wire.read_event(event)).collect();
        assert_eq!(assembled(chunks).text(), "a😀b", "{}", wire.name());
    }
    let reply = Gemini::new().read_reply(&gemini[0].replace("}]}}]}", "}]},\"finishReason\":\"STOP\"}]}"));
    assert_eq!(reply.expect("it is read").text(), "a\u{fffd}");
    let reply =
        Anthropic::new().read_reply(r#"{"role":"assistant","content":[{"type":"text","text":"\udc00a"}]}"#);
    assert_eq!(reply.expect("it is read").text(), "\u{fffd}a");
    let reply = Bedrock::new().read_reply(r#"{"output":{"message":{"content":[{"text":"\udc00a"}]}}}"#);
    assert_eq!(reply.expect("it is read").text(), "\u{fffd}a");
    let reply = GeminiInteractions::new()
        .read_reply(r#"{"steps":[{"type":"model_output","content":[{"type":"text","text":"\udc00a"}]}]}"#);
    assert_eq!(reply.expect("it is read").text(), "\u{fffd}a");
}
