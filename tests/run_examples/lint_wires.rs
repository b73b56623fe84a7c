//! The lint example on each wire: what it detects, reports, repairs and rejects.

mod histories;

use crate::process::{self, stderr, stdout};
use histories::{HISTORIES, Histories};
use serde_json::{Value, json};
use std::process::Output;
use tool_runtime::{history, wire};
use tool_runtime_testing::check_request;

fn lint(arguments: &[&str], input: &str) -> Output {
    process::run("lint", arguments, input, &[])
}

/// The text of an array with these elements.
fn array(parts: &[&[&str]]) -> String {
    let elements: Vec<&str> = parts.iter().flat_map(|part| part.iter().copied()).collect();
    format!("[\n  {}\n]", elements.join(",\n  "))
}

impl Histories {
    fn request(&self, array: &str) -> String {
        [self.before, array, self.after].concat()
    }

    /// Repairs a broken array, alone and in a request, and returns the report and the repaired elements.
    fn repair(&self, array: &str) -> (String, Vec<Value>) {
        let output = lint(&["--repair"], &self.request(array));
        assert_eq!(output.status.code(), Some(1), "{}: {}", self.wire, stderr(&output));
        let (report, text) = (stderr(&output), stdout(&output));
        assert!(text.starts_with(self.before) && text.ends_with(&format!("{}\n", self.after)), "{text}");
        let repaired = &text[self.before.len()..text.len() - self.after.len() - 1];
        let alone = lint(&["--repair", "--wire", self.wire, "-"], array);
        assert_eq!((stdout(&alone).trim_end(), stderr(&alone)), (repaired, report.clone()), "{}", self.wire);

        let wire = wire::by_name(self.wire).expect("there is such a wire");
        assert_eq!(wire::detect(repaired), Some(self.wire));
        let messages = wire.read_messages(&text).expect("it is of the same wire");
        assert_eq!(history::validate(&messages), Ok(()), "{repaired}");
        let request: Value = serde_json::from_str(&text).expect("a request is JSON");
        assert_eq!(check_request(&wire, &request), Ok(()), "{repaired}");
        let again = lint(&["--repair"], &text);
        assert_eq!((stdout(&again), again.status.code()), (text.clone(), Some(0)), "{}", self.wire);
        (report, serde_json::from_str(repaired).expect("an array"))
    }
}

fn parsed(elements: &[&str]) -> Vec<Value> {
    elements.iter().map(|element| serde_json::from_str(element).expect("it is JSON")).collect()
}

#[test]
fn a_valid_history_of_each_wire_is_detected_and_comes_back_unchanged() {
    for histories in &HISTORIES {
        let array = array(&[&[histories.question], histories.reply, histories.results, &[histories.thanks]]);
        let count = 2 + histories.reply.len() + histories.results.len();
        for input in [histories.request(&array), array] {
            let output = lint(&["--repair"], &input);
            assert_eq!(stdout(&output), format!("{input}\n"), "{}", histories.wire);
            let report = format!("No violations. Wire: {}; {}: {count}.\n", histories.wire, histories.unit);
            assert_eq!((stderr(&output), output.status.code()), (report, Some(0)));
        }
    }
}

#[test]
fn a_missing_result_is_added_with_the_rest_unchanged() {
    for histories in &HISTORIES {
        let (report, repaired) = histories.repair(&array(&[
            &[histories.question],
            histories.reply,
            &[histories.result],
            &[histories.thanks],
        ]));
        let lines: Vec<&str> = report.lines().collect();
        let place = format!("{}[1]", histories.field);
        let id = "call_b";
        assert_eq!(lines[0], format!("{place}: a tool call without a tool message ({id})"));
        assert_eq!(lines[1], histories.errors[0], "{}", histories.wire);
        let repair = format!(
            "    repair: {place}: the call {id} had no tool message: added one that reports a lost result"
        );
        assert_eq!(lines[2], repair);
        let count = 3 + histories.reply.len();
        let last =
            format!("Violations: 1; warnings: 0; wire: {}; {}: {count}.", histories.wire, histories.unit);
        assert_eq!(lines[3..], [last]);
        assert!(json!(repaired).to_string().contains("the result of this call was lost"), "{repaired:?}");
        let kept = parsed(&[&[histories.question], histories.reply].concat());
        assert_eq!(repaired[..kept.len()], kept);
        assert_eq!(repaired.last(), parsed(&[histories.thanks]).last());
    }
}

#[test]
fn results_without_a_call_and_second_results_are_removed() {
    for histories in &HISTORIES {
        let array = array(&[
            &[histories.question, histories.orphan],
            histories.reply,
            histories.results,
            &[histories.result, histories.thanks],
        ]);
        let (report, repaired) = histories.repair(&array);
        assert_eq!(report.matches("had no open call: removed").count(), 2, "{report}");
        let orphan =
            format!("{}[1]: a tool message without tool calls before it (call_x)\n", histories.field);
        assert!(report.contains(&(orphan + histories.errors[1])), "{report}");
        assert!(report.contains(histories.errors[2]), "{report}");
        let kept: Vec<&str> =
            [&[histories.question], histories.reply, histories.results, &[histories.thanks]].concat();
        assert_eq!(repaired, parsed(&kept), "{}", histories.wire);
    }
}

