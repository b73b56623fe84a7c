//! A round: a program that is killed again and again, until it has run one session to its end.

use crate::child::{NO_JOURNAL, Settings};
use crate::ledger::{self, Entry};
use crate::oracle;
use crate::plan::{Plan, Tool};
use crate::process::Process;
use crate::stage::Stage;
use crate::store::Store;
use crate::tally::Tally;
use fastrand::Rng;
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
    plan: Plan,
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
    fn random(random: &mut Rng) -> Self {
        let entries = if random.bool() { random.usize(..40) } else { random.usize(..10) };
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
        let plan = Plan::new(seed);
        let random = plan.random("kills");
        Round { folder, seed, plan, random, tally: Tally::default() }
    }

    pub(crate) fn play(mut self) -> Result<Tally, String> {
        let kills = self.random.usize(..=MAX_KILLS);
        let contended = self.random.usize(..40);
        for number in 0.. {
            if number == contended {
                self.start_two()?;
            }
            let kill = (number < kills).then(|| Kill::random(&mut self.random));
            if self.has_finished(kill.as_ref())? {
                break;
            }
        }
        let session = self.check_finished()?;
        self.repeat(&session)?;
        Ok(self.tally)
    }

    fn settings(&self) -> Settings {
        let (folder, seed) = (self.folder.to_owned(), self.seed);
        Settings { folder, seed, holds_at: None, waits: false, repeats: false, expires: false }
    }

    /// Starts a process, and kills it or waits for its end. Returns whether the session has come to its end.
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
        let entries = ledger::entries(self.folder)?;
        self.tally.add_kill(Stage::of(&entries));
        ledger::append(self.folder, &Entry::Killed)?;
        if self.has_open_call(&entries) && self.random.bool() {
            check_success(Process::start(&Settings { expires: true, ..self.settings() })?.wait()?)?;
            self.tally.expiries += 1;
        }
        Ok(false)
    }

    /// Whether a call has certainly begun in the last run of a process that was killed, and has no result.
    fn has_open_call(&self, entries: &[Entry]) -> bool {
        let is_start = |entry: &Entry| matches!(entry, Entry::Run { .. } | Entry::Started);
        let run = &entries[entries.iter().rposition(is_start).unwrap_or_default()..];
        let is_done = |order: &str| {
            run.iter().any(|entry| matches!(entry, Entry::Done { order: done } if done == order))
        };
        run.iter().any(|entry| match entry {
            // A blocking function may begin late, when its call is already reported as interrupted, and a read may begin
            // before its reply is recorded.
            Entry::Begun { order, .. } => {
                !matches!(self.plan.tool(order), Some(Tool::PrintLabel | Tool::FindOrder)) && !is_done(order)
            }
            _ => false,
        })
    }

    /// While one process has the journal open, another one cannot open it.
    fn start_two(&mut self) -> Result<(), String> {
        let mut first = Process::start(&Settings { waits: true, ..self.settings() })?;
        if !first.wait_for(1)? {
            return Err(format!("the first process does not open the journal: {}", first.wait()?));
        }
        let before = ledger::entries(self.folder)?;
        let second = Process::start(&self.settings())?.wait()?;
        if second.code() != Some(NO_JOURNAL) {
            return Err(format!("a second process opens the journal: {second}"));
        }
        let stderr = fs::read_to_string(self.folder.join("stderr")).map_err(|error| error.to_string())?;
        if !stderr.contains(&format!("is in use by process {}:", first.id())) {
            return Err(format!("the error does not name the first process, {}", first.id()));
        }
        if ledger::entries(self.folder)? != before {
            return Err("the second process has done something".to_owned());
        }
        self.tally.contended += 1;
        if self.random.bool() {
            first.go_on()?;
            return check_success(first.wait()?);
        }
        first.kill()?;
        ledger::append(self.folder, &Entry::Killed)
    }

    fn check_finished(&mut self) -> Result<Session, String> {
        let store = Store::new(self.folder);
        let session = store.finished()?.ok_or("the last session is not stored")?;
        let entries = ledger::entries(self.folder)?;
        oracle::check(&self.plan, &entries, &session, &store.stored()?, &mut self.tally)?;
        Ok(session)
    }

    /// The finished program runs once more, from the session before the first run: nothing happens again.
    fn repeat(&self, session: &Session) -> Result<(), String> {
        let before = ledger::entries(self.folder)?.len();
        check_success(Process::start(&Settings { repeats: true, ..self.settings() })?.wait()?)?;
        let entries = ledger::entries(self.folder)?;
        let is_new = |entry: &&Entry| matches!(entry, Entry::Begun { .. } | Entry::Asked { .. });
        if let Some(entry) = entries.iter().skip(before).find(is_new) {
            return Err(format!("the finished program does this again: {entry:?}"));
        }
        let repeated = Store::new(self.folder).finished()?.ok_or("the last session is not stored")?;
        match oracle::difference(repeated.messages(), session.messages()) {
            Some(difference) => Err(format!("the finished program ends differently: {difference}")),
            None => Ok(()),
        }
    }
}

fn check_success(status: ExitStatus) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("a process fails: {status}")) }
}
