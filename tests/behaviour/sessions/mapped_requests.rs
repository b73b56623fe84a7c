//! Requests that the program changes before they are sent.

use super::{asked, call, calling, model, results, shop, stored, text_reply};
use tool_runtime::dispatch::ReadyCall;
use tool_runtime::history::TrimBudget;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::wire::{Anthropic, ChatCompletions};
use tool_runtime::{RunContext, ToolChoice};

#[tokio::test]
async fn each_request_can_have_a_tool_choice() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "find", 7)]), text_reply("Done.")]);
    let mut choice = registry.tool_choice("find").expect("it is there");
    let mut session = asked();
    let run = session
        .run(&registry)
        .map_request(|request| request.tool_choice(std::mem::replace(&mut choice, ToolChoice::None)));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    let requests = model.requests();
    assert_eq!(requests[0]["tool_choice"]["function"]["name"], "find");
    assert_eq!(requests[1]["tool_choice"], "none");
}

#[tokio::test]
async fn the_allowed_tools_of_a_request_apply_to_its_calls_also_after_a_restart() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "ship", 7), call("b", "refund", 8)]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).map_request(|request| request.allowed_tools(["refund", "find"]));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::NeedsApproval);
    assert!(results(&session)[0].contains("`ship` may not be called now"), "{:?}", results(&session));
    let mut session = stored(&session);
    session.approve_with("b", r#"{"order":9}"#).expect("it waits");
    assert_eq!(
        session.run(&registry).complete(|request| model.complete(request)).await.expect("valid"),
        RunEnd::Answered
    );
    assert_eq!(ledger.entries(), ["refund 9"]);
}

