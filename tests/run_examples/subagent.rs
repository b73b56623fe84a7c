//! The subagent example: the events of both runs, and an inner run without an answer.

use crate::process::{self, stderr, stdout};
use crate::stub::{self, Received};
use serde_json::{Value, json};

#[test]
fn the_events_of_the_inner_run_are_indented() {
    let output = process::run("subagent", &[], "", &[]);
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let printed = stdout(&output);
    let (first, rest) = printed.split_once('\n').expect("there are lines");
    assert!(first.starts_with("Model: a scripted model"), "{first}");
    let answer =
        "The handbook writes: Everybody has 28 days of holidays a year. Unused days expire in March.";
    let expected = format!(
        r#"call_research calls research {{"question":"How many days of holidays are there, and when do they expire?"}}
    call_find calls find_pages {{"word":"holidays"}}
    call_find finished: {{"output":{{"text":"[\"holidays\"]","is_json":true}}}}
    call_page calls read_page {{"name":"holidays"}}
    call_other calls read_page {{"name":"calendar"}}
    call_page finished: {{"output":"Everybody has 28 days of holidays a year. Unused days expire in March."}}
    call_other finished: {{"error":{{"kind":"returned","message":"there is no page calendar; call `find_pages` first"}}}}
    text: {answer}
    the run has ended: answered
call_research finished: {{"output":"{answer}"}}
text: I looked it up. {answer}
the run has ended: answered

I looked it up. {answer}
"#
    );
    assert_eq!(rest, expected);
}

/// Always calls a tool, until the research has failed.
fn reply(request: &Value) -> Value {
    let is_inner = request["tools"].as_array().is_some_and(|tools| tools.len() == 2);
    let (name, arguments) = if is_inner {
        ("find_pages", json!({"word": "holidays"}))
    } else if request["messages"].as_array().is_some_and(|messages| messages.len() > 1) {
        return json!({"role": "assistant", "content": "I do not know."});
    } else {
        ("research", json!({"question": "How many?"}))
    };
    let function = json!({"name": name, "arguments": arguments.to_string()});
    json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": function}]})
}

#[tokio::test]
async fn an_inner_run_without_an_answer_is_an_error_of_its_call() {
    let received = Received::default();
    let output = stub::run_against("subagent", stub::completing(reply), received.clone(), "secret").await;
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    let requests = received.requests();
    assert_eq!(requests.len(), 1 + 8 + 1, "the inner run has its own limit of replies");
    let result = &requests[9]["messages"][2]["content"];
    assert_eq!(*result, "Error: the research has no answer: the limit of replies is reached");
    assert!(stdout(&output).contains("\n    the run has ended: reply_limit\n"), "{}", stdout(&output));
}
