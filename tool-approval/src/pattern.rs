//! Patterns of names and values: `*` is any text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A pattern, with the literal texts between its `*`: at least one, and one more than there are `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    text: String,
    literals: Vec<String>,
}

impl Pattern {
    pub(crate) fn new(text: String) -> Self {
        let mut literals = vec![String::new()];
        let mut literal = 0;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '*' => {
                    literals.push(String::new());
                    literal += 1;
                }
                '\\' if matches!(characters.peek(), Some('*' | '\\')) => {
                    literals[literal].extend(characters.next());
                }
                other => literals[literal].push(other),
            }
        }
        Pattern { text, literals }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn has_wildcard(&self) -> bool {
        self.literals.len() > 1
    }

    /// Whether the whole text matches; `*` includes line breaks.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let literals: Vec<&str> = self.literals.iter().map(String::as_str).collect();
        matches_literals(&literals, text)
    }

    /// Whether the whole text matches, and each of its line breaks stands in the pattern.
    pub(crate) fn matches_line(&self, text: &str) -> bool {
        // The literals of a match contain all line breaks of the pattern, so what remains of the text has none.
        let in_pattern: usize = self.literals.iter().map(|literal| line_breaks(literal)).sum();
        line_breaks(text) == in_pattern && self.matches(text)
    }

    /// Whether a command matches: `rm *` also matches `rm`.
    pub(crate) fn matches_command(&self, text: &str) -> bool {
        if self.matches(text) {
            return true;
        }
        let mut literals: Vec<&str> = self.literals.iter().map(String::as_str).collect();
        let has_arguments = literals.len() > 1 && literals.pop() == Some("");
        match literals.last_mut().and_then(|last| Some((last.strip_suffix(' ')?, last))) {
            Some((name, last)) if has_arguments => {
                *last = name;
                matches_literals(&literals, text)
            }
            _ => false,
        }
    }

    /// Whether a text with this beginning may match, whatever follows.
    pub(crate) fn may_match(&self, beginning: &str) -> bool {
        let first = self.literals[0].as_str();
        first.starts_with(beginning) || (self.has_wildcard() && beginning.starts_with(first))
    }
}

/// The first occurrence of each literal is the right one: it leaves the most text for the others.
fn matches_literals(literals: &[&str], text: &str) -> bool {
    let (first, middle, last) = match literals {
        [] => return false,
        [only] => return *only == text,
        [first, middle @ .., last] => (first, middle, last),
    };
    let rest = text.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
    let Some(mut rest) = rest else { return false };
    for literal in middle {
        let Some(at) = rest.find(literal) else { return false };
        rest = &rest[at + literal.len()..];
    }
    true
}

fn line_breaks(text: &str) -> usize {
    let is_break =
        |c: &char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    text.chars().filter(is_break).count()
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Pattern::new(String::deserialize(deserializer)?))
    }
}
