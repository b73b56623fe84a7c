//! The tool that reads stored results.

use super::Spill;
use super::lines::{Line, boundary_before, lines};
use crate::grouped::Grouped;
use std::fmt::Write as _;
use tool_runtime::{CallContext, toolset};

/// Longer texts to search for are rejected, since each line is compared with the text.
const MAX_SEARCH: usize = 500;
/// The bytes for the last line of an answer.
const LAST_LINE_BYTES: usize = 200;
/// The bytes for the number of a line, its mark and the line break.
const LINE_PREFIX_BYTES: usize = 30;

pub(super) struct ReadResult {
    spill: Spill,
}

impl ReadResult {
    pub(super) fn new(spill: Spill) -> Self {
        ReadResult { spill }
    }
}

#[toolset]
impl ReadResult {
    /// Reads or searches a long result that a notice such as `read_result with handle "3"` refers to. Each line of the answer
    /// starts with its number and `: `. A line of more than 1,000 bytes is divided into several lines; a line that continues
    /// the one before it has `+` after its number. The last line tells where to continue.
    #[tool(read_only)]
    async fn read_result(
        &self,
        /// The handle in the notice, for example 3.
        handle: &str,
        /// The number of the first line to read or search, from 1. Default: 1.
        from_line: Option<u64>,
        /// The greatest number of lines to return. Default: as many as fit.
        max_lines: Option<u64>,
        /// Return only lines that contain this text, which may differ in case. It is at most 500 bytes of one line. Default:
        /// return all lines.
        search: Option<&str>,
        #[context] call: &CallContext,
    ) -> Result<String, String> {
        let search = search.filter(|text| !text.is_empty()).map(Search::new).transpose()?;
        if from_line == Some(0) {
            return Err("`from_line` is 0, and the first line has the number 1".to_owned());
        }
        if max_lines == Some(0) {
            return Err("`max_lines` is 0: pass at least 1, or leave it out".to_owned());
        }
        let text = self.text(handle, call).await?;
        let lines: Vec<Line<'_>> = lines(&text).collect();
        let skipped = from_line.map_or(0, |line| to_usize(line - 1));
        if skipped >= lines.len() {
            return Err(format!(
                "`from_line` is {}, and the result has {} lines: pass a smaller number",
                skipped.saturating_add(1),
                Grouped(lines.len())
            ));
        }
        let reading = Reading { text: &text, lines: &lines, limit: self.spill.limit };
        let max_lines = max_lines.map_or(usize::MAX, to_usize);
        Ok(match search {
            None => reading.range(skipped, max_lines),
            Some(search) => reading.matches(&search, skipped, max_lines),
        })
    }
}

impl ReadResult {
    async fn text(&self, handle: &str, call: &CallContext) -> Result<String, String> {
        let Some(key) = call.key() else {
            return Err(
                "the results of this conversation are not stored: call the tool again with arguments for a \
                        shorter result"
                    .to_owned(),
            );
        };
        match self.spill.store.read(&key.run_id, handle).await {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(format!(
                "this conversation has no stored result with the handle {:?}: pass the handle of a notice in an earlier result",
                handle.chars().take(64).collect::<String>()
            )),
            Err(error) => {
                self.spill.report(&error);
                Err("the stored result cannot be read now: try again later, or call the tool of the result again".to_owned())
            }
        }
    }
}

/// A number that is too large for this machine counts as the greatest one.
fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The text to search for, in lower case.
struct Search(String);

impl Search {
    fn new(text: &str) -> Result<Self, String> {
        if text.contains('\n') {
            return Err("`search` has a line break: pass a text within one line".to_owned());
        }
        if text.len() > MAX_SEARCH {
            return Err(format!("`search` has more than {MAX_SEARCH} bytes: pass a shorter text"));
        }
        Ok(Search(text.to_lowercase()))
    }
}

/// The answer to one call.
struct Reading<'t> {
    text: &'t str,
    lines: &'t [Line<'t>],
    limit: usize,
}

impl Reading<'_> {
    /// The lines after the first ones.
    fn range(&self, skipped: usize, max_lines: usize) -> String {
        let mut answer = String::new();
        let mut next = skipped;
        while next < self.lines.len() && next - skipped < max_lines && self.add(&mut answer, next) {
            next += 1;
        }
        let all = Grouped(self.lines.len());
        let end = if next < self.lines.len() {
            format!("[lines {} to {all} follow: continue with from_line {}]", Grouped(next + 1), next + 1)
        } else {
            format!("[the result ends here, with line {all}]")
        };
        answer + &end
    }

    /// The matching lines after the first lines.
    fn matches(&self, search: &Search, skipped: usize, max_lines: usize) -> String {
        let mut answer = String::new();
        let mut shown = 0;
        let mut matching = (skipped..self.lines.len()).filter(|index| self.is_match(*index, search));
        let mut rest = None;
        for index in matching.by_ref() {
            if shown >= max_lines || !self.add(&mut answer, index) {
                rest = Some(index);
                break;
            }
            shown += 1;
        }
        let more = matching.count() + usize::from(rest.is_some());
        let end = match rest {
            Some(index) => {
                format!("[{} more lines match: continue with from_line {}]", Grouped(more), index + 1)
            }
            None if shown == 0 => {
                let all = Grouped(self.lines.len());
                format!("[no line from {} to {all} contains the text]", Grouped(skipped + 1))
            }
            None => "[no further line matches]".to_owned(),
        };
        answer + &end
    }

    /// Adds a line if the answer stays within the limit.
    fn add(&self, answer: &mut String, index: usize) -> bool {
        let Line { text, continues, .. } = self.lines[index];
        if answer.len() + text.len() + LINE_PREFIX_BYTES + LAST_LINE_BYTES > self.limit {
            return false;
        }
        let mark = if continues { "+" } else { "" };
        // Writing to a string never fails.
        let _ = writeln!(answer, "{}{mark}: {}", index + 1, text.strip_suffix('\r').unwrap_or(text));
        true
    }

    /// Whether the text to search for begins in a line. It may end in the lines that continue it.
    fn is_match(&self, index: usize, search: &Search) -> bool {
        let line = self.lines[index];
        let own = line.text.to_lowercase();
        if own.contains(&search.0) {
            return true;
        }
        if self.lines.get(index + 1).is_none_or(|next| !next.continues) {
            return false;
        }
        // Four times the length, since letters in lower case may be shorter.
        let after = &self.text[line.end()..];
        let after = &after[..boundary_before(after, search.0.len() * 4)];
        let after = after.split('\n').next().unwrap_or_default().to_lowercase();
        let whole = [&*own, &after].concat();
        whole.find(&search.0).is_some_and(|start| start < own.len())
    }
}