#[test]
fn a_result_after_another_message_moves_to_its_call() {
    for histories in &HISTORIES {
        let parts: [&[&str]; 4] =
            [&[histories.question], histories.reply, &[histories.thanks], histories.results];
        let (report, repaired) = histories.repair(&array(&parts));
        let (reply, results) = (1, 2 + histories.reply.len());
        let moved = format!(
            "    repair: {0}[{results}]: the tool message call_a was moved after its call in {0}[{reply}]",
            histories.field
        );
        assert!(report.lines().any(|line| line == moved), "{report}");
        let between = format!("{}[{}]: another message between", histories.field, results - 1);
        assert!(report.contains(&between), "{report}");
        assert_eq!(repaired.last(), parsed(&[histories.thanks]).last());
        let text = json!(repaired).to_string();
        assert_eq!((text.matches("\"1\"").count(), text.matches("\"2\"").count()), (1, 1), "{text}");
    }
}

#[test]
fn ids_that_a_provider_rejects_are_a_warning_with_its_error() {
    let call = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]});
    let result = |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "1"}]});
    let array = json!([result("x"), call("a"), result("a"), call("a"), result("a")]).to_string();
    let output = lint(&["--wire=anthropic", "--repair"], &array);
    let warnings: Vec<String> =
        stderr(&output).lines().skip_while(|line| !line.starts_with("warning")).map(str::to_owned).collect();
    assert_eq!(
        warnings,
        [
            "warning: messages[3]: an id that a call of an earlier reply also has (a)",
            "    Anthropic error: `tool_use` ids must be unique",
            "Violations: 1; warnings: 1; wire: anthropic; messages: 5.",
        ]
    );
    // Anthropic accepts it in later replies, so the repair keeps the id.
    let repaired = stdout(&lint(&[], &stdout(&output)));
    assert!(repaired.ends_with("Violations: 0; warnings: 1; wire: anthropic; messages: 4.\n"), "{repaired}");
}

#[test]
fn messages_that_only_the_provider_rejects_are_written_anew() {
    let histories = &HISTORIES[1];
    let results = r#"{"role":"user","content":[{"type":"text","text":"Here."},{"type":"tool_result","tool_use_id":"call_a"},{"type":"tool_result","tool_use_id":"call_b"}]}"#;
    let input = histories.request(&array(&[&[histories.question], histories.reply, &[results]]));
    let output = lint(&["--repair"], &input);
    assert!(
        stderr(&output).starts_with("warning: the provider rejects the history: messages.1: `tool_use` ids")
    );
    assert_eq!(output.status.code(), Some(1));
    let again = lint(&[], &stdout(&output));
    assert_eq!(stdout(&again), "No violations. Wire: anthropic; messages: 3.\n");
    assert_eq!(again.status.code(), Some(0));
    assert!(stdout(&output).contains("Here."), "{}", stdout(&output));
}

