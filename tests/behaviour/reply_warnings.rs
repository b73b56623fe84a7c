//! Warnings about replies.

use serde_json::{Value, json};
use tool_runtime::conversation::{Received, ReplyWarning};
use tool_runtime::message::Message;
use tool_runtime::wire::{ChatCompletions, RequestParts, Wire};
use tool_runtime::{AssistantMessage, Conversation};

fn warnings(message: Value) -> Vec<ReplyWarning> {
    let reply = serde_json::from_value(message).expect("it is read");
    match Conversation::new().user("Hello!").receive(reply) {
        Received::Answer(chat) => chat.warnings().to_vec(),
        Received::ToolCalls(pending) => {
            let warnings = pending.warnings().to_vec();
            assert_eq!(pending.skip_rest("skipped").warnings(), warnings);
            warnings
        }
    }
}

fn unparsed_call(text: &str) -> Option<String> {
    match &*warnings(json!({ "content": text })) {
        [] => None,
        [ReplyWarning::UnparsedCalls { words, .. }] => Some(words.to_string()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_call_in_the_format_of_a_template_is_a_warning() {
    for (text, expected) in [
        ("<tool_call>{\"name\":\"now\",\"arguments\":{}}</tool_call>", "<tool_call>"),
        ("Let me see.\n<tool_call>\n{\"name\": \"now\"}\n</tool_call>", "<tool_call>"),
        ("<tool_call>\nnow\n<arg_key>zone</arg_key>", "<tool_call>"),
        ("<tool_call>now\n<arg_key>zone</arg_key>", "<tool_call>"),
        ("<tool_call>\n<function=now>\n</function>", "<tool_call>"),
        ("<function=now>{\"zone\":\"UTC\"}</function>", "<function="),
        ("[TOOL_CALLS][{\"name\":\"now\"}]", "[TOOL_CALLS]"),
        ("[TOOL_CALLS]now[ARGS]{}", "[TOOL_CALLS]"),
        ("<|python_tag|>{\"name\":\"now\",\"parameters\":{}}", "<|python_tag|>"),
        ("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function", "<｜tool▁calls▁begin｜>"),
        ("<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0", "<|tool_calls_section_begin|>"),
        ("<minimax:tool_call>\n<invoke name=\"now\">", "<minimax:tool_call>"),
        ("functools[{\"name\": \"now\", \"arguments\": {}}]", "functools["),
        ("<|channel|>commentary to=functions.now <|message|>{}", "<|channel|>commentary to=functions."),
        (" {\"name\": \"now\", \"parameters\": {\"zone\": \"UTC\"}}", "{\"name\": .., \"parameters\": ..}"),
    ] {
        assert_eq!(unparsed_call(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn text_about_calls_is_no_warning() {
    for text in [
        "Hermes writes `<tool_call>` before each call.",
        "It is in `<tool_call>`, `</tool_call>`.",
        "{\"name\": \"Ada\", \"born\": 1815}",
        "{\"name\": \"Ada\", \"parameters\": 3}",
        "The [TOOL_CALLS] \"token\" is Mistral's.",
        "The [TOOL_CALLS] token is Mistral's.",
        "Use <tool_call> before each call.",
        "Hello!",
    ] {
        assert_eq!(unparsed_call(text), None, "{text}");
    }
}

#[test]
fn the_warning_names_the_server_settings() {
    let found = warnings(json!({"content": "<tool_call>{}"}));
    let text = found[0].to_string();
    assert!(text.contains("<tool_call>") && text.contains("--enable-auto-tool-choice"), "{text}");
}

#[test]
fn dropped_reasoning_is_in_the_report_of_the_request() {
    let dropped = |keep: bool, message: Value| -> Vec<String> {
        let reply: AssistantMessage = serde_json::from_value(message).expect("it is read");
        let messages = [Message::user("Hello!"), reply.into()];
        let wire = ChatCompletions::new().keep_reasoning(keep);
        let body = wire.write(&RequestParts::new(&messages)).expect("it is written");
        body.report().dropped.iter().map(ToString::to_string).collect()
    };
    let calls = json!([{"id": "a", "function": {"name": "now", "arguments": "{}"}}]);
    let with_reasoning = json!({"content": null, "reasoning_content": "Hm.", "tool_calls": calls});
    assert_eq!(dropped(false, with_reasoning.clone()), ["messages[1]: dropped reasoning_content"]);
    assert!(dropped(true, with_reasoning).is_empty());
    let signed = json!({"content": null, "tool_calls": [
        {"id": "a", "function": {"name": "now", "arguments": "{}"}, "extra_content": {"google": {"thought_signature": "s"}}},
    ]});
    assert_eq!(dropped(false, signed.clone()), ["messages[1]: dropped extra_content"]);
    assert!(dropped(true, signed).is_empty());
    let without_reasoning = json!({
        "content": null, "reasoning_content": "", "reasoning": null, "reasoning_details": [], "tool_calls": calls,
    });
    assert!(dropped(false, without_reasoning).is_empty());
}

#[test]
fn a_truncated_or_empty_answer_is_a_warning() {
    let choice = json!({"finish_reason": "length", "message": {"content": "It is"}});
    assert_eq!(warnings(choice), [ReplyWarning::Truncated]);
    let choice = json!({"finish_reason": "length", "message": {"content": "", "reasoning_content": "Hm"}});
    assert_eq!(warnings(choice), [ReplyWarning::Truncated, ReplyWarning::Empty]);
    assert_eq!(warnings(json!({"content": null})), [ReplyWarning::Empty]);
    assert_eq!(warnings(json!({"content": null, "refusal": "I cannot."})), []);
}

#[test]
fn each_kind_of_warning_is_reported_once() {
    let mut chat = Conversation::new();
    for content in [json!(null), json!(""), json!("<tool_call>{}"), json!("[TOOL_CALLS][]")] {
        let reply = serde_json::from_value(json!({ "content": content })).expect("it is read");
        let Received::Answer(next) = chat.user("Hello!").receive(reply) else { panic!("it calls nothing") };
        chat = next;
    }
    assert!(matches!(
        chat.warnings(),
        [ReplyWarning::Empty, ReplyWarning::UnparsedCalls { words, .. }] if words == "<tool_call>"
    ));
}
