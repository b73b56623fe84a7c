//! Large sessions, results and messages.

use crate::ledger;
use crate::setup::{Setup, start, texts};
use crate::workers::Version;
use std::path::Path;
use std::time::Instant;
use tool_runtime::message::Message;
use tool_runtime_restate::EngineError;

pub(crate) async fn many_large_inputs_arrive(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    // Together more than the session may have.
    sessions.message("s", "1 8 long_text 1000000").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let results = &texts(sessions, "s").await[2..10];
    let (whole, errors): (Vec<_>, Vec<_>) = results.iter().partition(|text| text.starts_with("xxx"));
    assert!(whole.len() >= 2 && errors.len() + whole.len() == 8, "{} whole", whole.len());
    assert!(errors.iter().all(|text| text.starts_with("Error: the call has run, but its")), "{errors:.200?}");
    sessions.message("t", "1 1 hold").await.expect("accepted");
    setup.wait_until_begun(1).await;
    let large = "x".repeat(4_000_000);
    let mut accepted = 0;
    for _ in 0..4 {
        match sessions.message("t", &*large).await {
            Ok(()) => accepted += 1,
            Err(EngineError::Rejected { status: 413, .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(accepted, 2);
    ledger::release(&setup.ledger);
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
}

pub(crate) async fn a_session_of_five_megabytes_continues(program: &Path, folder: &Path) {
    let mut setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, workers, .. } = &mut setup;
    sessions.message("s", "1 1 long_text 5000000").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let started = Instant::now();
    sessions.message("s", "4 4 nothing").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    println!("5 replies and 16 calls of a session of 5 MB: {:?}", started.elapsed());
    sessions.message("s", "2 4 nothing").await.expect("accepted");
    workers.processes[0].kill();
    workers.processes[0].restart();
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let session = sessions.get("s").await.expect("the engine responds").expect("a session");
    let results = session.messages().iter().filter(|message| matches!(message, Message::Tool(_)));
    assert_eq!(results.count(), 25);
    assert!(session.messages()[2].text().len() >= 5_000_000);
}

pub(crate) async fn a_result_that_is_too_large_is_an_error(program: &Path, folder: &Path) {
    let setup = start(program, folder, Version::Follow).await;
    let Setup { sessions, .. } = &setup;
    sessions.message("s", "1 1 long_text 11000000").await.expect("accepted");
    assert_eq!(sessions.wait("s").await.expect("it settles").text, "The end");
    let result = &texts(sessions, "s").await[2];
    assert!(result.starts_with("Error: the call has run, but its result has 110"), "{result:.200}");
    // The largest session that the engine stores with its default settings. A further result does not fit.
    sessions.message("t", "2 1 long_text 5100000").await.expect("accepted");
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
    sessions.message("t", "1 1 long_text 1000000").await.expect("accepted");
    assert_eq!(sessions.wait("t").await.expect("it settles").text, "The end");
    let texts = texts(sessions, "t").await;
    assert_eq!((texts[2].len(), texts[4].len()), (5_100_000, 5_100_000));
    assert!(texts[8].starts_with("Error: the call has run, but its result has 10000"), "{:.200}", texts[8]);
    // A message that does not fit is rejected, and a request that never fits is not sent.
    let sent = sessions.message("t", "x".repeat(1_000_000)).await;
    assert!(
        matches!(&sent, Err(EngineError::Rejected { status: 413, message, .. }) if message.contains("compact it")),
        "{sent:?}"
    );
    let sent = sessions.message("u", "x".repeat(11_000_000)).await;
    assert!(matches!(sent, Err(EngineError::TooLarge { .. })), "{sent:?}");
}
