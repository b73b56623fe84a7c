//! Breakpoints of the prompt cache, and the prefix that consecutive requests share.

use crate::{json, list};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::conversation::ReplyWarning;
use tool_runtime::history::TrimBudget;
use tool_runtime::message::Message;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::wire::{
    Anthropic, Bedrock, Cache, ChatCompletions, Gemini, GeminiInteractions, Ollama, PrefixChange, Responses,
    Wire,
};
use tool_runtime::{
    AssistantMessage, DynamicTool, Registry, Session, ToolCall, ToolChoice, ToolMessage, tool, tools,
};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_cache_stable, check_request};

/// Reads a file.
#[tool(read_only)]
fn read_file(path: &str) -> String {
    format!("the content of {path}, which is some text for a model")
}

/// Counts the lines of a file.
#[tool(read_only)]
fn count_lines(path: &str) -> usize {
    path.len()
}

pub(crate) fn registry() -> Registry {
    Registry::new(tools![read_file, count_lines]).expect("two tools")
}

pub(crate) fn wires() -> Vec<Arc<dyn Wire>> {
    let cache = Cache::new().tools().system().newest_messages(2);
    vec![
        Arc::new(ChatCompletions::new()),
        Arc::new(Anthropic::new().cache(cache)),
        Arc::new(Bedrock::new().cache(cache)),
        Arc::new(Gemini::new()),
        Arc::new(GeminiInteractions::new().store(false)),
        Arc::new(Ollama::new()),
        Arc::new(Responses::new().store(false)),
    ]
}

/// A model with this number of replies; all but the last one call a tool.
pub(crate) fn model(replies: usize) -> ScriptedModel {
    let call = |number: usize| {
        let arguments = json!({ "path": format!("src/{number}.rs") }).to_string();
        AssistantMessage::from_tool_calls(vec![ToolCall::new(
            format!("call_{number}"),
            "read_file",
            arguments,
        )])
    };
    let calls = (1..replies).map(call).map(ScriptedReply::from);
    ScriptedModel::new(calls.chain([AssistantMessage::from_text("Done.").into()]))
}

