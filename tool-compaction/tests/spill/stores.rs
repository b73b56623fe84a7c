//! The stores in memory, in a folder and of a program.

use super::{build, echo, echoed, handle, numbered, read, registry};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tool_runtime::{Registry, RunContext, ToolCall, tools};
use tool_runtime_compaction::{ResultStore, Spill, SpillResults as _, StoreError, StoreFuture};

fn folder() -> TempDir {
    tempfile::tempdir().expect("the folder can be created")
}

/// A store in a folder that is missing at first.
fn spill(folder: &TempDir) -> Spill {
    Spill::folder(folder.path().join("results")).expect("the folder can be created").above(2_000)
}

/// All files under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut open, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the entry can be read").path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files
}

#[tokio::test]
async fn another_session_cannot_read_a_result() {
    let folder = folder();
    for spill in [Spill::memory().above(2_000), spill(&folder)] {
        let registry = registry(&spill);
        echoed(&registry, "chat-1", &numbered(1_000)).await;
        assert!(read(&registry, "chat-1", json!({"handle": "1"})).await.starts_with("1: line 1\n"));
        for session in ["chat-2", "chat-", "chat-11", "CHAT-1", "chat-1/0/0", ""] {
            let text = read(&registry, session, json!({"handle": "1"})).await;
            assert!(text.starts_with("Error: this conversation has no stored result"), "{session}: {text}");
        }
    }
}

#[tokio::test]
async fn a_folder_keeps_results_for_a_later_process() {
    let folder = folder();
    let first = echoed(&registry(&spill(&folder)), "chat-1", &numbered(1_000)).await;
    let later = registry(&spill(&folder));
    let text = read(&later, "chat-1", json!({"handle": handle(&first), "from_line": 1_000})).await;
    assert!(text.starts_with("1000: line 1000\n"));
    assert_eq!(handle(&echoed(&later, "chat-1", &numbered(2_000)).await), "2");
}

#[tokio::test]
async fn hostile_handles_read_nothing() {
    let folder = folder();
    let registry = registry(&spill(&folder));
    echoed(&registry, "s", &numbered(1_000)).await;
    std::fs::write(folder.path().join("results").join("secret.txt"), "secret")
        .expect("the file can be written");
    for handle in [
        "../../etc/passwd",
        "../secret",
        "/etc/passwd",
        "..",
        "",
        "01",
        "+1",
        " 1",
        "1 ",
        "1.txt",
        "1\0",
        "-1",
        "99999999999999999999999",
        "١",
        "C:1",
    ] {
        let text = read(&registry, "s", json!({"handle": handle})).await;
        assert!(text.starts_with("Error: this conversation has no stored result"), "{handle}: {text}");
    }
}

#[tokio::test]
async fn hostile_run_ids_stay_in_the_folder_and_apart() {
    let folder = folder();
    let registry = registry(&spill(&folder));
    let long = "k".repeat(600);
    let ids = [
        "../../escape",
        "..",
        ".",
        "",
        "/",
        "/etc",
        "a/b",
        "a_2fb",
        "A",
        "a",
        "CON",
        "con",
        "nul.txt",
        "é",
        "e\u{301}",
        "a b",
        "a\0b",
        "C:\\x",
        &*long,
        &long[..599],
        "run-a",
        "part-a",
        "a\n",
        "ÄÖ語🦀",
    ];
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(handle(&echoed(&registry, id, &numbered(1_000 + number)).await), "1", "{id:?}");
    }
    let mut names = BTreeSet::new();
    for (number, id) in ids.iter().enumerate() {
        let text = read(&registry, id, json!({"handle": "1", "from_line": 1_000 + number})).await;
        assert!(text.contains("[the result ends here"), "{id:?}: {text}");
    }
    for file in files(folder.path()) {
        let name =
            file.strip_prefix(folder.path().join("results")).expect("the file is in the folder").to_owned();
        assert!(names.insert(name.to_string_lossy().to_lowercase()), "{name:?}");
    }
    assert_eq!(names.len(), ids.len());
}

