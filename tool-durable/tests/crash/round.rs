//! A round: a program that is killed again and again, until it has run its sessions to their end.

use crate::calls::calls;
use crate::child::{NO_JOURNAL, Settings, Task};
use crate::ledger::{self, Entry, Line};
use crate::oracle;
use crate::plan::{Kind, Plan, Tool};
use crate::process::Process;
use crate::stage::Stage;
use crate::store::Store;
use crate::tally::Tally;
use fastrand::Rng;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;
use tool_runtime::Session;

/// The kills of a round at most.
const MAX_KILLS: usize = 10;

pub(crate) struct Round<'a> {
    folder: &'a Path,
    seed: u64,
    plans: Vec<Plan>,
    random: Rng,
    tally: Tally,
}

/// The moment at which a process is killed.
struct Kill {
    entries: usize,
    /// The process itself stops at the entry; otherwise it continues for so long.
    delay: Option<Duration>,
}

impl Kill {
    /// A random moment in a process of a round with so many kinds. With each of them, a process writes more entries.
    fn random(random: &mut Rng, kinds: usize) -> Self {
        let entries = if random.bool() { random.usize(..40 * (1 + kinds)) } else { random.usize(..10) };
        let delay = match random.u8(..10) {
            0..5 => None,
            5 => Some(0),
            6 | 7 => Some(random.u64(..1000)),
            _ => Some(random.u64(..10_000)),
        };
        // The first signal is not an entry, so the process does not stop there.
        let delay = delay.or_else(|| (entries == 0).then(|| random.u64(..10_000)));
        Kill { entries, delay: delay.map(Duration::from_micros) }
    }
}

impl<'a> Round<'a> {
    pub(crate) fn new(folder: &'a Path, seed: u64) -> Self {
        let plans = Plan::for_round(seed);
        let random = plans[0].random("kills");
        Round { folder, seed, plans, random, tally: Tally::default() }
    }

    pub(crate) fn play(mut self) -> Result<Tally, String> {
        let kinds = Kind::for_round(self.seed);
        let kills = self.random.usize(..=MAX_KILLS);
        let contended = self.random.usize(..40);
        for number in 0.. {
            if number == contended {
                self.start_two()?;
            }
            let kill = (number < kills).then(|| Kill::random(&mut self.random, kinds.len()));
            if self.has_finished(kill.as_ref())? {
                break;
            }
        }
        let sessions = self.check_finished()?;
        self.repeat(&sessions)?;
        for kind in kinds {
            self.tally.add_round(kind);
        }
        Ok(self.tally)
    }

    fn settings(&self) -> Settings {
        let (folder, seed) = (self.folder.to_owned(), self.seed);
        Settings { folder, seed, task: Task::Run, holds_at: None, waits: false }
    }

    /// Starts a process, and kills it or waits for its end. Returns whether the sessions have come to their end.
    fn has_finished(&mut self, kill: Option<&Kill>) -> Result<bool, String> {
        let Some(kill) = kill else {
            check_success(Process::start(&self.settings())?.wait()?)?;
            return Ok(true);
        };
        let holds_at = kill.delay.is_none().then_some(kill.entries);
        let mut process = Process::start(&Settings { holds_at, ..self.settings() })?;
        if !process.wait_for(kill.entries)? {
            check_success(process.wait()?)?;
            return Ok(true);
        }
        std::thread::sleep(kill.delay.unwrap_or_default());
        if process.kill()?.success() {
            return Ok(true);
        }
        let lines = ledger::lines(self.folder)?;
        self.tally.add_kill(Stage::of(&lines));
        self.tally.inner_kills += usize::from(lines.last().is_some_and(|line| line.session.contains('/')));
        ledger::append(self.folder, Entry::Killed)?;
        if self.plans.iter().all(|plan| has_open_call(plan, &lines)) && self.random.bool() {
            check_success(Process::start(&Settings { task: Task::Expire, ..self.settings() })?.wait()?)?;
            self.tally.expiries += 1;
        }
        Ok(false)
    }

