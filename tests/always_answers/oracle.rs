//! The oracle: the possible ends of each call, and the time of the last one.

use crate::ending::{Ending, limited};
use crate::layered::{self, never};
use crate::limited_tools;
use crate::plan::{Batch, Kind, Planned};
use crate::settings::{Hook, Settings, is_target_of_hook};
use crate::tools::LONG;
use crate::{FOREVER, TIMER_DELAY};
use std::time::Duration;

pub(crate) struct Oracle<'a> {
    pub(crate) settings: &'a Settings,
    /// The time at which the last call must have ended.
    pub(crate) latest: Duration,
    calls: Vec<Vec<Expected<'a>>>,
}

/// The ends of a call that is not cancelled.
struct Expected<'a> {
    planned: &'a Planned,
    /// The duration of the hook.
    deciding: Duration,
    reached: Reached,
    /// After the decision and the queue.
    endings: Vec<Ending>,
}

/// How far a call comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reached {
    /// It is rejected at once.
    Nothing,
    /// The hook decides, and the call does not run.
    Decision,
    /// It waits in the queue, and `max_calls` is reached.
    CallLimit,
    /// It waits in the queue. Which calls of the batch reach `max_calls` is not certain.
    StartOrLimit,
    Start,
}

fn limit_reached(tool: &str, limit: usize) -> Ending {
    let times = if limit == 1 { "once".to_owned() } else { format!("{limit} times") };
    let text = format!("not run: `{tool}` may be called only {times}, and this limit is reached.");
    Ending::error("call_limit", text)
}