#[tokio::test]
async fn removal_includes_inner_sessions_only() {
    let folder = folder();
    let long = format!("order-{}", "9".repeat(300));
    for spill in [Spill::memory().above(2_000), spill(&folder)] {
        let registry = registry(&spill);
        let long_inner = format!("{long}/0/1");
        let removed = ["order-7", "order-7/2/0", "order-7/2/0/0/1", &long, &long_inner];
        let kept = ["order-70", "order-7/2", "order-7/a/0", "order-70/2/0", "order-", "order-7/2/0/"];
        for id in removed.iter().chain(&kept) {
            echoed(&registry, id, &numbered(1_000)).await;
        }
        spill.remove_run("order-7").await.expect("the run can be removed");
        spill.remove_run(&long).await.expect("the run can be removed");
        spill.remove_run("unknown").await.expect("a run without results is no error");
        for id in removed {
            assert!(read(&registry, id, json!({"handle": "1"})).await.starts_with("Error: "), "{id}");
        }
        for id in kept {
            assert!(read(&registry, id, json!({"handle": "1"})).await.starts_with("1: line 1\n"), "{id}");
        }
        assert_eq!(handle(&echoed(&registry, "order-7", &numbered(1_000)).await), "1");
    }
    assert_eq!(files(folder.path()).len(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_at_once_get_a_handle_each() {
    let folder = folder();
    let memory = Spill::memory().above(2_000);
    // Two stores with one folder, as in two processes.
    for spills in [[memory.clone(), memory], [spill(&folder), spill(&folder)]] {
        let registries = spills.map(|spill| registry(&spill));
        let texts = join_all((0..100).map(|number| {
            let registry = registries[number % 2].with(&RunContext::new().run_id("s"));
            async move {
                let text = format!("text {number}\n{}", numbered(1_000));
                let call = ToolCall::new("call_1", "echo", json!({ "text": text }).to_string());
                tokio::spawn(async move { registry.dispatch(&[call]).await.remove(0).text().to_owned() })
                    .await
            }
        }))
        .await;
        let mut handles = BTreeSet::new();
        for (number, text) in texts.into_iter().enumerate() {
            let text = text.expect("the call ends");
            let first = read(&registries[0], "s", json!({"handle": handle(&text), "max_lines": 1})).await;
            assert!(first.starts_with(&format!("1: text {number}\n")), "{first}");
            handles.insert(handle(&text).to_owned());
        }
        assert_eq!(handles.len(), 100);
    }
}

#[tokio::test]
async fn the_same_text_has_the_same_handle() {
    let folder = folder();
    for spill in [Spill::memory().above(2_000), spill(&folder)] {
        let registry = registry(&spill);
        let text = echoed(&registry, "s", &numbered(1_000)).await;
        // It is as long.
        let other = numbered(1_000).replace("line 500", "line xyz");
        assert_eq!(handle(&echoed(&registry, "s", &other).await), "2");
        assert_eq!(echoed(&registry, "s", &numbered(1_000)).await, text);
        assert_eq!(handle(&text), "1");
        assert_eq!(handle(&echoed(&registry, "t", &other).await), "1");
    }
}

/// The thread of the dropped call starts after the removal.
#[test]
fn a_dropped_call_stores_nothing_after_its_run_is_removed() {
    let folder = folder();
    let spill = spill(&folder);
    let registry = registry(&spill).with(&RunContext::new().run_id("s"));
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).build();
    runtime.expect("a runtime").block_on(async {
        let (release, released) = std::sync::mpsc::channel::<()>();
        let thread = tokio::task::spawn_blocking(move || released.recv());
        let call = ToolCall::new("call_1", "echo", json!({"text": numbered(1_000)}).to_string());
        assert!(registry.dispatch(&[call]).now_or_never().is_none());
        // Without a runtime, the removal needs no other thread.
        let removal = std::thread::spawn(move || spill.remove_run("s").now_or_never());
        assert!(matches!(removal.join(), Ok(Some(Ok(())))));
        release.send(()).expect("the thread waits");
        thread.await.expect("the thread ends").expect("it is released");
        tokio::task::spawn_blocking(|| ()).await.expect("the thread of the call has ended");
    });
    let left = std::fs::read_dir(folder.path().join("results")).expect("the folder can be read").count();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_removal_continues_after_an_error() {
    let folder = folder();
    let spill = spill(&folder);
    let registry = registry(&spill);
    for call in 0..20 {
        echoed(&registry, &format!("s/{call}/0"), &numbered(1_000)).await;
    }
    // A folder cannot be removed if it is a file.
    std::fs::write(folder.path().join("results").join("run-s_2f20_2f0"), "")
        .expect("the file can be written");
    let error = spill.remove_run("s").await.expect_err("one cannot be removed");
    assert!(error.to_string().ends_with(": check the store, then run again"), "{error}");
    assert_eq!(files(folder.path()).len(), 1);
}

#[tokio::test]
async fn a_text_is_read_only_when_it_is_complete() {
    let folder = folder();
    let registry = registry(&spill(&folder));
    let file = folder.path().join("results").join("run-s").join("1.txt");
    let reader = std::thread::spawn(move || {
        loop {
            if let Ok(text) = std::fs::read(&file) {
                return text.len();
            }
        }
    });
    echoed(&registry, "s", &"x".repeat(30_000_000)).await;
    assert_eq!(reader.join().expect("the text is read"), 30_000_000);
}

#[tokio::test]
async fn a_text_that_is_not_complete_has_no_handle() {
    let folder = folder();
    let registry = registry(&spill(&folder));
    echoed(&registry, "s", &numbered(1_000)).await;
    // A process has ended while it wrote the second text.
    let run = folder.path().join("results").join("run-s");
    std::fs::write(run.join("2.new"), "line 1").expect("the file can be written");
    assert!(
        read(&registry, "s", json!({"handle": "2"})).await.starts_with("Error: this conversation has no")
    );
    assert_eq!(handle(&echoed(&registry, "s", &numbered(2_000)).await), "3");
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_user_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    echoed(&registry(&spill(&folder)), "s", &numbered(1_000)).await;
    let mode = |path: &Path| std::fs::metadata(path).expect("the path exists").permissions().mode() & 0o777;
    let file = files(folder.path()).remove(0);
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(file.parent().expect("a folder")), 0o700);
    assert_eq!(mode(&folder.path().join("results")), 0o700);
}

/// A store that fails, or that returns this handle.
struct Broken(Option<&'static str>);

impl ResultStore for Broken {
    fn add<'a>(&'a self, _: &'a str, _: &'a str) -> StoreFuture<'a, String> {
        let handle = self.0.map(str::to_owned).ok_or_else(|| StoreError::storage("the disk is full"));
        Box::pin(async { handle })
    }

    fn read<'a>(&'a self, _: &'a str, _: &'a str) -> StoreFuture<'a, Option<String>> {
        Box::pin(async { Err(StoreError::storage("the disk is gone")) })
    }

    fn remove_run<'a>(&'a self, _: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async { Err(StoreError::storage("the disk is gone")) })
    }
}

