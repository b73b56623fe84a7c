//! What the answer to each call must be, and by when.

use crate::plan::{Hook, Kind, Planned, Settings};
use crate::tools::LONG;
use crate::{FOR_EVER, LATE};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tool_runtime::ToolMessage;

pub(crate) struct Oracle<'a> {
    settings: &'a Settings,
    /// When the last answer must be there.
    pub(crate) latest: Duration,
}

/// One thing that a call may come to.
#[derive(Debug)]
struct Result {
    /// The text, or how it begins.
    text: Text,
    /// The kind of failure, if it is one.
    error: Option<&'static str>,
}

#[derive(Debug)]
enum Text {
    Whole(String),
    Beginning(&'static str),
}

/// What a call comes to if nobody cancels it, and how long it is decided upon and at work for that.
struct Course {
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

fn beginning(kind: &'static str, text: &'static str) -> Result {
    Result { text: Text::Beginning(text), error: Some(kind) }
}

fn at_once(result: Result) -> Course {
    Course { results: vec![result], deciding: Duration::ZERO, working: Duration::ZERO }
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(settings: &'a Settings, batches: &[Vec<Planned>]) -> Self {
        let mut oracle = Oracle { settings, latest: Duration::ZERO };
        let courses: Vec<Course> = batches
            .iter()
            .enumerate()
            .flat_map(|(tenant, batch)| {
                batch.iter().enumerate().map(move |(place, planned)| (tenant, place, planned))
            })
            .map(|(tenant, place, planned)| oracle.course(tenant, place, planned))
            .collect();
        let deciding = courses.iter().map(|course| course.deciding).max().unwrap_or_default();
        let working = courses.iter().map(|course| course.working).max().unwrap_or_default();
        let ends = match settings.max_concurrency {
            None => courses.iter().map(|course| course.deciding + course.working).max().unwrap_or_default(),
            // First come, first served: whoever waits, waits for all places to be taken.
            Some(places) => {
                let work: Duration = courses.iter().map(|course| course.working).sum();
                deciding + working + work / u32::try_from(places).unwrap_or(u32::MAX)
            }
        };
        // A timer may be late each time that a place is handed on.
        let late = if settings.max_concurrency.is_some() {
            Duration::from_millis(courses.len() as u64)
        } else {
            LATE
        };
        oracle.latest = (ends + late)
            .min(settings.cancelled_after.unwrap_or(FOR_EVER))
            .min(settings.dropped_after.unwrap_or(FOR_EVER));
        oracle
    }

    pub(crate) fn assert_answered(
        &self,
        tenant: usize,
        batch: &[Planned],
        answers: &[ToolMessage],
        told: &mut Tally,
    ) {
        assert_eq!(answers.len(), batch.len(), "one message for each call");
        for (place, (planned, answer)) in batch.iter().zip(answers).enumerate() {
            assert_eq!(answer.tool_call_id, planned.call.id, "in the order of the calls, with their ids");
            let outcome = answer.outcome().expect("a dispatched call has an outcome");
            let kind = outcome.error().map(tool_runtime::CallError::kind);
            let possible = self.possible(tenant, place, planned);
            assert!(
                possible.iter().any(|it| it.error == kind && self.is_said(&it.text, answer.text())),
                "call {place}, {:?}: got {kind:?} {:.200}, where it may be {:.2000}",
                planned.kind,
                answer.content,
                format!("{possible:?}")
            );
            assert!(
                outcome.duration() <= self.latest + LATE,
                "{:?} for {:?}",
                outcome.duration(),
                planned.kind
            );
            assert!(outcome.queue_time() <= outcome.duration());
            assert!(self.settings.max_concurrency.is_some() || outcome.queue_time().is_zero());
            told.count(kind.unwrap_or("succeeded"));
            if outcome.answered_by_hook() {
                told.count("answered by the hook");
            }
        }
    }

    /// What may be answered, with the cancellation that there may be.
    fn possible(&self, tenant: usize, place: usize, planned: &Planned) -> Vec<Result> {
        let Course { mut results, deciding, working } = self.course(tenant, place, planned);
        let Some(cancelled_after) = self.settings.cancelled_after else { return results };
        let is_failed_before = results.iter().all(|it| {
            matches!(it.error, Some("too_many_calls" | "unknown_tool" | "not_json" | "invalid_arguments"))
        }) || planned.kind == Kind::TakesATrap;
        // Who waits for a turn may begin and end at any time.
        let waits = self.settings.max_concurrency.is_some();
        let ends = deciding + working;
        if is_failed_before || !waits && ends + LATE < cancelled_after {
            return results;
        }
        let begins_before = !waits && deciding + LATE < cancelled_after;
        let ends_after = !waits && ends > cancelled_after + LATE;
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

    fn course(&self, tenant: usize, place: usize, planned: &Planned) -> Course {
        if let Some(limit) = self.settings.max_calls.filter(|limit| place >= *limit) {
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
            Kind::Unknown => return at_once(beginning("unknown_tool", "Error: there is no tool `")),
            Kind::NotJson => {
                return at_once(beginning(
                    "not_json",
                    "Error: the arguments of `succeeds` are not valid JSON (",
                ));
            }
            Kind::WrongArguments => {
                return at_once(beginning("invalid_arguments", "Error: invalid arguments for `succeeds`: "));
            }
            Kind::TakesATrap => return at_once(panicked()),
            Kind::Succeeds(n) => (whole(format!("{n} of {tenant}")), 0),
            Kind::Fails(n) => (error("returned", format!("{n} failed")), 0),
            Kind::PanicsAtOnce | Kind::PanicsOnAThread | Kind::ReturnsATrap => (panicked(), 0),
            Kind::PanicsAfter(ms) => (panicked(), ms),
            Kind::Sleeps(ms) | Kind::SleepsReadOnly(ms) | Kind::SleepsInItsTime(ms) => {
                (whole(format!("slept {ms}")), ms)
            }
            Kind::Hangs | Kind::HangsUntilCancelled => (whole("never said"), u64::MAX),
            Kind::Blocks(n) => (whole(format!("blocked {n}")), 0),
            Kind::ReturnsLong => (whole("0123456789".repeat(LONG / 10)), 0),
            Kind::Unwritable => (
                error(
                    "unserializable",
                    format!("the result of `{name}` cannot be written as JSON: key must be a string."),
                ),
                0,
            ),
            Kind::NeedsApproval(n) => (whole(format!("approved {n}")), 0),
        };
        let working = if working == u64::MAX { FOR_EVER } else { Duration::from_millis(working) };
        self.decided(planned, result, working)
    }

    /// What the hook makes of a call that comes to this.
    fn decided(&self, planned: &Planned, result: Result, working: Duration) -> Course {
        let is_meant = matches!(planned.kind, Kind::Succeeds(_));
        let name = &planned.call.name;
        let allowed = match planned.kind {
            Kind::SleepsInItsTime(_) => Some(Duration::from_millis(20)),
            _ => self.settings.timeout,
        };
        match self.settings.hook {
            None | Some(Hook::Undecided) if matches!(planned.kind, Kind::NeedsApproval(_)) => {
                let text = format!("the tool `{name}` needs approval, which was not given.");
                at_once(error("needs_approval", text))
            }
            Some(Hook::Denies) if is_meant => at_once(error("denied", "denied by the hook")),
            Some(Hook::Answers) if is_meant => at_once(whole("answered by the hook")),
            Some(Hook::Panics) if is_meant => {
                let text = format!("the tool `{name}` was not run: the approval check failed.");
                at_once(error("hook_panic", text))
            }
            Some(Hook::Hangs) if is_meant => decided_in_time(name, allowed, FOR_EVER, result, working),
            Some(Hook::Slow(deciding)) => decided_in_time(name, allowed, deciding, result, working),
            _ => in_time(name, allowed, result, working),
        }
    }

    /// Whether this is what is said, whole or cut.
    fn is_said(&self, text: &Text, content: &str) -> bool {
        let most = self.settings.max_output_bytes.unwrap_or(usize::MAX);
        // That it is an error is always said.
        let is_short = content.len() <= most || content == "Error: ";
        is_short
            && match (text, parted(content)) {
                (Text::Whole(text), _) if text.len() <= most => content == text,
                (Text::Whole(text), Some((head, tail, left_out))) => {
                    text.starts_with(head)
                        && text.ends_with(tail)
                        && head.len() + left_out + tail.len() == text.len()
                }
                // There was no room to say that it was cut.
                (Text::Whole(text), None) => most < 50 && text.starts_with(content),
                (Text::Beginning(text), Some((head, ..))) => head.starts_with(text) || text.starts_with(head),
                (Text::Beginning(text), None) => {
                    content.starts_with(text) || most < 50 && text.starts_with(content)
                }
            }
    }
}

/// What a call comes to whose hook takes so long.
fn decided_in_time(
    name: &str,
    allowed: Option<Duration>,
    deciding: Duration,
    result: Result,
    working: Duration,
) -> Course {
    let Some(allowed) = allowed.filter(|allowed| deciding > *allowed) else {
        return Course { deciding, ..in_time(name, allowed, result, working) };
    };
    let ms = allowed.as_millis();
    let text = format!("the tool `{name}` was not run: the approval check did not finish within {ms} ms.");
    Course { deciding: allowed, ..at_once(error("hook_timeout", text)) }
}

/// What a tool that works so long comes to in its time; either of two if both come at once.
fn in_time(name: &str, allowed: Option<Duration>, result: Result, working: Duration) -> Course {
    let Some(allowed) = allowed.filter(|allowed| working + LATE > *allowed) else {
        return Course { results: vec![result], deciding: Duration::ZERO, working };
    };
    let effect = if name == "sleeps_read_only" { "" } else { " It may have taken effect." };
    let ms = allowed.as_millis();
    let text = format!("the tool `{name}` did not finish within {ms} ms.{effect}");
    let mut results = vec![error("timeout", text)];
    if working < allowed + LATE {
        results.push(result);
    }
    Course { results, deciding: Duration::ZERO, working: working.min(allowed) }
}

/// Head and tail of a text that was cut, and how many bytes were left out between them.
fn parted(content: &str) -> Option<(&str, &str, usize)> {
    let (head, rest) = content.split_once("\n[... ")?;
    let (left_out, tail) = rest.split_once(" bytes left out ...]\n")?;
    Some((head, tail, left_out.parse().ok()?))
}

/// How often each thing was told.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<&'static str, u64>);

impl Tally {
    fn count(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// A run of some length comes by everything.
    pub(crate) fn assert_that_everything_was_tried(&self) {
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
            let missing: Vec<_> = everything.iter().filter(|what| !self.0.contains_key(*what)).collect();
            assert!(missing.is_empty(), "never tried: {missing:?}");
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told: Vec<String> = self.0.iter().map(|(what, times)| format!("{what} {times}")).collect();
        write!(f, "{} calls: {}", self.0.values().sum::<u64>(), told.join(", "))
    }
}
