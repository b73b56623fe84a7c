//! Each call has one last event, whatever ends it: an audit log needs nothing else.

use super::{Ledger, asked, call, calling, model, shop, stored, text_reply};
use futures_util::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use tool_runtime::conversation::Received;
use tool_runtime::dispatch::{CallEvent, CallStatus, Cause, Decision};
use tool_runtime::search::Search;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{
    AssistantMessage, CallContext, Conversation, DynamicTool, Registry, RunContext, Session, ToolCall,
    ToolOutput,
};
use tool_runtime_testing::ScriptedModel;

/// `tool cause arguments: result` of each last event.
fn line(event: &CallEvent) -> Option<String> {
    let CallStatus::Finished { arguments, cause, result, .. } = &event.status else { return None };
    Some(format!("{} {cause:?} {arguments}: {}", event.tool, result.text()))
}

/// A run, with its last events as the listeners of the run and of the context receive them.
async fn run(session: &mut Session, registry: &Registry, model: &ScriptedModel) -> (RunEnd, Vec<String>) {
    let (mut in_run, in_context) = (Vec::new(), Ledger::default());
    let ledger = in_context.clone();
    let context =
        RunContext::new().on_event(move |event| line(event).into_iter().for_each(|line| ledger.add(line)));
    let registry = registry.with(&context);
    let run = session.run(&registry).on_event(|event| {
        if let Event::Call(event) = event {
            in_run.extend(line(event));
        }
    });
    let end = run.complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(in_run, in_context.entries());
    (end, in_run)
}

#[tokio::test]
async fn decisions_and_results_from_elsewhere_are_reported_first_in_the_next_run() {
    let (registry, ledger) = shop();
    let elsewhere = DynamicTool::external("dialog", "Asks the user.", serde_json::Value::Null);
    drop(registry);
    let tools = tool_runtime::tools![super::find, super::refund];
    let registry =
        Registry::builder().tools(tools).dynamic(elsewhere).state(ledger).build().expect("three tools");
    let calls = [
        call("a", "refund", 7),
        call("b", "refund", 8),
        ToolCall::new("c", "dialog", r#"{"order":7}"#),
        call("d", "find", 9),
        ToolCall::new("e", "finds", "{}"),
    ];
    let model = model([calling(calls), text_reply("Done.")]);
    let mut session = asked();
    let (end, events) = run(&mut session, &registry, &model).await;
    assert_eq!(end, RunEnd::NeedsApproval);
    assert_eq!(
        events,
        [
            "finds NotRun {}: Error: there is no tool `finds`. Call `find` instead.",
            r#"find Ran {"order":9}: order 9"#,
        ]
    );
    session.deny("b", "no").expect("it waits");
    session.provide_result("c", "yes").expect("it waits");
    session.approve("a").expect("it waits");
    let (end, events) = run(&mut stored(&session), &registry, &model).await;
    assert_eq!(end, RunEnd::Answered);
    let expected = [
        r#"refund Denied {"order":8}: Error: no"#,
        r#"dialog Provided {"order":7}: yes"#,
        r#"refund Ran {"order":7}: order 7 is refunded"#,
    ];
    assert_eq!(events, expected);
}

#[tokio::test]
async fn a_decision_about_the_last_call_is_reported_by_the_next_run_in_another_process() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "refund", 7)]), text_reply("Done."), text_reply("Hello.")]);
    let mut session = asked();
    assert_eq!(run(&mut session, &registry, &model).await, (RunEnd::NeedsApproval, vec![]));
    session.deny("a", "no").expect("it waits");
    assert!(session.pending().is_none());
    let mut session = stored(&stored(&session));
    let (end, events) = run(&mut session, &registry, &model).await;
    assert_eq!(
        (end, &*events),
        (RunEnd::Answered, &[r#"refund Denied {"order":7}: Error: no"#.to_owned()][..])
    );
    session.push_user("Hello?");
    assert_eq!(run(&mut session, &registry, &model).await, (RunEnd::Answered, vec![]), "once");
}

#[tokio::test(start_paused = true)]
async fn a_user_message_skips_the_calls_that_wait_and_those_that_were_interrupted() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "ship", 7), call("b", "refund", 8)]), text_reply("Done.")]);
    let mut session = asked();
    let dropped = tokio::time::timeout(Duration::from_secs(1), run(&mut session, &registry, &model)).await;
    assert!(dropped.is_err());
    session.push_user("Stop.");
    let (end, events) = run(&mut stored(&session), &registry, &model).await;
    assert_eq!(end, RunEnd::Answered);
    assert_eq!(
        events,
        [
            "ship Interrupted {\"order\":7}: Error: `ship` was interrupted. It may have taken effect: check whether it did. It \
             did not run again: skipped by user",
            "refund Skipped {\"order\":8}: Error: skipped by user",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_call_is_reported_once_by_the_run_that_fails_it() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "ship", 7)]), text_reply("Done.")]);
    let mut session = asked();
    let dropped = tokio::time::timeout(Duration::from_secs(1), run(&mut session, &registry, &model)).await;
    assert!(dropped.is_err());
    let (_, events) = run(&mut session, &registry, &model).await;
    let text = "ship Interrupted {\"order\":7}: Error: `ship` was interrupted. It may have taken effect: check whether it did.";
    assert_eq!(events, [text]);
}