#[tokio::test]
async fn an_error_of_the_store_is_no_error_of_the_call() {
    for (handle, expected) in [
        (None, "the store of results cannot be used: the disk is full: check the store, then run again"),
        (
            Some("a \"b\"\n"),
            "the store of results returned the handle `a \\\"b\\\"\\n`: return 1 to 64 ASCII letters, digits, `_` or `-`",
        ),
    ] {
        let errors: Arc<Mutex<Vec<String>>> = Arc::default();
        let listener = Arc::clone(&errors);
        let spill = Spill::store(Arc::new(Broken(handle)))
            .above(2_000)
            .on_error(move |error| listener.lock().expect("no test panics").push(error.to_string()));
        let registry: Registry = build(Registry::builder().tools(tools![echo]).spill(spill.clone()));
        let text = echoed(&registry, "s", &numbered(1_000)).await;
        assert!(text.len() <= 2_000 && text.contains("they are not stored ...]"), "{text}");
        let text = read(&registry, "s", json!({"handle": "1"})).await;
        assert!(text.starts_with("Error: the stored result cannot be read now"), "{text}");
        let errors = errors.lock().expect("no test panics").clone();
        assert_eq!(
            errors,
            [
                expected,
                "the store of results cannot be used: the disk is gone: check the store, then run again"
            ]
        );
        assert!(spill.remove_run("s").await.is_err());
    }
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let folder = folder();
    std::fs::write(folder.path().join("file"), "a file").expect("the file can be written");
    let error = Spill::folder(folder.path().join("file").join("results")).expect_err("a file is in the way");
    assert!(error.to_string().starts_with("the store of results cannot be used: "), "{error}");
}
