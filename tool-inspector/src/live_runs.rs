//! The runs of a program while they happen.

use crate::api_error::ApiError;
use crate::lines::lines_response;
use crate::state::{Inspection, Shared};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use futures_util::stream;
use serde::Serialize;
use serde_json::json;
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::watch;
use tool_runtime::session::Event;

/// The page lists at most this many runs. The oldest one that has ended makes place for a new one.
const MAX_RUNS: usize = 50;
/// In bytes, of the events of one run. Later events are only counted.
const MAX_BYTES: usize = 8 << 20;

/// The runs of sessions that the page shows while they happen: see [`Inspector::live_runs`](crate::Inspector::live_runs).
///
/// A clone has the same runs. It keeps the newest 50 runs, and at most 8 MiB of events of each; the page shows how many events are
/// missing.
///
/// ```
/// use tool_runtime::{Registry, Session, tools};
/// use tool_runtime_inspector::{Inspector, LiveRuns};
/// # use tool_runtime::AssistantMessage;
/// # use tool_runtime::conversation::Request;
/// # async fn complete(_: Request) -> Result<AssistantMessage, std::io::Error> { Ok(AssistantMessage::from_text("Hi!")) }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![])?;
/// let runs = LiveRuns::new();
/// let router = Inspector::new(&registry).live_runs(&runs).router();
/// # let _ = router;
///
/// let mut session = Session::new().user("Hello!");
/// let recorder = runs.start("chat 7"); // the run has ended when it is dropped
/// session.run(&registry).on_event(|event| recorder.record(event)).complete(complete).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct LiveRuns(Arc<Mutex<RunList>>);

#[derive(Default)]
struct RunList {
    started: usize,
    /// The newest is last.
    runs: VecDeque<Arc<LiveRun>>,
}

/// The events of one run.
struct LiveRun {
    id: usize,
    title: String,
    started: Instant,
    events: Mutex<Events>,
    /// The number of changes, which wakes the pages that show the run.
    changes: watch::Sender<usize>,
}

#[derive(Default)]
struct Events {
    /// Each a line of JSON.
    lines: Vec<Arc<str>>,
    bytes: usize,
    skipped: usize,
    has_ended: bool,
}

/// Records the events of one run: see [`LiveRuns::start`]. The run has ended when the recorder is dropped.
pub struct RunRecorder(Arc<LiveRun>);

impl LiveRuns {
    /// No runs.
    #[must_use]
    pub fn new() -> Self {
        LiveRuns::default()
    }

    /// Starts a run with this title.
    #[must_use = "it records the events of the run"]
    pub fn start(&self, title: impl Into<String>) -> RunRecorder {
        let mut list = lock(&self.0);
        list.started += 1;
        let run = Arc::new(LiveRun {
            id: list.started,
            title: title.into(),
            started: Instant::now(),
            events: Mutex::default(),
            changes: watch::Sender::new(0),
        });
        if list.runs.len() == MAX_RUNS {
            let oldest = list.runs.iter().position(|run| lock(&run.events).has_ended).unwrap_or(0);
            list.runs.remove(oldest);
        }
        list.runs.push_back(Arc::clone(&run));
        RunRecorder(run)
    }

    fn find(&self, id: usize) -> Option<Arc<LiveRun>> {
        lock(&self.0).runs.iter().find(|run| run.id == id).cloned()
    }
}

impl RunRecorder {
    /// Records an event, for [`Run::on_event`](tool_runtime::session::Run::on_event). Arguments that a hook adds
    /// ([`Decision::RunWith`](tool_runtime::dispatch::Decision::RunWith)) are not recorded.
    pub fn record(&self, event: &Event) {
        let at_ms = self.0.started.elapsed().as_secs_f64() * 1_000.0;
        let line = json!({"at_ms": at_ms, "event": event}).to_string();
        self.0.change(|events| {
            if events.bytes + line.len() > MAX_BYTES {
                events.skipped += 1;
            } else {
                events.bytes += line.len();
                events.lines.push(line.into());
            }
        });
    }
}

impl Drop for RunRecorder {
    fn drop(&mut self) {
        self.0.change(|events| events.has_ended = true);
    }
}

impl LiveRun {
    fn change(&self, change: impl FnOnce(&mut Events)) {
        change(&mut lock(&self.events));
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }

    /// The lines after those that were sent, and whether no line follows.
    fn lines_after(&self, sent: usize) -> (Vec<Arc<str>>, bool) {
        let events = lock(&self.events);
        let mut lines = events.lines[sent.min(events.lines.len())..].to_vec();
        if events.has_ended && events.skipped > 0 {
            lines.push(json!({"skipped": events.skipped}).to_string().into());
        }
        (lines, events.has_ended)
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for LiveRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveRuns").field("runs", &lock(&self.0).runs.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for RunRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunRecorder").field("title", &self.0.title).finish_non_exhaustive()
    }
}

/// A run in the list of the page.
#[derive(Debug, Serialize)]
pub(crate) struct ListedRun {
    id: String,
    title: String,
    started_ms_ago: u128,
    has_ended: bool,
}

/// The runs, the newest first.
pub(crate) async fn list(State(shared): State<Shared>) -> Result<Json<Vec<ListedRun>>, ApiError> {
    let runs = lock(&runs(&shared)?.0).runs.clone();
    let listed = runs.iter().rev().map(|run| ListedRun {
        id: run.id.to_string(),
        title: run.title.clone(),
        started_ms_ago: run.started.elapsed().as_millis(),
        has_ended: lock(&run.events).has_ended,
    });
    Ok(Json(listed.collect()))
}

/// The events of a run as lines: all so far, then each when it happens.
pub(crate) async fn events(
    State(shared): State<Shared>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let runs = runs(&shared)?;
    let run = id.parse().ok().and_then(|id| runs.find(id));
    let run = run.ok_or_else(|| ApiError::not_found(format!("there is no run {id}")))?;
    let changes = run.changes.subscribe();
    let next = |(run, mut changes, sent, has_ended): (Arc<LiveRun>, watch::Receiver<usize>, usize, bool)| async move {
        if has_ended {
            return None;
        }
        loop {
            changes.mark_unchanged();
            let (lines, has_ended) = run.lines_after(sent);
            if !lines.is_empty() || has_ended {
                let sent = sent + lines.len();
                let text = lines.iter().flat_map(|line| [&**line, "\n"]).collect();
                return Some((text, (run, changes, sent, has_ended)));
            }
            // The sender is part of the run.
            changes.changed().await.ok()?;
        }
    };
    Ok(lines_response(stream::unfold((run, changes, 0, false), next)))
}

fn runs(shared: &Inspection) -> Result<&LiveRuns, ApiError> {
    shared.settings.runs.as_ref().ok_or_else(|| ApiError::not_found("this inspector has no live runs"))
}
