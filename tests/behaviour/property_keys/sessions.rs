//! Sessions with Anthropic: everything that the program sees has the tool's keys, and the provider's blocks have its own.

use super::{echo, reply, reported};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tool_runtime::dispatch::{Decision, ReadyCall};
use tool_runtime::message::Message;
use tool_runtime::schemars::{self, JsonSchema};
use tool_runtime::session::{Event, RunEnd, RunLog, RunLogFuture, TypedEnd};
use tool_runtime::wire::{Anthropic, UseResponseFormat, Wire};
use tool_runtime::{AssistantMessage, DynamicTool, Registry, Session};
use tool_runtime_testing::ScriptedModel;

const WRITTEN: &str = r#"{"_.alt":"json","gr__e":1}"#;
const OWN: &str = r#"{"$.alt":"json","größe":1}"#;

/// Everything that sees the arguments of a call, in order.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn add(&self, place: &str, arguments: &str) {
        self.0.lock().expect("not poisoned").push(format!("{place} {arguments}"));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("not poisoned"))
    }
}

impl RunLog for Seen {
    fn find_reply<'a>(
        &'a self,
        _: &'a mut Session,
        _: &'a Registry,
    ) -> RunLogFuture<'a, Option<AssistantMessage>> {
        Box::pin(async { Ok(None) })
    }

    fn record_reply<'a>(
        &'a self,
        _: &'a Session,
        _: &'a Registry,
        reply: &'a AssistantMessage,
    ) -> RunLogFuture<'a, ()> {
        reply.tool_calls.iter().for_each(|call| self.add("log", &call.arguments));
        Box::pin(async { Ok(()) })
    }
}

fn registry(seen: &Seen, tool: DynamicTool) -> Registry {
    let (hook, layer) = (seen.clone(), seen.clone());
    let builder = Registry::builder().dynamic(tool).before_call(move |call| {
        hook.add("hook", call.arguments());
        async { Decision::Undecided }
    });
    let builder = builder.around_call(move |call: ReadyCall| {
        layer.add("middleware", call.arguments());
        async move { call.run().await }
    });
    builder.build().expect("one tool")
}

fn model(replies: Vec<AssistantMessage>) -> ScriptedModel {
    ScriptedModel::new(replies).wire(Anthropic::new())
}

fn calling(arguments: &str) -> AssistantMessage {
    reply(&serde_json::from_str(arguments).expect("it is JSON"))
}

fn answer() -> AssistantMessage {
    AssistantMessage::from_text("Done.")
}

fn arguments(session: &Session) -> Vec<&str> {
    let replies = session.messages().iter().filter_map(|message| match message {
        Message::Assistant(reply) => Some(&reply.tool_calls),
        _ => None,
    });
    replies.flatten().map(|call| &*call.arguments).collect()
}

fn result(session: &Session) -> &str {
    session
        .messages()
        .iter()
        .find_map(|message| match message {
            Message::Tool(result) => Some(result.text()),
            _ => None,
        })
        .expect("a result")
}

/// The inputs of the calls in a request.
fn inputs(request: &Value) -> Vec<Value> {
    let messages = request["messages"].as_array().expect("messages").iter();
    let blocks = messages.filter_map(|message| message["content"].as_array()).flatten();
    blocks.filter(|block| block["type"] == "tool_use").map(|block| block["input"].clone()).collect()
}

fn stored(session: &Session) -> Session {
    let text = serde_json::to_string(session).expect("it is written");
    serde_json::from_str(&text).expect("it is read")
}

async fn run(
    session: &mut Session,
    registry: &Registry,
    model: &ScriptedModel,
    seen: &Seen,
    is_streamed: bool,
) -> RunEnd {
    let events = seen.clone();
    let run = session.run(registry).wire(Anthropic::new()).on_event(move |event| match event {
        Event::CallComplete { arguments, .. } => events.add("event", arguments),
        Event::Call(event) => {
            let status = serde_json::to_value(&event.status).expect("it is written");
            if let Some(arguments) = status["arguments"].as_str() {
                events.add(status["status"].as_str().expect("a status"), arguments);
            }
        }
        _ => {}
    });
    if is_streamed {
        run.stream(|request| model.stream(request)).await.expect("valid")
    } else {
        run.complete(|request| model.complete(request)).await.expect("valid")
    }
}