#[test]
fn a_history_of_ollama_without_ids_keeps_its_text() {
    let call = r#"{"function":{"name":"f","arguments":{}}}"#;
    let reply = format!(r#"{{"role":"assistant","content":"","tool_calls":[{call},{call}]}}"#);
    let result = r#"{"role":"tool","content":"1"}"#;
    let input = format!("[{reply},{result},{result}]");
    let output = lint(&["--repair"], &input);
    assert_eq!((stdout(&output), output.status.code()), (format!("{input}\n"), Some(0)));
    assert_eq!(stderr(&output), "No violations. Wire: ollama; messages: 3.\n");

    let output = lint(&["--repair"], &format!("[{reply},{result}]"));
    let lost = "a tool call without a tool message (call_2)";
    assert!(stderr(&output).starts_with(&format!("messages[0]: {lost}")), "{}", stderr(&output));
    let again = lint(&[], &stdout(&output));
    assert_eq!(stdout(&again), "No violations. Wire: ollama; messages: 3.\n");
}

#[test]
fn results_for_an_earlier_response_of_the_server_are_valid() {
    for (wire, id) in
        [("responses", "previous_response_id"), ("gemini_interactions", "previous_interaction_id")]
    {
        let histories = HISTORIES.iter().find(|histories| histories.wire == wire).expect("it is there");
        let array = array(&[histories.results, &[histories.thanks]]);
        let request = format!(r#"{{"{id}": "earlier_1", "input": {array}}}"#);
        let output = lint(&["--repair"], &request);
        assert_eq!(
            (stdout(&output), output.status.code()),
            (format!("{request}\n"), Some(0)),
            "{}",
            stderr(&output)
        );
        assert_eq!(lint(&[], &array).status.code(), Some(1), "without the response, they have no calls");
    }
}

#[test]
fn the_input_of_a_request_may_be_text() {
    for (request, wire, unit) in [
        (r#"{"input": "Hello!", "model": "m"}"#, "responses", "items"),
        (
            r#"{"system_instruction": "Be brief.", "input": "Hello!", "model": "m"}"#,
            "gemini_interactions",
            "steps",
        ),
    ] {
        let output = lint(&["--repair"], request);
        assert_eq!(stdout(&output), format!("{request}\n"));
        assert_eq!(stderr(&output), format!("No violations. Wire: {wire}; {unit}: 1.\n"));
    }
}

#[test]
fn plain_text_is_chat_completions_unless_another_wire_is_chosen() {
    let plain = r#"[{"role":"user","content":"?"},{"role":"assistant","content":"4"}]"#;
    for (arguments, wire, unit) in [
        (&[][..], "chat_completions", "messages"),
        (&["--wire", "anthropic"], "anthropic", "messages"),
        (&["--wire=responses"], "responses", "items"),
    ] {
        let output = lint(arguments, plain);
        assert_eq!(stdout(&output), format!("No violations. Wire: {wire}; {unit}: 2.\n"));
    }
}

#[test]
fn invalid_input_is_a_clear_error() {
    const EXPECTED: &str = "expected a request with `messages`, `input` or `contents`, or only that array";
    let wires = "use one of `chat_completions`, `anthropic`, `gemini_interactions`, `responses`, `gemini`, `ollama`, `bedrock`";
    let message = r#"{"role":"user","content":"?"}"#;
    for (arguments, input, error) in [
        (&[][..], "", format!("standard input is empty; {EXPECTED}")),
        (&[], " \n", format!("standard input is empty; {EXPECTED}")),
        (&[], "hello", format!("this is not JSON: expected value at line 1 column 1; {EXPECTED}")),
        (&[], "[{\"role\":", format!("this is not JSON: EOF while parsing a value at line 1 column 9; {EXPECTED}")),
        (&[], "7", format!("this is JSON, but neither an array nor an object; {EXPECTED}")),
        (&[], "{\"model\":\"m\"}", format!("this is an object without `messages`; {EXPECTED}")),
        (&[], "{\"messages\":{}}", format!("`messages` is not an array; {EXPECTED}")),
        (&[], "{\"input\":{}}", format!("`input` is not an array; {EXPECTED}")),
        (
            &[],
            &format!("[{message},7]"),
            "messages[1] cannot be read: expected the messages of a request of Chat Completions: invalid type: integer \
             `7`, expected a message"
                .to_owned(),
        ),
        (
            &[],
            "[{\"content\":\"?\"}]",
            "messages[0] cannot be read: expected the messages of a request of Chat Completions: missing field `role`"
                .to_owned(),
        ),
        (
            &[],
            r#"{"contents":[{"parts":[{"text":"?"}]},{"role":"user"}]}"#,
            "contents[1] cannot be read: expected the contents of a request of the Gemini API: a content without `parts`"
                .to_owned(),
        ),
        (
            &[],
            r#"{"messages":[{"role":"user","content":[{"toolResult":{}}]}]}"#,
            "messages[0] cannot be read: expected the messages of a request of Amazon's Converse API: a `toolResult` without \
             `toolUseId`"
                .to_owned(),
        ),
        (
            &[],
            r#"{"input":[{"type":"user_input","content":"?"},{"type":"function_result","result":"1"}]}"#,
            "input[1] cannot be read: expected the input of a request of Gemini's Interactions API: a `function_result` without \
             `call_id`"
                .to_owned(),
        ),
        (&["--wire", "gopher"], "[]", format!("there is no wire `gopher`: {wires}")),
        (
            &["--wire", "gemini"],
            &format!("[{message}]"),
            "contents[0] is not in the format of `gemini`: use --wire chat_completions".to_owned(),
        ),
        (
            &["--wire", "anthropic"],
            r#"{"contents":[]}"#,
            "this has no `messages`, which the wire `anthropic` reads: it looks like `gemini`".to_owned(),
        ),
    ] {
        let output = lint(arguments, input);
        assert_eq!(stderr(&output), format!("Error: {error}\n"), "{input}");
        assert_eq!(stdout(&output), "");
        assert_eq!(output.status.code(), Some(2), "{input}");
    }
    for (arguments, beginning) in [
        (&["there/is/no/such.json"][..], "Error: cannot read there/is/no/such.json: "),
        (&["--fix"], "Error: unknown option --fix; usage: lint"),
        (&["--wire"], "Error: --wire needs a name; usage: lint"),
        (&["a.json", "b.json"], "Error: one file at a time; usage: lint"),
    ] {
        let output = lint(arguments, "");
        assert!(stderr(&output).starts_with(beginning), "{}", stderr(&output));
        assert_eq!((stderr(&output).lines().count(), output.status.code()), (1, Some(2)));
    }
}
