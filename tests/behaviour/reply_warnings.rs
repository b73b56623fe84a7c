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
            let warnings = pending.conversation().warnings().to_vec();
            assert_eq!(pending.skip_calls("skipped").warnings(), warnings);
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
        "DeepSeek writes `<｜DSML｜tool_calls>` before its calls.",
        "```xml\n<invoke name=\"now\">\n</invoke>\n```\nThis is how Claude calls a tool.",
        "The tag \"<invoke name='now'>\" starts a call, and </invoke> ends it.",
        "A tag <invoke name=\"now\"> needs its end </invoke> in XML.",
        "The header is `commentary to=functions.now`, and then the arguments.",
        "gpt-oss writes commentary to=functions.now and then the arguments in JSON.",
        "DSML is a markup language: DSML tool calls are tags.",
        "Hello!",
    ] {
        assert_eq!(unparsed_call(text), None, "{text}");
    }
}

#[test]
fn calls_that_servers_left_in_the_text_are_warnings() {
    for (text, expected) in [
        // TokenRhythm/opensquilla#985, cline/cline#13348
        (
            "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"now\">\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
            "DSML",
        ),
        ("I look.\n\n<｜｜DSML｜｜function_calls>\n<｜｜DSML｜｜invoke name=\"now\">", "DSML"),
        ("<|DSML|invoke name=\"now\">", "DSML"),
        ("<‖DSML‖tool_calls>", "DSML"),
        ("< | DSML | tool_use>", "DSML"),
        ("<dsml:invoke name=\"now\">", "DSML"),
        ("<DSML tool_calls>", "DSML"),
        ("<｜DSML｜tool_calls\n<｜DSML｜invoke name=\"now\">", "DSML"),
        // anthropics/claude-code#71487
        (
            "I look.\n\ncourt\n<invoke name=\"now\">\n<parameter name=\"zone\">UTC</parameter>\n</invoke>\n",
            "<invoke name=",
        ),
        ("count<invoke name=\"mcp__clock__now\"></invoke></function_calls>", "<invoke name="),
        ("<function_calls><invoke name='now'><parameter name='zone'>UT", "<invoke name="),
        // ggml-org/llama.cpp#23838
        ("<|tool_call_start|>[now(zone=\"UTC\")]<|tool_call_end|>", "<|tool_call_start|>"),
        // raullenchai/Rapid-MLX#480, NousResearch/hermes-agent#35706
        (
            "commentary to=functions.now <|constrain|>json<|message|>{\"zone\":\"UTC\"}<|call|>",
            "to=functions.",
        ),
        ("<|start|>assistant to=functions.now<|channel|>commentary json<|message|>{}", "to=functions."),
        ("We need the time.assistantcommentary to=functions.now json{\"zone\":\"UTC\"}", "to=functions."),
        ("to=functions.now {\"zone\":\"UTC\"}", "to=functions."),
    ] {
        assert_eq!(unparsed_call(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn a_reply_without_the_calls_that_its_finish_reason_reports_is_a_warning() {
    // anthropics/claude-code#77061
    for reason in ["tool_use", "tool_calls"] {
        let choice = json!({"finish_reason": reason, "message": {"content": "I look it up."}});
        assert!(matches!(&*warnings(choice), [ReplyWarning::UnparsedCalls { words, .. }] if words == reason));
    }
    let calls = json!([{"id": "a", "function": {"name": "now", "arguments": "{}"}}]);
    assert_eq!(
        warnings(json!({"finish_reason": "tool_calls", "message": {"content": null, "tool_calls": calls}})),
        []
    );
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