/// The smallest share of the bytes of a request with which the next one begins, in the order in which the provider caches them.
#[expect(clippy::cast_precision_loss, reason = "a request has far less than 2^52 bytes")]
fn shared_bytes(wire: &str, requests: &[Value]) -> f64 {
    let order: &[&str] = match wire {
        "anthropic" => &["tools", "system", "messages"],
        "bedrock" => &["toolConfig", "system", "messages"],
        "gemini" => &["tools", "systemInstruction", "contents"],
        "gemini_interactions" => &["tools", "system_instruction", "input"],
        "responses" => &["tools", "instructions", "input"],
        _ => &["tools", "messages"],
    };
    let text = |request: &Value| -> String {
        let parts = order.iter().map(|field| request[field].to_string());
        let text = parts.collect::<String>();
        text.replace(r#","cache_control":{"type":"ephemeral"}"#, "")
            .replace(r#",{"cachePoint":{"type":"default"}}"#, "")
    };
    let texts: Vec<String> = requests.iter().map(text).collect();
    let shares = texts.windows(2).map(|pair| {
        let shared = pair[0].bytes().zip(pair[1].bytes()).take_while(|(old, new)| old == new).count();
        shared as f64 / pair[0].len() as f64
    });
    shares.fold(1.0, f64::min)
}

#[tokio::test]
async fn the_requests_of_forty_replies_share_their_prefix_on_each_wire() {
    for wire in wires() {
        let (registry, model) = (registry(), model(40));
        let mut session = Session::new().system("You read files.").user("Read all files.");
        let run = session.run(&registry).wire(Arc::clone(&wire)).max_replies(40).check_cache_prefix();
        let end = run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
        assert_eq!(end, RunEnd::Answered);
        assert_eq!(session.warnings(), [], "{}", wire.name());
        assert_cache_stable(&model);
        let requests = model.requests();
        assert_eq!(requests.len(), 40);
        let shared = shared_bytes(wire.name(), &requests);
        println!("{}: a request shares {:.2} % of the one before it at least", wire.name(), shared * 100.0);
        // All but the brackets at the end.
        assert!(shared > 0.99, "{}: {shared}", wire.name());
        for request in &requests {
            let marks = request.to_string().matches(r#""cache_control":{"#).count();
            let points = request.to_string().matches(r#""cachePoint":{"#).count();
            assert!(marks <= 4 && points <= 4, "{}", wire.name());
        }
    }
}

#[test]
fn anthropic_has_at_most_four_breakpoints() {
    let registry = registry();
    let mut messages = vec![Message::system("Be brief.")];
    for number in 0..6 {
        let id = format!("call_{number}");
        let call = ToolCall::new(&id, "read_file", r#"{"path":"a"}"#);
        messages.push(Message::user(format!("question {number}")));
        messages.push(AssistantMessage::from_tool_calls(vec![call]).into());
        messages.push(ToolMessage::new(id, "text").into());
        messages.push(AssistantMessage::from_text("answer").into());
    }
    messages.push(Message::user("the last question"));
    let parts = tool_runtime::wire::RequestParts::new(&messages).tools(registry.schemas());
    let marks = |wire: &Anthropic| -> Vec<String> {
        let body = json(&wire.write(&parts).expect("it is written"));
        assert_eq!(check_request(wire, &body), Ok(()));
        let mut marks = Vec::new();
        let mut find = |place: String, value: &Value| {
            if value["cache_control"].is_object() {
                marks.push(place);
            }
        };
        find("body".to_owned(), &body);
        for (field, elements) in [("tools", &body["tools"]), ("system", &body["system"])] {
            list(elements)
                .iter()
                .enumerate()
                .for_each(|(index, element)| find(format!("{field}[{index}]"), element));
        }
        for (index, message) in list(&body["messages"]).iter().enumerate() {
            for block in list(&message["content"]) {
                find(format!("messages[{index}]"), block);
            }
        }
        marks
    };
    let last = 24;
    let all = Cache::new().tools().system();
    assert_eq!(marks(&Anthropic::new()), [""; 0]);
    assert_eq!(
        marks(&Anthropic::new().cache(all.newest_messages(9))),
        [
            "tools[1]".to_owned(),
            "system[0]".to_owned(),
            format!("messages[{}]", last - 2),
            format!("messages[{last}]")
        ]
    );
    assert_eq!(marks(&Anthropic::new().cache(Cache::new().newest_messages(9))).len(), 4);
    assert_eq!(marks(&Anthropic::new().cache(all.automatic().newest_messages(9))).len(), 4);
    assert_eq!(marks(&Anthropic::new().cache(Cache::new().automatic())), ["body"]);
    let hour = json(&crate::write(&Anthropic::new().cache(Cache::new().system().one_hour()), &messages));
    assert_eq!(hour["system"][0]["cache_control"], json!({ "type": "ephemeral", "ttl": "1h" }));
}

#[test]
fn breakpoints_that_were_read_are_replaced() {
    let marked =
        |text: &str| json!([{ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }]);
    let body = json!({ "system": marked("Be brief."), "messages": [
        { "role": "user", "content": marked("1") },
        { "role": "assistant", "content": marked("2") },
        { "role": "user", "content": marked("3") },
        { "role": "assistant", "content": marked("4") },
        { "role": "user", "content": [{ "type": "text", "text": "5" }] },
    ] });
    let messages = Anthropic::new().read_messages(&body.to_string()).expect("it is read");
    let written = json(&crate::write(&Anthropic::new(), &messages));
    assert_eq!(written, body, "without a cache, they go back");
    let cached = json(&crate::write(&Anthropic::new().cache(Cache::new().newest_messages(1)), &messages));
    assert_eq!(cached.to_string().matches("cache_control").count(), 1);
    assert!(cached["messages"][4]["content"][0]["cache_control"].is_object());

    let point = json!({ "cachePoint": { "type": "default" } });
    let body = json!({ "system": [{ "text": "Be brief." }, point], "messages": [
        { "role": "user", "content": [{ "text": "1" }, point] },
        { "role": "assistant", "content": [{ "text": "2" }, point] },
        { "role": "user", "content": [{ "text": "3" }] },
    ] });
    let messages = Bedrock::new().read_messages(&body.to_string()).expect("it is read");
    assert_eq!(json(&crate::write(&Bedrock::new(), &messages)), body);
    let wire = Bedrock::new().cache(Cache::new().tools().system().newest_messages(1).one_hour());
    let parts = tool_runtime::wire::RequestParts::new(&messages);
    let registry = registry();
    let cached = json(&wire.write(&parts.tools(registry.schemas())).expect("it is written"));
    let point = json!({ "cachePoint": { "type": "default", "ttl": "1h" } });
    assert_eq!(cached["toolConfig"]["tools"][2], point);
    assert_eq!(cached["system"], json!([{ "text": "Be brief." }, point]));
    assert_eq!(cached["messages"][2]["content"], json!([{ "text": "3" }, point]));
    assert_eq!(cached.to_string().matches("cachePoint").count(), 3);
}

#[tokio::test]
#[should_panic(
    expected = "request 2 loses the prompt cache of request 1: the tool `clock` was added at `/tools/0`"
)]
async fn the_assertion_names_the_request_and_the_change() {
    let model = model(2);
    let mut session = Session::new().user("Read all files.");
    let run = session.run(&registry()).max_requests(1);
    let _ = run_model(run.complete(|request| model.complete(request)).await);
    let clock = DynamicTool::new("clock", "The time.", Value::Null, |_| async { Ok::<_, String>("12:00") });
    let registry =
        Registry::builder().tools(tools![read_file, count_lines]).dynamic(clock).build().expect("valid");
    let _ = run_model(session.run(&registry).complete(|request| model.complete(request)).await);
    assert_cache_stable(&model);
}

fn run_model<T, E: std::fmt::Debug>(end: Result<T, E>) -> T {
    end.expect("the requests are accepted")
}

#[tokio::test]
async fn a_run_warns_about_a_lost_cache_when_the_program_asks() {
    // A changed list of an MCP server, merged registries and trimming.
    let tool = |name: &str| DynamicTool::new(name, "", Value::Null, |_| async { Ok::<_, String>("") });
    let merged = registry().merge(Registry::builder().dynamic(tool("listed")).build().expect("valid"));
    let merged = run_model(merged);
    for is_checked in [false, true] {
        let model = model(4);
        let mut session = Session::new().user("Read all files.");
        let mut events = Vec::new();
        for (number, registry) in [registry(), registry(), merged.clone()].iter().enumerate() {
            let run = session.run(registry).max_requests(1);
            let run = if is_checked { run.check_cache_prefix() } else { run };
            let run = run.on_event(|event| {
                if let Event::Warning { warning, .. } = event {
                    events.push((number, warning.clone()));
                }
            });
            let _ = run_model(run.complete(|request| model.complete(request)).await);
        }
        let changed: Vec<_> = events
            .iter()
            .map(|(number, warning)| match warning {
                ReplyWarning::CachePrefixChanged { change, .. } => (*number, change.tool.as_deref()),
                other => panic!("{other}"),
            })
            .collect();
        let expected = if is_checked { vec![(2, Some("listed"))] } else { Vec::new() };
        assert_eq!(changed, expected);
        let warnings: Vec<String> = session.warnings().iter().map(ToString::to_string).collect();
        let text =
            "the prompt cache of the request before is lost: the tool `listed` was added at `/tools/1`";
        assert_eq!(warnings, if is_checked { vec![text] } else { Vec::new() });
    }
}

#[tokio::test]
async fn trimming_to_a_lower_mark_loses_the_cache_rarely() {
    let (registry, model) = (registry(), model(40));
    let mut session = Session::new().system("You read files.").user("Read all files.");
    let count = |message: &Message| message.text().len() + 40;
    let size = |session: &Session| session.messages().iter().map(count).sum::<usize>();
    let mut trimmed = 0;
    loop {
        let run = session.run(&registry).max_requests(1).max_replies(40);
        if run_model(run.complete(|request| model.complete(request)).await) == RunEnd::Answered {
            break;
        }
        // Above the upper mark, down to the lower one.
        if size(&session) > 2_000 {
            let _ = session.trim(&TrimBudget::max_tokens(800, count).keep_newest_exchange(false));
            trimmed += 1;
        }
    }
    let requests = model.requests();
    let is_lost = |pair: &&[Value]| PrefixChange::between("chat_completions", &pair[0], &pair[1]).is_some();
    let lost = requests.windows(2).filter(is_lost).count();
    println!("{lost} of 39 requests lose the cache after {trimmed} trims");
    assert!(trimmed > 0 && lost == trimmed && lost <= 6, "{lost} {trimmed}");
}

#[tokio::test]
async fn a_forced_call_loses_the_cache_of_anthropic() {
    let (registry, model) = (registry(), model(3));
    let mut session = Session::new().user("Read all files.");
    let mut number = 0;
    let run = session.run(&registry).wire(Anthropic::new()).check_cache_prefix().map_request(|request| {
        number += 1;
        if number == 2 { request.tool_choice(ToolChoice::Required) } else { request }
    });
    let _ = run_model(run.complete(|request| model.complete(request)).await);
    let lost: Vec<String> = session
        .warnings()
        .iter()
        .filter_map(|warning| match warning {
            ReplyWarning::CachePrefixChanged { change, .. } => Some(change.place.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(lost, ["/tool_choice"]);
}

/// The answer of a run.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Count {
    lines: u32,
}

#[tokio::test]
async fn a_typed_answer_loses_the_cache_at_its_first_request_only() {
    for wire in wires() {
        let registry = registry();
        let call = ToolCall::new("call_1", "read_file", r#"{"path":"a"}"#);
        let model = ScriptedModel::new([
            AssistantMessage::from_text("Hello."),
            AssistantMessage::from_tool_calls(vec![call]),
            AssistantMessage::from_text(r#"{"lines":"7"}"#),
            AssistantMessage::from_text(r#"{"lines":7}"#),
        ]);
        let mut session = Session::new().user("Hi.");
        let run = session.run(&registry).wire(Arc::clone(&wire)).check_cache_prefix();
        let _ = run_model(run.complete(|request| model.complete(request)).await);
        session.push_user("Count.");
        let run = session.run(&registry).wire(Arc::clone(&wire)).check_cache_prefix().answer_as::<Count>();
        let end = run_model(run.complete(|request| model.complete(request)).await);
        assert_eq!(end.into_answer().map(|count| count.lines), Some(7));
        let is_lost = |warning: &&ReplyWarning| matches!(warning, ReplyWarning::CachePrefixChanged { .. });
        let lost: Vec<String> = session.warnings().iter().filter(is_lost).map(ToString::to_string).collect();
        // On Gemini and Ollama, the server only constrains the answer.
        assert!(lost.len() <= 1, "{}: {lost:?}", wire.name());
        if matches!(wire.name(), "anthropic" | "responses") {
            assert_eq!(lost.len(), 1, "{}: {lost:?}", wire.name());
        }
    }
}
