//! An argument that is a command, and how it matches patterns.

use crate::matching::Match;
use crate::pattern::Pattern;
use crate::shell::{self, Part};
use serde_json::Value;

/// A command, split into the commands that it may run.
pub(crate) struct Command {
    /// The text of the command.
    text: String,
    parts: Vec<Part>,
    /// Whether the text is one program with its arguments, and nothing that a shell interprets.
    is_plain: bool,
    /// Why the parts may be incomplete.
    pub(crate) doubt: Option<&'static str>,
}

impl Command {
    pub(crate) fn read(value: &Value) -> Self {
        match value {
            Value::String(text) => {
                let (parts, doubt) = shell::parts(text);
                Command { text: text.clone(), parts, is_plain: shell::is_plain(text), doubt }
            }
            Value::Array(items) => Command::from_items(items),
            _ => Command::unreadable(),
        }
    }

    /// A program with its arguments, which no shell interprets.
    fn from_items(items: &[Value]) -> Self {
        let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
        let Some(words) = words else { return Command::unreadable() };
        let (parts, doubt) = shell::parts_of_words(&words);
        // Texts with spaces would make different arrays equal.
        let is_plain = |(position, word): (usize, &&str)| match position {
            0 => shell::is_plain_name(word),
            _ => shell::is_plain_name(&word.replace('=', "-")),
        };
        let is_plain = !words.is_empty() && words.iter().enumerate().all(is_plain);
        Command { text: words.join(" "), parts, is_plain, doubt }
    }

    fn unreadable() -> Self {
        let doubt = Some("the command is neither text nor an array of texts");
        Command { text: String::new(), parts: Vec::new(), is_plain: false, doubt }
    }

    /// Whether the command or a part of it matches a pattern of a rule that denies or asks.
    pub(crate) fn concerns(&self, pattern: &Pattern) -> Match {
        let is_certain = |part: &Part| part.is_certain && pattern.matches_command(&part.text);
        if pattern.matches_command(&self.text) || self.parts.iter().any(is_certain) {
            return Match::Yes;
        }
        if let Some(doubt) = self.doubt {
            return Match::Maybe(doubt);
        }
        for part in &self.parts {
            if part.unknown.is_some_and(|at| pattern.may_match(&part.text[..at])) {
                return Match::Maybe("the text of an expansion is unknown");
            }
            if !part.is_certain && pattern.matches_command(&part.text) {
                return Match::Maybe("a command stands in quotes, and another program may run it");
            }
        }
        Match::No
    }

    /// Whether a pattern of a rule that allows matches the whole command.
    pub(crate) fn allows(&self, pattern: &Pattern) -> bool {
        self.is_plain && pattern.matches_command(self.text.trim_matches(' '))
    }
}