    /// While one process has the journal open, another one cannot open it.
    fn start_two(&mut self) -> Result<(), String> {
        let mut first = Process::start(&Settings { waits: true, ..self.settings() })?;
        if !first.wait_for(1)? {
            return Err(format!("the first process does not open the journal: {}", first.wait()?));
        }
        let before = ledger::lines(self.folder)?;
        let second = Process::start(&self.settings())?.wait()?;
        if second.code() != Some(NO_JOURNAL) {
            return Err(format!("a second process opens the journal: {second}"));
        }
        let stderr = fs::read_to_string(self.folder.join("stderr")).map_err(|error| error.to_string())?;
        if !stderr.contains(&format!("is in use by process {}:", first.id())) {
            return Err(format!("the error does not name the first process, {}", first.id()));
        }
        if ledger::lines(self.folder)? != before {
            return Err("the second process has done something".to_owned());
        }
        self.tally.contended += 1;
        if self.random.bool() {
            first.go_on()?;
            return check_success(first.wait()?);
        }
        first.kill()?;
        ledger::append(self.folder, Entry::Killed)
    }

    /// Checks all sessions, including the inner ones, and returns them with their names.
    fn check_finished(&mut self) -> Result<BTreeMap<String, Session>, String> {
        let lines = ledger::lines(self.folder)?;
        let mut sessions = BTreeMap::new();
        let mut plans = Plan::for_round(self.seed);
        while let Some(plan) = plans.pop() {
            let in_session = |error| format!("session {}: {error}", plan.name);
            let store = Store::new(self.folder, &plan.name);
            let session = store.finished().map_err(in_session)?;
            let session = session.ok_or_else(|| in_session("the last state is not stored".to_owned()))?;
            let entries = ledger::entries_of(&lines, &plan.name);
            oracle::check(&plan, &entries, &session, &store.stored()?, &mut self.tally)
                .map_err(in_session)?;
            let outer =
                calls(&session)?.into_iter().filter(|call| call.call.name == Tool::HandleReturn.name());
            plans.extend(outer.map(|call| plan.inner(&call.order)));
            sessions.insert(plan.name, session);
        }
        for Line { session, entry } in &lines {
            match entry {
                Entry::Begun { .. } => {
                    if !sessions.contains_key(session) {
                        return Err(format!("a session without an outer call has an effect: {session}"));
                    }
                    self.tally.effects += 1;
                    self.tally.inner_effects += usize::from(session.contains('/'));
                }
                Entry::Cancelled | Entry::Dropped => self.tally.stopped_runs += 1,
                _ => {}
            }
        }
        Ok(sessions)
    }

    /// The finished program runs once more, from the sessions before the first run: nothing happens again.
    fn repeat(&self, sessions: &BTreeMap<String, Session>) -> Result<(), String> {
        let before = ledger::lines(self.folder)?.len();
        // The records of an inner session may have expired when its outer call had a result.
        let task = Task::Repeat { inner: self.tally.expiries == 0 };
        check_success(Process::start(&Settings { task, ..self.settings() })?.wait()?)?;
        let lines = ledger::lines(self.folder)?;
        let is_new = |line: &&Line| matches!(line.entry, Entry::Begun { .. } | Entry::Asked { .. });
        if let Some(line) = lines.iter().skip(before).find(is_new) {
            return Err(format!("the finished program does this again: {line:?}"));
        }
        for (name, session) in sessions {
            let repeated = Store::new(self.folder, name).finished()?.ok_or("a session is not stored")?;
            if let Some(difference) = oracle::difference(repeated.messages(), session.messages()) {
                return Err(format!("the finished session {name} ends differently: {difference}"));
            }
        }
        Ok(())
    }
}

/// Whether a call of a session has certainly begun in the last run of a process that was killed, and has no result.
fn has_open_call(plan: &Plan, lines: &[Line]) -> bool {
    // The other run may have ended a call that was interrupted in its run.
    if plan.has(Kind::Same) {
        return false;
    }
    let entries = ledger::entries_of(lines, &plan.name);
    let is_start = |entry: &Entry| matches!(entry, Entry::Run { .. } | Entry::Started);
    let run = &entries[entries.iter().rposition(is_start).unwrap_or_default()..];
    let is_done =
        |order: &str| run.iter().any(|entry| matches!(entry, Entry::Done { order: done } if done == order));
    run.iter().any(|entry| match entry {
        // A blocking function may begin late, when its call is already reported as interrupted, and a read may begin
        // before its reply is recorded.
        Entry::Begun { order, .. } => {
            !matches!(plan.tool(order), Some(Tool::PrintLabel | Tool::FindOrder)) && !is_done(order)
        }
        _ => false,
    })
}

fn check_success(status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("a process fails: {status}")) }
}
