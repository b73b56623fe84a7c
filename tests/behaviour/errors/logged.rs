//! Errors that quote text of a model or a server, as a program writes them to a log.

use tool_runtime::conversation::{NotPendingError, ReplyWarning};
use tool_runtime::message::Message;
use tool_runtime::session::Session;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{self, ChatCompletions, Wire};
use tool_runtime::{AssistantMessage, Conversation, DynamicTool, Registry, ToolCall, ToolMessage, history};
use tool_runtime_repair::repair;

const FORGED: &str = "no\r\nINFO all is well\u{1b}[2K\u{9b}\u{85}\u{2028}\u{2029}\u{202e}\u{2066}";

fn pending_error(id: &str) -> NotPendingError {
    let reply = AssistantMessage::from_tool_calls([ToolCall::new(id, "now", "{}")]);
    let received = Conversation::new().user("Go on.").receive(reply);
    let tool_runtime::conversation::Received::ToolCalls(mut pending) = received else {
        unreachable!("it calls")
    };
    pending.approve(&id.repeat(2)).expect_err("another id")
}

fn malformed_call(message: &str) -> String {
    let warning = serde_json::json!({"kind": "malformed_call", "message": message});
    serde_json::from_value::<ReplyWarning>(warning).expect("a warning").to_string()
}

/// The texts of errors, warnings and repairs that quote this text.
fn errors(text: &str) -> Vec<String> {
    let json = serde_json::to_string(text).expect("a string");
    let messages = vec![
        Message::user("Go on."),
        AssistantMessage::from_tool_calls([ToolCall::new(text, "now", "{}")]).into(),
        ToolMessage::new(text.repeat(2), "12:00").into(),
    ];
    let unordered = serde_json::json!({"version": text, "messages": []});
    let mut stored = serde_json::to_value(Session::new()).expect("it is stored");
    let call = serde_json::json!({"id": text, "name": "now", "arguments": "{}"});
    let result = serde_json::json!({"result": {"tool_call_id": "b", "content": ""}});
    stored["pending"] =
        serde_json::json!({"reply": {"tool_calls": [call]}, "calls": [result], "within_limit": 0});
    let mut unknown_warning = serde_json::to_value(Session::new()).expect("it is stored");
    unknown_warning["warnings"] = serde_json::json!([{"kind": text}]);
    let mut unknown_role = serde_json::to_value(Session::new()).expect("it is stored");
    unknown_role["messages"] = serde_json::json!([{"role": text, "content": "a"}]);
    let with_unknown_role = unknown_role["messages"].to_string();
    let named =
        DynamicTool::new(text, "", serde_json::json!({"type": "object"}), |_| async { Ok::<_, String>(()) });
    let mut assembler = ReplyAssembler::new();
    assembler.push(format!(r#"{{"error":{{"message":{json}}}}}"#));
    let failed = assembler.into_reply().expect_err("an error");
    let chat_completions = ChatCompletions::new();
    let mut errors = vec![
        pending_error(text).to_string(),
        history::validate(&messages).expect_err("invalid").to_string(),
        serde_json::from_value::<Session>(unordered).expect_err("a version").to_string(),
        serde_json::from_value::<Session>(stored).expect_err("another id").to_string(),
        serde_json::from_value::<Session>(unknown_warning).expect_err("a kind").to_string(),
        serde_json::from_str::<Session>(&unknown_role.to_string()).expect_err("a role").to_string(),
        serde_json::from_str::<Conversation>(&with_unknown_role).expect_err("a role").to_string(),
        wire::by_name(text).expect_err("a name").to_string(),
        malformed_call(text),
        Registry::builder().dynamic(named).build().expect_err("a name").to_string(),
        failed.to_string(),
        chat_completions
            .read_reply(&format!(r#"{{"error":{{"message":{json}}}}}"#))
            .expect_err("an error")
            .to_string(),
        chat_completions.read_reply(text).expect_err("an error").to_string(),
    ];
    errors.extend(repair(messages).1.iter().map(ToString::to_string));
    errors
}

#[test]
fn no_quoted_text_forges_a_line_of_a_log() {
    let errors = errors(FORGED);
    assert!(errors.len() > 9, "{errors:#?}");
    for error in errors {
        assert!(error.contains("INFO all is well"), "{error:?}");
        let is_unsafe = |letter: char| {
            letter.is_control() || ('\u{2028}'..='\u{202e}').contains(&letter) || letter == '\u{2066}'
        };
        assert!(!error.contains(is_unsafe), "{error:?}");
    }
}

#[test]
fn a_long_quoted_text_is_truncated() {
    for error in errors(&"a".repeat(1 << 20)) {
        assert!(error.len() < 20_000, "{}: {}", error.len(), &error[..100]);
    }
}

#[test]
fn ordinary_texts_are_quoted_as_they_are() {
    let error = pending_error("call_1").to_string();
    assert_eq!(error, "no pending call has the id `call_1call_1`: the pending calls are `call_1`");
    let error = malformed_call(r#"C:\n "é" 東"#);
    assert!(error.ends_with(r#": C:\n "é" 東"#), "{error}");
}