#[tokio::test]
async fn a_run_has_the_tools_keys_everywhere() {
    for (is_streamed, is_read_only) in [(false, false), (true, false), (true, true)] {
        let seen = Seen::default();
        let tool = echo("echo", reported());
        let registry = registry(&seen, if is_read_only { tool.read_only() } else { tool });
        let model = model(vec![calling(WRITTEN), answer()]);
        let mut session = Session::new().user("Go.");
        assert_eq!(run(&mut session, &registry, &model, &seen, is_streamed).await, RunEnd::Answered);
        let mut places = seen.take();
        // The listener runs in the task of the run.
        places.sort();
        let expected = ["event", "finished", "hook", "middleware", "started"];
        assert_eq!(places, expected.map(|place| format!("{place} {OWN}")));
        assert_eq!((arguments(&session), result(&session)), (vec![OWN], OWN));
        // The block of the provider goes back as it came.
        let written: Value = serde_json::from_str(WRITTEN).expect("it is JSON");
        assert_eq!(inputs(&model.requests()[1]), [written]);
        let Message::Assistant(reply) = &session.messages()[1] else { panic!("a reply") };
        let native: Vec<&str> = reply.native_items().collect();
        assert!(native.iter().any(|item| item.contains("gr__e")), "{native:?}");
        assert_eq!(stored(&session).messages(), session.messages());
    }
}

#[tokio::test]
async fn a_log_records_the_tools_keys() {
    for is_streamed in [false, true] {
        let seen = Seen::default();
        let registry = Registry::builder().dynamic(echo("echo", reported())).build().expect("one tool");
        let model = model(vec![calling(WRITTEN), answer()]);
        let mut session = Session::new().user("Go.");
        let run = session.run(&registry).wire(Anthropic::new()).log(Arc::new(seen.clone()));
        if is_streamed {
            assert_eq!(run.stream(|request| model.stream(request)).await.expect("valid"), RunEnd::Answered);
        } else {
            assert_eq!(
                run.complete(|request| model.complete(request)).await.expect("valid"),
                RunEnd::Answered
            );
        }
        assert_eq!(seen.take(), [format!("log {OWN}")]);
    }
}

/// The session is stored while the call waits, and loaded in another process.
#[tokio::test]
async fn an_approval_shows_and_keeps_the_tools_keys() {
    for is_streamed in [false, true] {
        let seen = Seen::default();
        let registry = registry(&seen, echo("echo", reported()).requires_approval());
        let model = model(vec![calling(WRITTEN), answer()]);
        let mut session = Session::new().user("Go.");
        assert_eq!(run(&mut session, &registry, &model, &seen, is_streamed).await, RunEnd::NeedsApproval);
        let seen_before = seen.take();
        assert!(seen_before.contains(&format!("needs_approval {OWN}")), "{seen_before:?}");
        assert!(seen_before.iter().all(|seen| seen.ends_with(OWN)), "{seen_before:?}");
        let mut session = stored(&session);
        let waiting = session.awaiting_approval();
        assert_eq!((&*waiting[0].arguments, waiting.len()), (OWN, 1));
        session.approve("toolu_1").expect("it waits");
        let mut session = stored(&session);
        assert_eq!(run(&mut session, &registry, &model, &seen, is_streamed).await, RunEnd::Answered);
        let places = seen.take();
        assert_eq!(
            places,
            ["hook", "started", "middleware", "finished"].map(|place| format!("{place} {OWN}"))
        );
        assert_eq!(result(&session), OWN);
        let written: Value = serde_json::from_str(WRITTEN).expect("it is JSON");
        assert_eq!(inputs(&model.requests()[1]), [written]);
    }
}

