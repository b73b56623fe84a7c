//! The settings of agents and of the engine.

use crate::engine::{Engine, Settings};
use crate::ledger;
use crate::setup::texts;
use crate::workers::{Version, Workers};
use std::path::Path;
use std::time::{Duration, Instant};
use tool_runtime::session::RunEnd;
use tool_runtime_restate::SessionEnd;

pub(crate) async fn a_call_may_take_longer_than_the_limit_of_the_engine(program: &Path, folder: &Path) {
    let settings = Settings { invocation_timeout: "50ms", ..Settings::default() };
    let engine = Engine::start(program, folder, settings).await;
    let workers = Workers::start(1, Version::Follow, folder).await;
    engine.register(&workers.address).await;
    let sessions = engine.sessions();
    // The model takes 1.5 seconds, and each tool at least 0.1.
    sessions.message("s", "1 1 slow_model").await.expect("accepted");
    sessions.message("t", "3 2 relocate").await.expect("accepted");
    for id in ["s", "t"] {
        assert_eq!(sessions.wait(id).await.expect("it settles").text, "The end");
    }
    let texts = texts(&sessions, "t").await;
    assert_eq!(texts.iter().filter(|text| text.starts_with("done ")).count(), 6, "{texts:?}");
}

pub(crate) async fn an_agent_has_its_settings(program: &Path, folder: &Path) {
    let engine = Engine::start(program, folder, Settings::default()).await;
    let shop = Workers::start(1, Version::Shop, folder).await;
    let warehouse = Workers::start(1, Version::Warehouse, folder).await;
    engine.register(&shop.address).await;
    engine.register(&warehouse.address).await;
    let sessions = engine.sessions().name("Shop");
    sessions.message("s", "Pick order 7.").await.expect("accepted");
    let report = sessions.wait("s").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Run(RunEnd::ReplyLimit));
    let texts = texts(&sessions, "s").await;
    assert_eq!(texts[..2], ["You run a shop.", "Pick order 7."]);
    assert_eq!(texts.iter().filter(|text| text.starts_with("7 from shelf of s")).count(), 3, "{texts:?}");
    let events: Vec<_> =
        ledger::read(&folder.join("ledger")).into_iter().map(|entry| (entry.order, entry.nonce)).collect();
    assert!(events.iter().all(|(session, _)| session == "s"));
    let finished =
        |(_, event): &&(String, String)| event.contains("finished") && event.contains("shelf of s");
    assert!(events.iter().filter(finished).count() >= 3, "{events:?}");
    // An error that no attempt can change ends the session at once.
    let started = Instant::now();
    sessions.message("t", "fail").await.expect("accepted");
    let report = sessions.wait("t").await.expect("it settles");
    assert_eq!(report.end, SessionEnd::Failed("the key is wrong".to_owned()));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}
