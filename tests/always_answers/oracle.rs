//! The oracle: the expected tool message of each call, and the time of the last one.

use crate::plan::{Hook, Kind, Planned, Settings};
use crate::tools::LONG;
use crate::{FOREVER, TIMER_DELAY};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tool_runtime::ToolMessage;

pub(crate) struct Oracle<'a> {
    settings: &'a Settings,
    /// The time at which the last call must have finished.
    pub(crate) latest: Duration,
}

/// One possible result of a call.
#[derive(Debug)]
struct Result {
    /// The text or its prefix.
    text: Text,
    /// The kind of failure, if it is one.
    error: Option<&'static str>,
}

#[derive(Debug)]
enum Text {
    Whole(String),
    Prefix(&'static str),
}

/// The possible results of a call that is not cancelled, and how long its hook and its tool take.
struct Expected {
    results: Vec<Result>,
    deciding: Duration,
    working: Duration,
}

fn whole(text: impl Into<String>) -> Result {
    Result { text: Text::Whole(text.into()), error: None }
}

fn error(kind: &'static str, text: impl fmt::Display) -> Result {
    Result { text: Text::Whole(format!("Error: {text}")), error: Some(kind) }
}

fn prefix(kind: &'static str, text: &'static str) -> Result {
    Result { text: Text::Prefix(text), error: Some(kind) }
}

fn at_once(result: Result) -> Expected {
    Expected { results: vec![result], deciding: Duration::ZERO, working: Duration::ZERO }
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(settings: &'a Settings, batches: &[Vec<Planned>]) -> Self {
        let mut oracle = Oracle { settings, latest: Duration::ZERO };
        let expected: Vec<Expected> = batches
            .iter()
            .enumerate()
            .flat_map(|(tenant, batch)| {
                batch.iter().enumerate().map(move |(index, planned)| (tenant, index, planned))
            })
            .map(|(tenant, index, planned)| oracle.expected(tenant, index, planned))
            .collect();
        let deciding = expected.iter().map(|expected| expected.deciding).max().unwrap_or_default();
        let working = expected.iter().map(|expected| expected.working).max().unwrap_or_default();
        let ends = match settings.max_concurrency {
            None => {
                expected.iter().map(|expected| expected.deciding + expected.working).max().unwrap_or_default()
            }
            // First in, first out: a call waits only while all permits are taken.
            Some(permits) => {
                let work: Duration = expected.iter().map(|expected| expected.working).sum();
                deciding + working + work / u32::try_from(permits).unwrap_or(u32::MAX)
            }
        };
        // A timer may be late each time that a permit is passed on.
        let late = if settings.max_concurrency.is_some() {
            Duration::from_millis(expected.len() as u64)
        } else {
            TIMER_DELAY
        };
        oracle.latest = (ends + late)
            .min(settings.cancelled_after.unwrap_or(FOREVER))
            .min(settings.dropped_after.unwrap_or(FOREVER));
        oracle
    }

    pub(crate) fn assert_answered(
        &self,
        tenant: usize,
        batch: &[Planned],
        answers: &[ToolMessage],
        tally: &mut Tally,
    ) {
        assert_eq!(answers.len(), batch.len(), "one message for each call");
        for (index, (planned, answer)) in batch.iter().zip(answers).enumerate() {
            assert_eq!(answer.tool_call_id, planned.call.id, "in the order of the calls, with their ids");
            let outcome = answer.outcome().expect("a dispatched call has an outcome");
            let kind = outcome.error().map(tool_runtime::CallError::kind);
            let possible = self.possible(tenant, index, planned);
            assert!(
                possible.iter().any(|it| it.error == kind && self.matches(&it.text, answer.text())),
                "call {index}, {:?}: got {kind:?} {:.200}, where it may be {:.2000}",
                planned.kind,
                answer.content,
                format!("{possible:?}")
            );
            assert!(
                outcome.duration() <= self.latest + TIMER_DELAY,
                "{:?} for {:?}",
                outcome.duration(),
                planned.kind
            );
            assert!(outcome.queue_time() <= outcome.duration());
            assert!(self.settings.max_concurrency.is_some() || outcome.queue_time().is_zero());
            tally.count(kind.unwrap_or("succeeded"));
            if outcome.responded_by_hook() {
                tally.count("answered by the hook");
            }
        }
    }

    /// The possible results of a call, including those of a cancellation.
    fn possible(&self, tenant: usize, index: usize, planned: &Planned) -> Vec<Result> {
        let Expected { mut results, deciding, working } = self.expected(tenant, index, planned);
        let Some(cancelled_after) = self.settings.cancelled_after else { return results };
        let is_failed_before = results.iter().all(|it| {
            matches!(it.error, Some("too_many_calls" | "unknown_tool" | "not_json" | "invalid_arguments"))
        }) || planned.kind == Kind::DecoderPanics;
        // A call that waits for a permit may begin and end at any time.
        let waits = self.settings.max_concurrency.is_some();
        let ends = deciding + working;
        if is_failed_before || !waits && ends + TIMER_DELAY < cancelled_after {
            return results;
        }
        let begins_before = !waits && deciding + TIMER_DELAY < cancelled_after;
        let ends_after = !waits && ends > cancelled_after + TIMER_DELAY;
        let mut cancelled = vec![error("cancelled", "cancelled before it finished")];
        if planned.kind == Kind::HangsUntilCancelled {
            if begins_before && ends_after {
                return vec![whole("stopped")];
            }
            cancelled.push(whole("stopped"));
        }
        if ends_after {
            return cancelled;
        }
        results.extend(cancelled);
        results
    }

    fn expected(&self, tenant: usize, index: usize, planned: &Planned) -> Expected {
        if let Some(limit) = self.settings.max_calls.filter(|limit| index >= *limit) {
            return at_once(error(
                "too_many_calls",
                format!(
                    "not run: a reply may have at most {limit} calls. Call it again in another reply if it is still needed."
                ),
            ));
        }
        let name = &planned.call.name;
        let panicked = || error("panic", format!("the tool `{name}` failed unexpectedly."));
        let (result, working) = match planned.kind {
            Kind::Unknown => return at_once(prefix("unknown_tool", "Error: there is no tool `")),
            Kind::NotJson => {
                return at_once(prefix(
                    "not_json",
                    "Error: the arguments of `succeeds` are not valid JSON (",
                ));
            }
            Kind::WrongArguments => {
                return at_once(prefix("invalid_arguments", "Error: invalid arguments for `succeeds`: "));
            }
            Kind::DecoderPanics => return at_once(panicked()),
            Kind::Succeeds(n) => (whole(format!("{n} of {tenant}")), 0),
            Kind::Fails(n) => (error("returned", format!("{n} failed")), 0),
            Kind::PanicsAtOnce | Kind::PanicsOnAThread | Kind::SerializerPanics => (panicked(), 0),
            Kind::PanicsAfter(ms) => (panicked(), ms),
            Kind::Sleeps(ms) | Kind::SleepsReadOnly(ms) | Kind::SleepsWithTimeout(ms) => {
                (whole(format!("slept {ms}")), ms)
            }
            Kind::Hangs | Kind::HangsUntilCancelled => (whole("never sent"), u64::MAX),
            Kind::Blocks(n) => (whole(format!("blocked {n}")), 0),
            Kind::ReturnsLong => (whole("0123456789".repeat(LONG / 10)), 0),
            Kind::Unserializable => (
                error(
                    "unserializable",
                    format!("the result of `{name}` cannot be written as JSON: key must be a string."),
                ),
                0,
            ),
            Kind::NeedsApproval(n) => (whole(format!("approved {n}")), 0),
        };
        let working = if working == u64::MAX { FOREVER } else { Duration::from_millis(working) };
        self.with_hook(planned, result, working)
    }

    /// The results of a call after the decision of the hook.
    fn with_hook(&self, planned: &Planned, result: Result, working: Duration) -> Expected {
        let is_target = matches!(planned.kind, Kind::Succeeds(_));
        let name = &planned.call.name;
        let limit = match planned.kind {
            Kind::SleepsWithTimeout(_) => Some(Duration::from_millis(20)),
            _ => self.settings.timeout,
        };
        match self.settings.hook {
            None | Some(Hook::Undecided) if matches!(planned.kind, Kind::NeedsApproval(_)) => {
                let text = format!("the tool `{name}` needs approval, which was not given.");
                at_once(error("needs_approval", text))
            }
            Some(Hook::Denies) if is_target => at_once(error("denied", "denied by the hook")),
            Some(Hook::Answers) if is_target => at_once(whole("answered by the hook")),
            Some(Hook::Panics) if is_target => {
                let text = format!("the tool `{name}` was not run: the approval check failed.");
                at_once(error("hook_panic", text))
            }
            Some(Hook::Hangs) if is_target => with_hook_limit(name, limit, FOREVER, result, working),
            Some(Hook::Slow(deciding)) => with_hook_limit(name, limit, deciding, result, working),
            _ => with_limit(name, limit, result, working),
        }
    }

    /// Whether the content is this text, complete or truncated.
    fn matches(&self, text: &Text, content: &str) -> bool {
        let max_bytes = self.settings.max_output_bytes.unwrap_or(usize::MAX);
        // `Error: ` is never truncated.
        let is_short = content.len() <= max_bytes || content == "Error: ";
        is_short
            && match (text, split_notice(content)) {
                (Text::Whole(text), _) if text.len() <= max_bytes => content == text,
                (Text::Whole(text), Some((head, tail, left_out))) => {
                    text.starts_with(head)
                        && text.ends_with(tail)
                        && head.len() + left_out + tail.len() == text.len()
                }
                // The limit is too small for the notice.
                (Text::Whole(text), None) => max_bytes < 50 && text.starts_with(content),
                (Text::Prefix(text), Some((head, ..))) => head.starts_with(text) || text.starts_with(head),
                (Text::Prefix(text), None) => {
                    content.starts_with(text) || max_bytes < 50 && text.starts_with(content)
                }
            }
    }
}

/// The results of a call whose hook takes this long.
fn with_hook_limit(
    name: &str,
    limit: Option<Duration>,
    deciding: Duration,
    result: Result,
    working: Duration,
) -> Expected {
    let Some(limit) = limit.filter(|limit| deciding > *limit) else {
        return Expected { deciding, ..with_limit(name, limit, result, working) };
    };
    let ms = limit.as_millis();
    let text = format!("the tool `{name}` was not run: the approval check did not finish within {ms} ms.");
    Expected { deciding: limit, ..at_once(error("hook_timeout", text)) }
}

/// The results of a tool that takes this long, with a time limit; two if it ends at about its limit.
fn with_limit(name: &str, limit: Option<Duration>, result: Result, working: Duration) -> Expected {
    let Some(limit) = limit.filter(|limit| working + TIMER_DELAY > *limit) else {
        return Expected { results: vec![result], deciding: Duration::ZERO, working };
    };
    let effect = if name == "sleeps_read_only" { "" } else { " It may have taken effect." };
    let ms = limit.as_millis();
    let text = format!("the tool `{name}` did not finish within {ms} ms.{effect}");
    let mut results = vec![error("timeout", text)];
    if working < limit + TIMER_DELAY {
        results.push(result);
    }
    Expected { results, deciding: Duration::ZERO, working: working.min(limit) }
}

/// The head and the tail of a truncated text, and the number of bytes between them.
fn split_notice(content: &str) -> Option<(&str, &str, usize)> {
    let (head, rest) = content.split_once("\n[... ")?;
    let (left_out, tail) = rest.split_once(" bytes left out ...]\n")?;
    Some((head, tail, left_out.parse().ok()?))
}

/// The number of calls with each result.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<String, u64>);

impl Tally {
    fn count(&mut self, what: &str) {
        *self.0.entry(what.to_owned()).or_default() += 1;
    }

    /// A long run must contain every kind of result.
    pub(crate) fn assert_all_kinds_occurred(&self) {
        let everything = [
            "succeeded",
            "answered by the hook",
            "unknown_tool",
            "not_json",
            "invalid_arguments",
            "needs_approval",
            "denied",
            "hook_panic",
            "hook_timeout",
            "too_many_calls",
            "cancelled",
            "timeout",
            "returned",
            "unserializable",
            "panic",
        ];
        if self.0.values().sum::<u64>() > 10_000 {
            let missing: Vec<_> = everything.iter().filter(|what| !self.0.contains_key(**what)).collect();
            assert!(missing.is_empty(), "never tried: {missing:?}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts: Vec<String> = self.0.iter().map(|(what, times)| format!("{what} {times}")).collect();
        write!(f, "{} calls: {}", self.0.values().sum::<u64>(), counts.join(", "))
    }
}
