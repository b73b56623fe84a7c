//! The kills and the calls of all rounds.

use crate::plan::Kind;
use crate::stage::Stage;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// The rounds by their kinds.
    rounds: BTreeMap<Kind, usize>,
    kills: BTreeMap<Stage, usize>,
    /// The kills whose last line is that of an inner session.
    pub(crate) inner_kills: usize,
    /// The calls by their results.
    pub(crate) results: BTreeMap<&'static str, usize>,
    /// The effects that tools have begun, and those in inner sessions.
    pub(crate) effects: usize,
    pub(crate) inner_effects: usize,
    /// The interruptions of a run in its process.
    pub(crate) stopped_runs: usize,
    /// The replies that were lost before they were recorded.
    pub(crate) lost_replies: usize,
    /// Second processes that could not open the journal.
    pub(crate) contended: usize,
    /// Journals that were open so long that a session with an open call would have expired.
    pub(crate) expiries: usize,
    pub(crate) sessions: usize,
}

impl Tally {
    pub(crate) fn add_round(&mut self, kind: Kind) {
        *self.rounds.entry(kind).or_default() += 1;
    }

    pub(crate) fn add_kill(&mut self, stage: Stage) {
        *self.kills.entry(stage).or_default() += 1;
    }

    pub(crate) fn add_result(&mut self, result: &'static str) {
        *self.results.entry(result).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: Tally) {
        for (kind, count) in other.rounds {
            *self.rounds.entry(kind).or_default() += count;
        }
        for (stage, count) in other.kills {
            *self.kills.entry(stage).or_default() += count;
        }
        for (result, count) in other.results {
            *self.results.entry(result).or_default() += count;
        }
        self.inner_kills += other.inner_kills;
        self.effects += other.effects;
        self.inner_effects += other.inner_effects;
        self.stopped_runs += other.stopped_runs;
        self.lost_replies += other.lost_replies;
        self.contended += other.contended;
        self.expiries += other.expiries;
        self.sessions += other.sessions;
    }

    /// The kinds that no round had.
    pub(crate) fn missed_kinds(&self) -> Vec<Kind> {
        Kind::ALL.into_iter().filter(|kind| !self.rounds.contains_key(kind)).collect()
    }

    /// The stages in which no process was killed.
    pub(crate) fn missed_stages(&self) -> Vec<Stage> {
        Stage::ALL.into_iter().filter(|stage| !self.kills.contains_key(stage)).collect()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in Kind::ALL {
            let count = self.rounds.get(&kind).copied().unwrap_or_default();
            writeln!(f, "{count:6} rounds of the kind `{}`", kind.name())?;
        }
        let kills: usize = self.kills.values().sum();
        writeln!(f, "{kills:6} processes killed, {} of them in inner sessions:", self.inner_kills)?;
        for stage in Stage::ALL {
            writeln!(f, "{:6}   {stage}", self.kills.get(&stage).copied().unwrap_or_default())?;
        }
        let calls: usize = self.results.values().sum();
        writeln!(f, "{calls:6} calls:")?;
        for (result, count) in &self.results {
            writeln!(f, "{count:6}   {result}")?;
        }
        writeln!(f, "{:6} effects, {} of them in inner sessions", self.effects, self.inner_effects)?;
        writeln!(f, "{:6} runs cancelled or dropped in their process", self.stopped_runs)?;
        writeln!(
            f,
            "{:6} replies lost before their record, for which the model was asked again",
            self.lost_replies
        )?;
        writeln!(f, "{:6} second processes, which could not open the journal", self.contended)?;
        writeln!(f, "{:6} processes that removed expired records while a call was open", self.expiries)?;
        write!(f, "{:6} stored sessions", self.sessions)
    }
}
