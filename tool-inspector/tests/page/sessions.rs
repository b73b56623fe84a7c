//! The stored sessions of the program, and its live run.

use crate::hostile::{INVISIBLE, SCRIPT, long_line};
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::message::{Message, Usage};
use tool_runtime::session::HookFuture;
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, ToolMessage, message};
use tool_runtime_inspector::{LiveRuns, SessionEntry, SessionSource};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// Sessions by id.
pub(crate) struct TestSessions(BTreeMap<&'static str, String>);

impl TestSessions {
    pub(crate) async fn new(registry: &Registry, messages: usize) -> Result<Self, Box<dyn Error>> {
        let mut sessions = BTreeMap::new();
        sessions.insert("booking", booking(registry).await?);
        sessions.insert("hostile", stored(&hostile())?);
        sessions.insert("invalid", INVALID.to_owned());
        if messages > 0 {
            sessions.insert("long", stored(&long(messages))?);
        }
        Ok(TestSessions(sessions))
    }
}

impl SessionSource for TestSessions {
    fn list(&self) -> HookFuture<'_, Vec<SessionEntry>> {
        let entries = self.0.iter().map(|(id, text)| {
            SessionEntry::new(*id)
                .title(format!("The {id} session {SCRIPT}"))
                .detail(format!("{} bytes", text.len()))
        });
        let entries = entries.collect();
        Box::pin(async { Ok(entries) })
    }

    fn load<'a>(&'a self, id: &'a str) -> HookFuture<'a, Option<String>> {
        Box::pin(async move { Ok(self.0.get(id).cloned()) })
    }
}

fn stored(messages: &[Message]) -> Result<String, Box<dyn Error>> {
    let mut text = Vec::new();
    message::stored::serialize(messages, &mut serde_json::Serializer::new(&mut text))?;
    Ok(String::from_utf8(text)?)
}

fn call(id: &str, tool: &str, arguments: &str) -> ToolCall {
    ToolCall::new(id, tool, arguments)
}

fn usage(input: u64, cached: u64, output: u64) -> Usage {
    let mut usage = Usage::new(input, output);
    usage.cached_input_tokens = cached;
    usage
}

const BOOKING: &str =
    r#"{"traveller":{"name":"Ada","age":36,"seat":"window"},"ticket":{"kind":"single","date":"2026-12-01"}}"#;

fn model() -> ScriptedModel {
    let weather = |id: &str, arguments: &str| call(id, "get_weather", arguments);
    ScriptedModel::new([
        AssistantMessage::from_tool_calls([
            weather("a", r#"{"city":"Vienna","day":3}"#),
            weather("b", r#"{"city":"Atlantis"}"#),
            call("c", "tag_page", r#"{"page":"trip","tags":{"to":"Graz"}}"#),
        ])
        .with_usage(usage(1_000, 0, 60)),
        AssistantMessage::from_tool_calls([weather("d", r#"{"city":"Vienna","days":3}"#)])
            .with_usage(usage(1_400, 990, 20)),
        AssistantMessage::from_tool_calls([call("e", "book", BOOKING), call("f", "export", "{}")])
            .with_usage(usage(1_500, 0, 40)),
    ])
}

/// A session that waits for an approval and for a result.
async fn booking(registry: &Registry) -> Result<String, Box<dyn Error>> {
    let model = model();
    let mut session = Session::new().system("You book trains.").user("Book a train to Graz for Ada (36).");
    let end = session.run(registry).complete(|request: Request| model.complete(request)).await?;
    assert_eq!(end.to_string(), "calls need an approval");
    Ok(serde_json::to_string(&session)?)
}

fn hostile() -> Vec<Message> {
    let calls = [call(SCRIPT, SCRIPT, &format!("{{\"{SCRIPT}")), call("2", INVISIBLE, INVISIBLE)];
    vec![
        Message::system(SCRIPT),
        Message::user(format!("{INVISIBLE}\n{}", long_line())),
        AssistantMessage::from_tool_calls(calls).into(),
        ToolMessage::new(SCRIPT, SCRIPT).into(),
        ToolMessage::error("2", INVISIBLE).into(),
        Message::assistant(format!("[click](javascript:alert(1)) {SCRIPT}")),
    ]
}

/// A request with each kind of violation that a browser test looks for.
const INVALID: &str = r#"{"model":"m","messages":[
    {"role":"user","content":"What time is it?"},
    {"role":"assistant","tool_calls":[{"id":"call_1","type":"function","function":{"name":"now","arguments":"{}"}}]},
    {"role":"user","content":"Hello?"},
    {"role":"tool","tool_call_id":"call_9","content":"12:00"}]}"#;

/// A session of this many messages, with an error in each hundredth call.
fn long(messages: usize) -> Vec<Message> {
    let mut list = vec![Message::user("Count.")];
    for number in 0..messages.saturating_sub(2) / 2 {
        let id = format!("call_{number}");
        let text = format!("This is result {number}. {}", "It has some words. ".repeat(number % 30));
        let reply =
            AssistantMessage::from_tool_calls([call(&id, "count", &format!(r#"{{"steps":{number}}}"#))]);
        let tokens = 1_000 + number as u64 * 20;
        list.push(reply.with_usage(usage(tokens, tokens / 2, 20)).into());
        let result =
            if number % 100 == 99 { ToolMessage::error(id, text) } else { ToolMessage::new(id, text) };
        list.push(result.into());
    }
    list.push(Message::assistant("Done."));
    list
}

/// Starts a run that takes ten seconds, so that also a slow browser sees it before its end.
pub(crate) fn start_live_run(registry: &Registry, runs: &LiveRuns) {
    let (registry, runs) = (registry.clone(), runs.clone());
    tokio::spawn(async move {
        let recorder = runs.start(format!("A live run {SCRIPT}"));
        let model = ScriptedModel::new([
            ScriptedReply::from(AssistantMessage::from_tool_calls([
                call("1", "count", r#"{"steps":100}"#),
                call("2", "get_weather", r#"{"town":"Graz"}"#),
            ]))
            .with_delay(Duration::from_millis(300)),
            ScriptedReply::from(AssistantMessage::from_text("It was counted to 100."))
                .with_delay(Duration::from_millis(300)),
        ]);
        let mut session = Session::new().user("Count to 100.");
        let run = session.run(&registry).on_event(|event| recorder.record(event));
        if let Err(error) = run.stream(|request| model.stream(request)).await {
            eprintln!("the live run failed: {error}");
        }
    });
}
