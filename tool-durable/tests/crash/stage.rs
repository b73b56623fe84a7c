//! The stages of a session, as the ledger shows them.

use crate::ledger::{Entry, Line, entries_of};
use std::fmt;

/// The stage in which a process was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The process starts or opens the journal.
    Opening,
    /// No run is in progress.
    BetweenRuns,
    /// Recorded replies and results are read.
    StartOfRun,
    Request,
    /// The reply has arrived. It may be recorded, but the session does not have it.
    RecordOfReply,
    /// The session has the reply, and no call of it has begun. The calls may be recorded.
    RecordOfBeginnings,
    Tools,
    /// Some calls are done, others are not.
    ToolsAndRecords,
    /// All calls that have begun are done. Their results may be recorded.
    RecordOfResults,
}

impl Stage {
    pub(crate) const ALL: [Stage; 9] = [
        Stage::Opening,
        Stage::BetweenRuns,
        Stage::StartOfRun,
        Stage::Request,
        Stage::RecordOfReply,
        Stage::RecordOfBeginnings,
        Stage::Tools,
        Stage::ToolsAndRecords,
        Stage::RecordOfResults,
    ];

    /// The stage at the end of these lines: that of the session that has written the last one.
    pub(crate) fn of(lines: &[Line]) -> Self {
        let session = lines.last().map_or("", |line| &line.session);
        let entries = &entries_of(lines, session)[..];
        let is_start = |entry: &Entry| matches!(entry, Entry::Started | Entry::Killed);
        let start = entries.iter().rposition(is_start);
        let Some(start) = start.filter(|&start| entries[start] == Entry::Started) else {
            return Stage::Opening;
        };
        let entries = &entries[start..];
        let is_run = |entry: &Entry| matches!(entry, Entry::Run { .. });
        let run = entries.iter().rposition(is_run).unwrap_or_default();
        let (mut begun, mut done) = (0, 0);
        for entry in &entries[run..] {
            match entry {
                Entry::Begun { .. } => begun += 1,
                Entry::Done { .. } => done += 1,
                // The calls of the replies before have ended.
                Entry::Asked { .. } => (begun, done) = (0, 0),
                _ => {}
            }
        }
        match entries.last() {
            Some(Entry::Run { .. }) => Stage::StartOfRun,
            Some(Entry::Asked { .. }) => Stage::Request,
            Some(Entry::Replied { .. }) => Stage::RecordOfReply,
            Some(Entry::Received { .. }) => Stage::RecordOfBeginnings,
            Some(Entry::Begun { .. }) if done == 0 => Stage::Tools,
            Some(Entry::Begun { .. }) => Stage::ToolsAndRecords,
            Some(Entry::Done { .. }) if done < begun => Stage::ToolsAndRecords,
            Some(Entry::Done { .. }) => Stage::RecordOfResults,
            _ => Stage::BetweenRuns,
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stage::Opening => "while the journal is opened",
            Stage::BetweenRuns => "between two runs",
            Stage::StartOfRun => "at the start of a run, before a request",
            Stage::Request => "between a request and its reply",
            Stage::RecordOfReply => "between a reply and its record",
            Stage::RecordOfBeginnings => "between a reply and its calls",
            Stage::Tools => "inside of tools",
            Stage::ToolsAndRecords => "inside of tools, after the end of others",
            Stage::RecordOfResults => "between the end of tools and the next step",
        })
    }
}