#[tokio::test]
async fn the_allowed_tools_of_the_run_context_apply_as_well() {
    let (registry, ledger) = shop();
    let registry = registry.with(&RunContext::new().allowed_tools(["find"]));
    let model = model([calling([call("a", "ship", 7), call("b", "find", 8)]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).map_request(|request| request.allowed_tools(["ship", "find"]));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert!(results(&session)[0].contains("may not be called now"));
    assert_eq!((&*results(&session)[1], ledger.entries().len()), ("order 8", 0));
}

#[tokio::test]
async fn the_context_of_a_later_run_also_restricts_the_tools() {
    let (registry, ledger) = shop();
    let model = model([calling([call("a", "refund", 7)]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).map_request(|request| request.allowed_tools(["refund", "find"]));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::NeedsApproval);
    session.approve("a").expect("it waits");
    let registry = registry.with(&RunContext::new().allowed_tools(["find"]));
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, ledger.entries()), (RunEnd::Answered, vec![]));
}

#[tokio::test]
async fn a_request_can_be_trimmed_and_the_session_keeps_its_messages() {
    let (registry, _) = shop();
    let model = model([text_reply("Two.")]);
    let chat = tool_runtime::Conversation::new().user("One?").assistant("One.").user("Two?");
    let mut session = tool_runtime::Session::from(chat);
    let run = session.run(&registry).map_request(|request| request.trim(&TrimBudget::max_messages(1)));
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(model.requests()[0]["messages"].as_array().map(Vec::len), Some(1));
    assert_eq!(session.messages().len(), 4);
}

#[tokio::test]
async fn requests_are_written_on_the_wire_of_the_run() {
    let (registry, _) = shop();
    let model = model([text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&registry).wire(Anthropic::new());
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert!(model.requests()[0]["tools"][0]["input_schema"].is_object(), "{}", model.requests()[0]);
}

#[tokio::test]
async fn streams_ask_for_their_usage() {
    let (registry, _) = shop();
    let model = model([text_reply("Done."), text_reply("Done."), text_reply("Done.")]);
    let _ = asked().run(&registry).stream(|request| model.stream(request)).await;
    let wire = ChatCompletions::new().stream_usage(false);
    let _ = asked().run(&registry).wire(wire).stream(|request| model.stream(request)).await;
    let _ = asked().run(&registry).complete(|request| model.complete(request)).await;
    let requests = model.requests();
    assert_eq!(requests[0]["stream_options"]["include_usage"], true);
    assert!(requests[1].get("stream_options").is_none());
    assert!(requests[2].get("stream_options").is_none());
}

#[tokio::test]
async fn middleware_of_a_run_is_inside_that_of_the_registry() {
    let builder = tool_runtime::Registry::builder().tools(tool_runtime::tools![super::find]);
    let outer = |call: ReadyCall| async move { call.run().await.map_text(|text| format!("({text})")) };
    let registry = builder.around_call(outer).build().expect("one tool");
    for (layers, result) in [(0, "(order 7)"), (1, "([order 7])"), (2, "([[order 7]])")] {
        let model = model([calling([call("a", "find", 7)]), text_reply("Done.")]);
        let mut session = asked();
        let mut run = session.run(&registry);
        for _ in 0..layers {
            run = run.around_call(|call: ReadyCall| async move {
                call.run().await.map_text(|text| format!("[{text}]"))
            });
        }
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
        assert_eq!(results(&session), [result]);
    }
    let plain = tool_runtime::Registry::new(tool_runtime::tools![super::find]).expect("one tool");
    let model = model([calling([call("a", "find", 7)]), text_reply("Done.")]);
    let mut session = asked();
    let run = session.run(&plain).around_call(|call: ReadyCall| async move {
        assert_eq!(call.context().key().map(|key| key.to_string()), None);
        call.run().await.map_text(str::to_uppercase)
    });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(results(&session), ["ORDER 7"]);
}

#[tokio::test]
async fn the_key_of_a_call_survives_restarts_and_trims() {
    let (registry, _) = shop();
    let registry = registry.with(&RunContext::new().run_id("order-7"));
    let keys = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut session = asked();
    for reply in 0..3 {
        let model = model([calling([call("a", "find", 7), call("b", "find", 8)])]);
        let seen = std::sync::Arc::clone(&keys);
        let run = session.run(&registry).max_replies(reply + 1).around_call(move |call: ReadyCall| {
            seen.lock().expect("no panic").push(call.context().key().expect("there is a run id").to_string());
            async move { call.run().await }
        });
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::ReplyLimit);
        let _ = session.trim(&TrimBudget::max_messages(4));
        session = stored(&session);
    }
    let keys = keys.lock().expect("no panic").clone();
    assert_eq!(
        keys,
        ["order-7/0/0", "order-7/0/1", "order-7/1/0", "order-7/1/1", "order-7/2/0", "order-7/2/1"]
    );
}

#[tokio::test]
async fn a_run_does_not_copy_the_messages() {
    let (registry, _) = shop();
    for stream in [false, true] {
        let replies = [calling([call("a", "find", 7)]), calling([call("b", "find", 7)]), text_reply("Done.")];
        let model = model(replies);
        let mut session = asked();
        let text = session.messages()[0].text().as_ptr();
        let run = session.run(&registry).map_request(|request| {
            assert_eq!(request.messages()[0].text().as_ptr(), text, "the messages are shared");
            request
        });
        let end = if stream {
            run.stream(|request| model.stream(request)).await.expect("valid")
        } else {
            run.complete(|request| model.complete(request)).await.expect("valid")
        };
        assert_eq!((end, session.messages()[0].text().as_ptr()), (RunEnd::Answered, text));
    }
}

#[tokio::test]
async fn a_session_inside_a_tool_has_the_run_context_of_the_program() {
    /// Asks a second model.
    #[tool_runtime::tool]
    async fn delegate(#[context] call: &tool_runtime::CallContext) -> String {
        let (registry, _) = shop();
        let model = model([calling([super::call("a", "find", 7)]), text_reply("Done.")]);
        let mut session = asked();
        let run = session.run(&registry.with(call.run_context()));
        let _ = run.complete(|request| model.complete(request)).await;
        format!(
            "{}, {}",
            results(&session).join(" "),
            call.run_context().get::<u8>().copied().unwrap_or_default()
        )
    }
    let registry = tool_runtime::Registry::new(tool_runtime::tools![delegate]).expect("one tool");
    let registry = registry.with(&RunContext::new().state(5_u8));
    let model = model([calling([tool_runtime::ToolCall::new("x", "delegate", "{}")]), text_reply("Done.")]);
    let mut session = asked();
    let mut ids = Vec::new();
    let run = session
        .run(&registry)
        .map_request(|request| request.allowed_tools(["delegate"]))
        .around_call(|call: ReadyCall| async move { call.run().await.map_text(|text| format!("({text})")) })
        .on_event(|event| {
            if let Event::Call(call) = event {
                ids.push(call.id.clone());
            }
        });
    assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
    assert_eq!(results(&session), ["(order 7, 5)"]);
    assert_eq!(ids, ["x", "x"], "the events are those of this session");
}
