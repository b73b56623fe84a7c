//! The oracle of middleware: the possible ends of a call from those of one run of its tool.

use crate::FOREVER;
use crate::ending::{Ending, Text, merged};
use crate::middleware::{Behaviour, joined_texts, mapped};
use std::time::Duration;

/// The possible ends of one run of a tool after this number of runs.
pub(crate) type Run<'a> = &'a dyn Fn(u32) -> Vec<Ending>;

/// The possible ends of a call with this middleware, the outermost first, after this number of runs.
pub(crate) fn endings(tool: &str, middleware: &[Behaviour], run: Run<'_>, runs: u32) -> Vec<Ending> {
    let Some((outer, inner)) = middleware.split_first() else { return run(runs) };
    let once = |runs| endings(tool, inner, run, runs);
    let replaced = |ending: Ending| vec![Ending { runs, ..ending }];
    let all = match *outer {
        Behaviour::Pass | Behaviour::Spawn | Behaviour::Keep => once(runs),
        Behaviour::Map => once(runs).into_iter().map(map).collect(),
        Behaviour::Replace(n) => replaced(Ending::output(format!("replaced {n}"))),
        Behaviour::ReplaceWithError(n) => replaced(Ending::error("returned", format!("closed {n}"))),
        Behaviour::Replay(kind) => replaced(Ending::error(kind, "as recorded")),
        Behaviour::PanicAtOnce | Behaviour::PanicBeforeRun => replaced(Ending::panicked(tool)),
        Behaviour::PanicAfterRun => replace(once(runs), &Ending::panicked(tool)),
        Behaviour::NeverEnd => replaced(never()),
        Behaviour::NeverEndAfterRun => {
            let never = |ending: Ending| ending.between(FOREVER, FOREVER);
            replace(once(runs), &Ending::output("never sent")).into_iter().map(never).collect()
        }
        Behaviour::Retry { times, pause } => retried(&once, runs, times, Duration::from_millis(pause)),
        Behaviour::RunTwice => pairs(&once, runs, |first, second| second.following(first)),
        Behaviour::RunTwiceAtOnce => pairs(&once, runs, |first, second| {
            let (earliest, latest) = (second.earliest, second.latest);
            second.between(earliest.max(first.earliest), latest.max(first.latest))
        }),
    };
    merged(all)
}

/// An end that never comes.
pub(crate) fn never() -> Ending {
    Ending::output("never sent").between(FOREVER, FOREVER)
}

fn map(ending: Ending) -> Ending {
    let text = match ending.text {
        Text::Whole(text) => Text::Whole(mapped(&text)),
        Text::Prefix(text) => unreachable!("`{text}` does not pass middleware"),
    };
    Ending { text, ..ending }
}

/// The same times with another result.
fn replace(endings: Vec<Ending>, by: &Ending) -> Vec<Ending> {
    let replaced = |Ending { earliest, latest, has_begun, runs, .. }| {
        let by = Ending { runs, ..by.clone() };
        by.between(earliest, latest).begun(has_begun)
    };
    endings.into_iter().map(replaced).collect()
}

fn retried(once: &dyn Fn(u32) -> Vec<Ending>, runs: u32, times: u32, pause: Duration) -> Vec<Ending> {
    let mut ended = Vec::new();
    let mut last = once(runs);
    for _ in 0..times {
        let (failed, succeeded): (Vec<_>, Vec<_>) = last.into_iter().partition(|it| it.error.is_some());
        ended.extend(succeeded);
        let again = |first: Ending| {
            let first = first.after(pause);
            once(first.runs).into_iter().map(move |second| second.following(&first))
        };
        last = merged(failed.into_iter().flat_map(again).collect());
    }
    ended.extend(last);
    ended
}

/// Two runs, with the time that `then` computes.
fn pairs(
    once: &dyn Fn(u32) -> Vec<Ending>,
    runs: u32,
    then: impl Fn(&Ending, Ending) -> Ending,
) -> Vec<Ending> {
    let mut ended = Vec::new();
    for first in once(runs) {
        for second in once(first.runs) {
            let text = Text::Whole(joined_texts(&first.whole_text(), &second.whole_text()));
            let has_begun = first.has_begun || second.has_begun;
            ended.push(Ending { error: None, text, ..then(&first, second) }.begun(has_begun));
        }
    }
    ended
}