/// The possible ends of a call in its dispatch.
pub(crate) struct Possible<'a> {
    pub(crate) planned: &'a Planned,
    /// The times are since the start of the dispatch.
    pub(crate) endings: Vec<Ending>,
    /// Whether the call starts to run; `None` if this is not certain.
    pub(crate) starts: Option<bool>,
    /// Whether it ends before this dispatch is dropped.
    pub(crate) ends_before_drop: bool,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(settings: &'a Settings, batches: &'a [Batch]) -> Self {
        let mut oracle = Oracle { settings, latest: Duration::ZERO, calls: Vec::new() };
        let numbered = batches.iter().enumerate();
        oracle.calls = numbered.map(|(tenant, batch)| oracle.batch(tenant, batch)).collect();
        oracle.latest = oracle
            .end_of_all_work()
            .min(settings.cancelled_after.unwrap_or(FOREVER))
            .min(settings.dropped_after.unwrap_or(FOREVER));
        oracle
    }

    fn batch(&self, tenant: usize, batch: &'a Batch) -> Vec<Expected<'a>> {
        let calls = batch.calls.iter().enumerate();
        let allowed = batch.allowed.as_deref();
        let mut calls: Vec<_> =
            calls.map(|(position, planned)| self.expected(tenant, position, planned, allowed)).collect();
        for tool in limited_tools::NAMES {
            let Some(limit) = self.settings.limits_of(tool).max_calls else { continue };
            // Calls of a large batch that wait at the same time continue in any order, and so do those that wait for their tool
            // and then for the registry.
            let has_both_queues = self.settings.max_concurrency.is_some()
                && self.settings.limits_of(tool).max_concurrency.is_some();
            let is_ordered = batch.calls.len() <= 30 && !has_both_queues;
            let is_counted =
                |call: &&mut Expected<'_>| call.planned.call.name == tool && call.reached == Reached::Start;
            for (index, call) in calls.iter_mut().filter(is_counted).enumerate() {
                let waits = !call.deciding.is_zero() || self.has_queue(call.planned);
                if waits && !is_ordered {
                    call.reached = Reached::StartOrLimit;
                    call.endings.push(limit_reached(tool, limit));
                } else if index >= limit {
                    call.reached = Reached::CallLimit;
                    call.endings = vec![limit_reached(tool, limit)];
                }
            }
        }
        calls
    }

    /// The number of calls of the tool that reach `max_calls`.
    pub(crate) fn calls_beyond_limit(&self, tenant: usize, tool: &str) -> usize {
        let reach_limit = |call: &&Expected<'_>| {
            call.planned.call.name == tool && !matches!(call.reached, Reached::Nothing | Reached::Decision)
        };
        let calls = self.calls[tenant].iter().filter(reach_limit).count();
        calls.saturating_sub(self.settings.limits_of(tool).max_calls.unwrap_or(usize::MAX))
    }

    fn end_of_all_work(&self) -> Duration {
        let calls = || self.calls.iter().flatten();
        let worked = |call: &Expected<'_>| call.endings.iter().map(|it| it.latest).max().unwrap_or_default();
        let deciding = calls().map(|call| call.deciding).max().unwrap_or_default() + TIMER_DELAY;
        let longest = calls().map(worked).max().unwrap_or_default();
        // First in, first out: a call waits only while all permits are taken. A timer may be late each time that a permit
        // is passed on.
        let late = Duration::from_millis(calls().count() as u64);
        let of_registry = self.settings.max_concurrency.map_or(Duration::ZERO, |permits| {
            calls().map(worked).sum::<Duration>() / u32::try_from(permits).unwrap_or(u32::MAX) + late
        });
        let of_tools: Duration = calls().filter(|call| self.has_own_queue(call.planned)).map(worked).sum();
        let of_tools = if of_tools.is_zero() { of_tools } else { of_tools + late };
        deciding + longest + of_registry + of_tools
    }

    pub(crate) fn has_queue(&self, planned: &Planned) -> bool {
        self.settings.max_concurrency.is_some() || self.has_own_queue(planned)
    }

    /// Whether the tool has a limit of concurrent calls.
    fn has_own_queue(&self, planned: &Planned) -> bool {
        self.settings.limits_of(&planned.call.name).max_concurrency.is_some()
    }

    /// The possible ends of a call, including those of a cancellation.
    pub(crate) fn possible(&self, tenant: usize, position: usize) -> Possible<'_> {
        let Expected { planned, deciding, reached, ref endings } = self.calls[tenant][position];
        // A call that waits for a permit may begin and end at any time.
        let waits = self.has_queue(planned) && !matches!(reached, Reached::Nothing | Reached::Decision);
        let in_dispatch = |ending: &Ending| {
            let Ending { earliest, latest, .. } = ending.clone().following(&Ending::output("").at(deciding));
            ending.clone().between(earliest, if waits { self.latest.max(latest) } else { latest })
        };
        let endings: Vec<Ending> = endings.iter().map(in_dispatch).collect();
        let ends_before = |time: Option<Duration>| {
            let is_before = |time| endings.iter().all(|it| it.latest + TIMER_DELAY < time);
            time.is_none_or(|time| reached == Reached::Nothing || is_before(time))
        };
        let ends_before_drop = ends_before(self.settings.dropped_after);
        let starts = (reached != Reached::StartOrLimit).then_some(reached == Reached::Start);
        match self.settings.cancelled_after {
            Some(after) if !ends_before(Some(after)) => {
                let endings = self.with_cancellation(tenant, position, waits, endings, after);
                Possible { planned, endings, starts: None, ends_before_drop }
            }
            _ => Possible { planned, endings, starts, ends_before_drop },
        }
    }

    fn with_cancellation(
        &self,
        tenant: usize,
        position: usize,
        waits: bool,
        mut endings: Vec<Ending>,
        after: Duration,
    ) -> Vec<Ending> {
        let Expected { planned, deciding, reached, .. } = self.calls[tenant][position];
        let mut cancelled = vec![Ending::cancelled()];
        if matches!(reached, Reached::Start | Reached::StartOrLimit) {
            let begins_before = !waits && deciding + TIMER_DELAY < after;
            let ends_after = endings.iter().all(|it| it.earliest > after + TIMER_DELAY);
            if planned.kind == Kind::HangsUntilCancelled {
                cancelled.push(Ending::output("stopped"));
                if planned.middleware.is_empty() && begins_before && ends_after {
                    cancelled.remove(0);
                }
            }
            let run = |runs: u32| {
                let of_run = |ending: &Ending| Ending { runs, ..ending.clone() };
                let mut ended: Vec<Ending> = cancelled.iter().map(of_run).collect();
                ended.extend(self.run_of_tool(tenant, planned, runs));
                ended
            };
            if !planned.middleware.is_empty() {
                let name = &planned.call.name;
                let interrupted = layered::endings(name, &planned.middleware, &run, 0);
                cancelled.extend(interrupted);
            }
        }
        endings.retain(|ending| ending.earliest <= after + TIMER_DELAY);
        endings.extend(cancelled.into_iter().map(|it| it.between(after, after + TIMER_DELAY)));
        endings
    }

    fn expected(
        &self,
        tenant: usize,
        position: usize,
        planned: &'a Planned,
        allowed: Option<&[&str]>,
    ) -> Expected<'a> {
        let ended = |reached, ending| {
            let deciding = Duration::ZERO;
            Expected { planned, deciding, reached, endings: vec![ending] }
        };
        if let Some(rejection) = self.rejection(position, planned, allowed) {
            return ended(Reached::Nothing, rejection);
        }
        let name = &planned.call.name;
        let is_target = is_target_of_hook(name, &planned.call.arguments);
        let deciding = match self.settings.hook {
            None | Some(Hook::Undecided) if matches!(planned.kind, Kind::NeedsApproval(_)) => {
                let text = format!("the tool `{name}` needs approval, which was not given.");
                return ended(Reached::Decision, Ending::error("needs_approval", text));
            }
            Some(Hook::Denies) if is_target => {
                return ended(Reached::Decision, Ending::error("denied", "denied by the hook"));
            }
            Some(Hook::Answers) if is_target => {
                return ended(Reached::Decision, Ending::output("answered by the hook"));
            }
            Some(Hook::Panics) if is_target => {
                let text = format!("the tool `{name}` was not run: the approval check failed.");
                return ended(Reached::Decision, Ending::error("hook_panic", text));
            }
            Some(Hook::Hangs) if is_target => FOREVER,
            Some(Hook::Slow(deciding)) => deciding,
            _ => Duration::ZERO,
        };
        if let Some(limit) = self.timeout(planned).filter(|limit| deciding > *limit) {
            let ms = limit.as_millis();
            let text =
                format!("the tool `{name}` was not run: the approval check did not finish within {ms} ms.");
            let expected = ended(Reached::Decision, Ending::error("hook_timeout", text));
            return Expected { deciding: limit, ..expected };
        }
        let run = |runs| self.run_of_tool(tenant, planned, runs);
        let mut endings = layered::endings(name, &planned.middleware, &run, 0);
        if !planned.middleware.is_empty() {
            endings = limited(endings, self.settings.call_timeout, |limit, ending| {
                Ending::timed_out(name, limit, ending.has_begun)
            });
        }
        Expected { planned, deciding, reached: Reached::Start, endings }
    }

    /// The result of a call that does not reach the hook.
    fn rejection(&self, position: usize, planned: &Planned, allowed: Option<&[&str]>) -> Option<Ending> {
        let name = &*planned.call.name;
        if let Some(limit) = self.settings.max_calls.filter(|limit| position >= *limit) {
            let calls = if limit == 1 { "call" } else { "calls" };
            let text = format!(
                "not run: a reply may have at most {limit} {calls}. Send no more calls in one reply."
            );
            return Some(Ending::error("too_many_calls", text));
        }
        if planned.kind == Kind::Unknown {
            return Some(Ending::error_prefix("unknown_tool", "there is no tool `"));
        }
        if allowed.is_some_and(|allowed| !allowed.contains(&name)) {
            let text = format!("the tool `{name}` may not be called now. ");
            return Some(Ending::error_prefix("not_allowed", text));
        }
        match planned.kind {
            Kind::NotJson => Some(Ending::error_prefix("not_json", "the arguments of `succeeds` are ")),
            Kind::WrongArguments => {
                let text = format!("invalid arguments for `{name}`: ");
                Some(Ending::error_prefix("invalid_arguments", text))
            }
            Kind::DecoderPanics => Some(Ending::panicked(name)),
            _ => None,
        }
    }

    /// The time limit of one run, without `call_timeout`.
    fn timeout(&self, planned: &Planned) -> Option<Duration> {
        match planned.kind {
            Kind::SleepsWithTimeout(_) => Some(Duration::from_millis(20)),
            _ => self.settings.timeout,
        }
    }

    /// The possible ends of one run of the tool, after this number of runs of the call.
    fn run_of_tool(&self, tenant: usize, planned: &Planned, runs: u32) -> Vec<Ending> {
        let name = &*planned.call.name;
        let ms = Duration::from_millis;
        let ending = match planned.kind {
            Kind::Unknown | Kind::NotJson | Kind::WrongArguments | Kind::DecoderPanics => {
                unreachable!("the call does not run")
            }
            Kind::Succeeds(n) => Ending::output(format!("{n} of {tenant}")),
            Kind::Fails(n) => Ending::error("returned", format!("{n} failed")),
            Kind::PanicsAtOnce | Kind::PanicsOnAThread | Kind::SerializerPanics => Ending::panicked(name),
            Kind::PanicsAfter(time) => Ending::panicked(name).at(ms(time)),
            Kind::Sleeps(time)
            | Kind::SleepsReadOnly(time)
            | Kind::SleepsWithTimeout(time)
            | Kind::Limited(_, time) => Ending::output(format!("slept {time}")).at(ms(time)),
            Kind::Hangs | Kind::HangsUntilCancelled => never(),
            Kind::Blocks(n) => Ending::output(format!("blocked {n}")),
            Kind::ReturnsLong => Ending::output("0123456789".repeat(LONG / 10)),
            Kind::Unserializable => {
                let text = format!("the result of `{name}` cannot be written as JSON: key must be a string.");
                Ending::error("unserializable", text)
            }
            Kind::NeedsApproval(n) => Ending::output(format!("approved {n}")),
            Kind::Flaky(failures) if runs < failures => {
                Ending::error("returned", format!("failure {}", runs + 1))
            }
            Kind::Flaky(_) => Ending::output(format!("run {}", runs + 1)),
            Kind::Reports { steps, ms: time } => {
                let step = |ending: Ending, _| ending.after(ms(time));
                (0..steps).fold(Ending::output(format!("reported {steps}")), step)
            }
        };
        let ending = Ending { has_begun: true, runs: runs + 1, ..ending };
        // With middleware, `call_timeout` limits all runs together.
        let of_call = self.settings.call_timeout.filter(|_| planned.middleware.is_empty());
        let limit = self.timeout(planned).into_iter().chain(of_call).min();
        limited(vec![ending], limit, |limit, _| Ending::timed_out(name, limit, true))
    }
}