#[tokio::test]
async fn edited_arguments_are_written_with_the_names_of_the_definition() {
    let seen = Seen::default();
    let registry = registry(&seen, echo("echo", reported()).requires_approval());
    let model = model(vec![calling(WRITTEN), answer()]);
    let mut session = Session::new().user("Go.");
    assert_eq!(run(&mut session, &registry, &model, &seen, false).await, RunEnd::NeedsApproval);
    session.approve_with("toolu_1", json!({ "$.alt": "xml", "filter[city]": "Rome" })).expect("it waits");
    assert_eq!(run(&mut session, &registry, &model, &seen, false).await, RunEnd::Answered);
    assert_eq!(result(&session), r#"{"$.alt":"xml","filter[city]":"Rome"}"#);
    assert_eq!(inputs(&model.requests()[1]), [json!({ "_.alt": "xml", "filter_city_": "Rome" })]);
}

/// <https://github.com/decocms/studio/pull/6874>
#[tokio::test]
async fn a_run_continues_after_an_error_with_the_names_of_the_definition() {
    let seen = Seen::default();
    let registry = registry(&seen, echo("echo", reported()));
    let model = model(vec![calling("{}"), answer()]);
    let mut session = Session::new().user("Go.");
    assert_eq!(run(&mut session, &registry, &model, &seen, true).await, RunEnd::Answered);
    assert_eq!(
        result(&session),
        "Error: invalid arguments for `echo`: `_.alt` is missing. Call it again, but add `_.alt`."
    );
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Size {
    #[serde(rename = "größe")]
    size: u8,
}

/// A typed answer that is a call has the keys of the type, and its errors have those of the definition.
#[tokio::test]
async fn a_typed_answer_as_a_call_has_the_keys_of_the_type() {
    let wire = || Anthropic::new().response_format(UseResponseFormat::Never);
    let answer = |input: Value| {
        let block = json!({ "type": "tool_use", "id": "toolu_1", "name": "final_answer", "input": input });
        let message = json!({ "type": "message", "content": [block], "stop_reason": "tool_use" });
        wire().read_reply(&message.to_string()).expect("it is read")
    };
    for is_streamed in [false, true] {
        let replies = [answer(json!({ "gr__e": "x" })), answer(json!({ "gr__e": 5 }))];
        let model = ScriptedModel::new(replies).wire(wire());
        let registry = Registry::builder().build().expect("no tools");
        let mut session = Session::new().user("How large?");
        let run = session.run(&registry).wire(wire()).answer_as::<Size>();
        let end = if is_streamed {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!(end, TypedEnd::Answered(Size { size: 5 }));
        assert_eq!(session.final_text(), r#"{"größe":5}"#);
        assert!(result(&session).contains("`gr__e`: expected"), "{}", result(&session));
        let sent = &model.requests()[0]["tools"][0]["input_schema"];
        assert_eq!(sent["required"], json!(["gr__e"]));
        assert_eq!(inputs(&model.requests()[1]), [json!({ "gr__e": "x" })]);
    }
}

/// The response format has the names of the definition, and the answer the keys of the type.
#[tokio::test]
async fn a_typed_answer_as_a_text_is_decoded_with_the_keys_of_the_type() {
    let text = |text: Value| {
        let block = json!({ "type": "text", "text": text.to_string() });
        let message = json!({ "type": "message", "content": [block], "stop_reason": "end_turn" });
        Anthropic::new().read_reply(&message.to_string()).expect("it is read")
    };
    for answer in [json!({ "gr__e": 5 }), json!({ "größe": 5 })] {
        let model = ScriptedModel::new([text(answer)]).wire(Anthropic::new());
        let registry = Registry::builder().build().expect("no tools");
        let mut session = Session::new().user("How large?");
        let run = session.run(&registry).wire(Anthropic::new()).answer_as::<Size>();
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::Answered(Size { size: 5 }));
        let format = &model.requests()[0]["output_config"]["format"]["schema"];
        assert_eq!(format["required"], json!(["gr__e"]));
    }
}