#[tokio::test]
async fn a_hook_that_responds_provides_the_result_and_one_that_denies_has_its_cause() {
    let ledger = Ledger::default();
    let hook = |call: tool_runtime::dispatch::ProposedCall| async move {
        match call.tool() {
            "find" => Decision::Respond(ToolOutput::from("cached")),
            _ => Decision::Deny("closed".to_owned()),
        }
    };
    let registry = Registry::builder().tools(tool_runtime::tools![super::find, super::refund]).state(ledger);
    let registry = registry.before_call(hook).build().expect("two tools");
    let model = model([calling([call("a", "find", 7), call("b", "refund", 8)]), text_reply("Done.")]);
    let (_, events) = run(&mut asked(), &registry, &model).await;
    assert_eq!(
        events,
        [r#"find Provided {"order":7}: cached"#, r#"refund Denied {"order":8}: Error: closed"#]
    );
}

#[tokio::test]
async fn a_loop_of_the_program_receives_them_as_well() {
    let (registry, _) = shop();
    let events = Ledger::default();
    let ledger = events.clone();
    let context =
        RunContext::new().on_event(move |event| line(event).into_iter().for_each(|line| ledger.add(line)));
    let registry = registry.with(&context);
    let reply = AssistantMessage::from_tool_calls([call("a", "refund", 7), call("b", "refund", 8)]);
    let Received::ToolCalls(mut pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("calls")
    };
    pending.run(&registry).await;
    pending.deny("a", "no").expect("it waits");
    let stored = serde_json::to_string(&pending).expect("it is written");
    let pending: tool_runtime::conversation::PendingCalls =
        serde_json::from_str(&stored).expect("it is read");
    let _ = pending.dispatch(&registry).await;
    assert_eq!(
        events.entries(),
        [
            r#"refund Denied {"order":7}: Error: no"#,
            r#"refund NotRun {"order":8}: Error: the tool `refund` needs approval, which was not given."#,
        ]
    );
}

#[tokio::test]
async fn a_truncated_call_that_would_need_an_approval_is_not_run() {
    let (registry, _) = shop();
    let call = ToolCall::new("a", "refund", r#"{"order":"#);
    let reply = AssistantMessage::from_tool_calls([call]).with_finish_reason("length");
    let model = model([reply.into(), text_reply("Done.")]);
    let (end, events) = run(&mut asked(), &registry, &model).await;
    assert_eq!((end, events.len()), (RunEnd::Answered, 1));
    assert!(events[0].starts_with("refund NotRun"), "{events:?}");
}

/// The names of the causes are part of stored logs.
#[test]
fn causes_serialize_in_snake_case() {
    let causes = [Cause::Ran, Cause::NotRun, Cause::Interrupted];
    assert_eq!(serde_json::to_string(&causes).ok().as_deref(), Some(r#"["ran","not_run","interrupted"]"#));
}

/// Reports progress from a thread, whose listener is slow, and ends meanwhile.
#[tool_runtime::tool]
async fn report(#[context] call: &CallContext, #[state] slow: &Slow) -> &'static str {
    let call = call.clone();
    std::thread::spawn(move || call.progress(1, 2, "half"));
    slow.wait(|state| state.is_listening);
    "done"
}

/// The state of a listener on another thread.
#[derive(Clone, Default)]
struct Slow(Arc<(Mutex<SlowState>, Condvar)>);

#[derive(Default)]
struct SlowState {
    is_listening: bool,
    may_return: bool,
}

impl Slow {
    fn set(&self, set: impl FnOnce(&mut SlowState)) {
        set(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }

    fn wait(&self, is_reached: impl Fn(&SlowState) -> bool) {
        let state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.0.1.wait_while(state, |state| !is_reached(state)));
    }
}

/// The call has ended, and another thread still sends its events: the result and the last event stay the same.
#[tokio::test]
async fn a_run_that_is_dropped_while_a_listener_is_slow_has_one_last_event() {
    let (lines, slow) = (Ledger::default(), Slow::default());
    let (ledger, in_listener) = (lines.clone(), slow.clone());
    let context = RunContext::new().on_event(move |event| {
        if let CallStatus::Progress { .. } = event.status {
            in_listener.set(|state| state.is_listening = true);
            in_listener.wait(|state| state.may_return);
        }
        if let Some(line) = line(event) {
            ledger.add(line);
        }
    });
    let registry = Registry::builder().tools(tool_runtime::tools![report]).state(slow.clone()).build();
    let registry = registry.expect("one tool").with(&context);
    let model = model([calling([ToolCall::new("a", "report", "{}")]), text_reply("Done.")]);
    let mut session = asked();
    {
        let mut run = Box::pin(session.run(&registry).complete(|request| model.complete(request)));
        let mut polls = 0;
        let polled = std::future::poll_fn(|context| {
            polls += 1;
            let polled = run.as_mut().poll(context);
            // The call has ended in the first poll, and waits for the listener.
            if polled.is_pending() && polls < 3 {
                context.waker().wake_by_ref();
            }
            if polls < 3 { std::task::Poll::Pending } else { std::task::Poll::Ready(polled.is_pending()) }
        });
        assert!(polled.await, "the run waits for the listener");
    }
    slow.set(|state| state.may_return = true);
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!((end, super::results(&session)), (RunEnd::Answered, vec!["done".to_owned()]));
    while lines.entries().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(lines.entries(), ["report Ran {}: done"]);
}

/// Works on a thread, and reports progress whenever it may.
#[tool_runtime::tool(blocking)]
fn work(#[context] call: &CallContext, #[state] slow: &Slow) {
    slow.set(|state| state.is_listening = true);
    slow.wait(|state| state.may_return);
    call.progress(1, 2, "late");
    slow.set(|state| state.is_listening = false);
}

#[tokio::test]
async fn a_thread_that_outlives_its_dropped_run_has_no_further_events() {
    let (events, slow) = (Ledger::default(), Slow::default());
    let ledger = events.clone();
    let context = RunContext::new().on_event(move |event| {
        ledger.add(serde_json::to_value(event).expect("it is JSON")["status"].as_str().expect("a status"));
    });
    let registry = Registry::builder().tools(tool_runtime::tools![work]).state(slow.clone()).build();
    let registry = registry.expect("one tool").with(&context);
    let model = model([calling([ToolCall::new("a", "work", "{}")]), text_reply("Done.")]);
    let mut session = asked();
    let started = async {
        while !slow.0.0.lock().unwrap_or_else(PoisonError::into_inner).is_listening {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = session.run(&registry).complete(|request| model.complete(request)) => panic!("the thread waits"),
        () = started => {}
    }
    let end = session.run(&registry).complete(|request| model.complete(request)).await.expect("valid");
    assert_eq!(end, RunEnd::Answered);
    slow.set(|state| state.may_return = true);
    slow.wait(|state| !state.is_listening);
    assert_eq!(events.entries(), ["started", "finished"]);
}

/// `dispatch` keeps no call pending.
#[tokio::test]
async fn calls_that_fail_since_they_would_wait_have_a_last_event() {
    let (_, ledger) = shop();
    let elsewhere = DynamicTool::external("dialog", "Asks the user.", serde_json::Value::Null);
    let registry =
        Registry::builder().tools(tool_runtime::tools![super::refund]).dynamic(elsewhere).state(ledger);
    let events = Ledger::default();
    let lines = events.clone();
    let context =
        RunContext::new().on_event(move |event| line(event).into_iter().for_each(|line| lines.add(line)));
    let registry = registry.build().expect("two tools").with(&context);
    let reply =
        AssistantMessage::from_tool_calls([call("a", "refund", 7), ToolCall::new("b", "dialog", "{}")]);
    let Received::ToolCalls(pending) = Conversation::new().user("Go.").receive(reply) else {
        panic!("calls")
    };
    let _ = pending.dispatch(&registry).await;
    assert_eq!(
        events.entries(),
        [
            r#"refund NotRun {"order":7}: Error: the tool `refund` needs approval, which was not given."#,
            "dialog NotRun {}: Error: the result of `dialog` comes later. Do not call it again to get the result.",
        ]
    );
}

/// The last event has the call that the earlier events have: that in the arguments of `call_tool`, and with coerced arguments.
#[tokio::test]
async fn a_call_that_a_person_ends_has_the_tool_and_the_arguments_of_its_other_events() {
    let outer = r#"{"name":"refund","arguments":{"order":7}}"#;
    for (name, arguments, expected) in
        [("call_tool", outer, r#"refund {"order":7}"#), ("refund", r"{'order': 7}", r#"refund {"order": 7}"#)]
    {
        for end in ["deny", "provide", "skip"] {
            let registry =
                Registry::builder().tools(tool_runtime::tools![super::refund]).state(Ledger::default());
            let registry = if name == "call_tool" {
                registry.search(Search::new())
            } else {
                registry.lenient_arguments(true)
            };
            let registry = registry.build().expect("one tool");
            let model = model([calling([ToolCall::new("a", name, arguments)]), text_reply("Done.")]);
            let mut session = asked();
            assert_eq!(run(&mut session, &registry, &model).await, (RunEnd::NeedsApproval, vec![]));
            match end {
                "deny" => session.deny("a", "no").expect("it waits"),
                "provide" => session.provide_result("a", "given").expect("it waits"),
                _ => session.push_user("Stop."),
            }
            let (_, events) = run(&mut session, &registry, &model).await;
            let [event] = &events[..] else { panic!("one event: {events:?}") };
            let (tool, rest) = event.split_once(' ').expect("a tool");
            let arguments =
                rest.split_once(' ').and_then(|(_, rest)| rest.rsplit_once("}: ")).expect("arguments").0;
            assert_eq!(format!("{tool} {arguments}}}"), expected, "{end}");
        }
    }
}

#[tokio::test]
async fn a_panic_of_a_listener_loses_no_other_last_event() {
    let (registry, _) = shop();
    let model = model([calling([call("a", "refund", 7), call("b", "refund", 8)]), text_reply("Done.")]);
    let mut session = asked();
    let _ = run(&mut session, &registry, &model).await;
    session.deny("a", "no").expect("it waits");
    session.deny("b", "no").expect("it waits");
    let panics = session.run(&registry).on_event(|_| std::panic::panic_any("as planned"));
    let panics = AssertUnwindSafe(panics.complete(|request| model.complete(request))).catch_unwind();
    assert!(panics.await.is_err());
    let (_, events) = run(&mut session, &registry, &model).await;
    assert_eq!(events, [r#"refund Denied {"order":8}: Error: no"#]);
}
