//! The possible ends of a call, or of one of its runs: result and time.

use crate::TIMER_DELAY;
use std::time::Duration;

/// One possible end.
#[derive(Clone, Debug)]
pub(crate) struct Ending {
    /// The kind of failure, if it is one.
    pub(crate) error: Option<&'static str>,
    pub(crate) text: Text,
    pub(crate) earliest: Duration,
    pub(crate) latest: Duration,
    /// Whether the tool has begun.
    pub(crate) has_begun: bool,
    /// The number of runs of the tool in this call.
    pub(crate) runs: u32,
}

/// The text of a result, without `Error: `.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Text {
    Whole(String),
    Prefix(String),
}

impl Ending {
    pub(crate) fn output(text: impl Into<String>) -> Self {
        let text = Text::Whole(text.into());
        let [earliest, latest] = [Duration::ZERO; 2];
        Ending { error: None, text, earliest, latest, has_begun: false, runs: 0 }
    }

    pub(crate) fn error(kind: &'static str, text: impl Into<String>) -> Self {
        Ending { error: Some(kind), ..Ending::output(text) }
    }

    /// An error of which only the beginning of the text is known.
    pub(crate) fn error_prefix(kind: &'static str, text: impl Into<String>) -> Self {
        Ending { text: Text::Prefix(text.into()), ..Ending::error(kind, "") }
    }

    pub(crate) fn panicked(tool: &str) -> Self {
        Ending::error("panic", format!("the tool `{tool}` failed unexpectedly."))
    }

    pub(crate) fn cancelled() -> Self {
        Ending::error("cancelled", "cancelled before it finished")
    }

    pub(crate) fn timed_out(tool: &str, limit: Duration, has_begun: bool) -> Self {
        let effect = if has_begun && tool != "sleeps_read_only" { " It may have taken effect." } else { "" };
        let ms = limit.as_millis();
        Ending::error("timeout", format!("the tool `{tool}` did not finish within {ms} ms.{effect}"))
    }

    pub(crate) fn begun(self, has_begun: bool) -> Self {
        Ending { has_begun, ..self }
    }

    /// At a timer of this duration.
    pub(crate) fn at(self, time: Duration) -> Self {
        let delay = if time.is_zero() { Duration::ZERO } else { TIMER_DELAY };
        Ending { earliest: time, latest: time + delay, ..self }
    }

    pub(crate) fn between(self, earliest: Duration, latest: Duration) -> Self {
        Ending { earliest, latest, ..self }
    }

    /// Later by a timer of this duration.
    pub(crate) fn after(self, time: Duration) -> Self {
        let delay = if time.is_zero() { Duration::ZERO } else { TIMER_DELAY };
        let (earliest, latest) = (self.earliest + time, self.latest + time + delay);
        self.between(earliest, latest)
    }

    /// This end, after the other one.
    pub(crate) fn following(self, first: &Ending) -> Self {
        let has_begun = first.has_begun || self.has_begun;
        let (earliest, latest) = (first.earliest + self.earliest, first.latest + self.latest);
        self.between(earliest, latest).begun(has_begun)
    }

    /// The text as [`ToolResult::text`](tool_runtime::dispatch::ToolResult::text) returns it.
    pub(crate) fn whole_text(&self) -> String {
        let (Text::Whole(text) | Text::Prefix(text)) = &self.text;
        if self.error.is_some() { format!("Error: {text}") } else { text.clone() }
    }

    /// Whether a call with this error and this text may have ended so, with messages of this maximum length.
    pub(crate) fn matches(&self, error: Option<&str>, content: &str, max_bytes: usize) -> bool {
        self.error == error && self.matches_text(content, max_bytes)
    }

    /// Whether the content is the text, complete or truncated.
    fn matches_text(&self, content: &str, max_bytes: usize) -> bool {
        let text = self.whole_text();
        // `Error: ` is never truncated.
        let is_short = content.len() <= max_bytes || content == "Error: ";
        is_short
            && match (&self.text, split_notice(content)) {
                (Text::Whole(_), _) if text.len() <= max_bytes => content == text,
                (Text::Whole(_), Some((head, tail, left_out))) => {
                    text.starts_with(head)
                        && text.ends_with(tail)
                        && head.len() + left_out + tail.len() == text.len()
                }
                // The limit is too small for the notice.
                (Text::Whole(_), None) => max_bytes < 50 && text.starts_with(content),
                (Text::Prefix(_), Some((head, ..))) => head.starts_with(&text) || text.starts_with(head),
                (Text::Prefix(_), None) => {
                    content.starts_with(&text) || max_bytes < 50 && text.starts_with(content)
                }
            }
    }
}

/// The ends within a time limit; two of one that ends at about the limit.
pub(crate) fn limited(
    endings: Vec<Ending>,
    limit: Option<Duration>,
    late: impl Fn(Duration, &Ending) -> Ending,
) -> Vec<Ending> {
    let Some(limit) = limit else { return endings };
    let mut within = Vec::new();
    for ending in endings {
        if ending.latest + TIMER_DELAY > limit {
            let Ending { has_begun, runs, .. } = ending;
            within.push(Ending { has_begun, runs, ..late(limit, &ending) }.at(limit));
        }
        if ending.earliest < limit + TIMER_DELAY {
            let latest = ending.latest.min(limit + TIMER_DELAY);
            within.push(Ending { latest, ..ending });
        }
    }
    merged(within)
}

/// Joins ends that differ only in their times.
pub(crate) fn merged(endings: Vec<Ending>) -> Vec<Ending> {
    let mut distinct: Vec<Ending> = Vec::new();
    for ending in endings {
        let result = |it: &Ending| (it.error, it.has_begun, it.runs);
        let is_same = |it: &&mut Ending| result(it) == result(&ending) && it.text == ending.text;
        match distinct.iter_mut().find(is_same) {
            Some(other) => {
                other.earliest = other.earliest.min(ending.earliest);
                other.latest = other.latest.max(ending.latest);
            }
            None => distinct.push(ending),
        }
    }
    distinct
}

/// The head and the tail of a truncated text, and the number of bytes between them.
fn split_notice(content: &str) -> Option<(&str, &str, usize)> {
    let (head, rest) = content.split_once("\n[... ")?;
    let (left_out, tail) = rest.split_once(" bytes left out ...]\n")?;
    Some((head, tail, left_out.parse().ok()?))
}
