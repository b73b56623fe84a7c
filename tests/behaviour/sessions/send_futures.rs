//! Runs can be spawned, with a client by reference, as an axum handler does.

use super::{asked, shop, text_reply};
use std::sync::Arc;
use tokio::sync::Mutex;
use tool_runtime::session::{Event, RunEnd};
use tool_runtime::{Registry, Session};
use tool_runtime_testing::ScriptedModel;

struct App {
    registry: Registry,
    client: ScriptedModel,
    session: Mutex<Session>,
}

#[tokio::test]
async fn runs_are_send() {
    let (registry, _) = shop();
    let client = ScriptedModel::new([text_reply("One."), text_reply("Two.")]);
    let app = Arc::new(App { registry, client, session: Mutex::new(asked()) });
    let handler = tokio::spawn({
        let app = Arc::clone(&app);
        async move {
            let mut session = app.session.lock().await;
            let (sender, _receiver) = tokio::sync::mpsc::unbounded_channel::<Event>();
            let client = &app.client;
            let run = session.run(&app.registry).on_event(|event| drop(sender.send(event.clone())));
            let end = run.complete(|request| client.complete(request)).await;
            assert_eq!(end.expect("valid"), RunEnd::Answered);
            session.push_user("Again.");
            let run = session.run(&app.registry).on_event(|event| drop(sender.send(event.clone())));
            run.stream(|request| client.stream(request)).await.expect("valid")
        }
    });
    assert_eq!(handler.await.expect("no panic"), RunEnd::Answered);
    assert_eq!(app.session.lock().await.final_text(), "Two.");
}

/// A listener in a box is `Send` and not `Sync`.
#[tokio::test]
async fn closures_need_not_be_sync() {
    let (registry, _) = shop();
    let client = ScriptedModel::new([text_reply("One."), text_reply("Two.")]);
    let (events, received) = std::sync::mpsc::channel();
    let handler = tokio::spawn(async move {
        let mut session = asked();
        let sender = events.clone();
        let listener: Box<dyn FnMut(&Event) + Send> = Box::new(move |event| drop(sender.send(event.clone())));
        let run = session.run(&registry).on_event(listener).map_request({
            let requests = std::cell::Cell::new(0);
            move |request| {
                requests.set(requests.get() + 1);
                request
            }
        });
        assert_eq!(run.complete(|request| client.complete(request)).await.expect("valid"), RunEnd::Answered);
        session.push_user("Again.");
        let listener: Box<dyn FnMut(&Event) + Send> = Box::new(move |event| drop(events.send(event.clone())));
        let run = session.run(&registry).on_event(listener);
        run.stream(|request| client.stream(request)).await.expect("valid")
    });
    assert_eq!(handler.await.expect("no panic"), RunEnd::Answered);
    assert!(received.try_iter().count() > 4);
}
