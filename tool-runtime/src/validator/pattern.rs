//! Regular expressions for strings and keys.

use super::budget::{Budget, Stop};
use std::fmt;
use tool_runtime_schema::{SIGNED_KEYS, UNSIGNED_KEYS};

/// A pattern that is enforced. The patterns of integer keys always are, all others with the feature `regex`.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) source: String,
    matcher: Matcher,
}

#[derive(Debug)]
enum Matcher {
    Unsigned,
    Signed,
    #[cfg(feature = "regex")]
    Regex {
        regex: regex::Regex,
        units_per_byte: usize,
    },
}

/// The memory that the patterns of one schema may take.
#[derive(Debug)]
pub(super) struct PatternMemory {
    /// Bytes.
    rest: usize,
    pub(super) is_exceeded: bool,
}

impl PatternMemory {
    /// Megabytes.
    pub(super) const MAX: usize = 2;

    pub(super) fn new() -> Self {
        PatternMemory { rest: Self::MAX << 20, is_exceeded: false }
    }

    fn take(&mut self, bytes: usize) -> Option<()> {
        let rest = self.rest.checked_sub(bytes);
        self.is_exceeded |= rest.is_none();
        self.rest = rest.unwrap_or(0);
        rest.map(drop)
    }
}

impl Pattern {
    /// `None` if the pattern cannot be enforced.
    pub(super) fn new(source: &str, memory: &mut PatternMemory) -> Option<Self> {
        memory.take(source.len())?;
        // The `regex` crate gives these another meaning, or rejects them.
        if ["{,", "[]", "[^]"].iter().any(|other| source.contains(other)) {
            return None;
        }
        let matcher = match source {
            UNSIGNED_KEYS => Matcher::Unsigned,
            SIGNED_KEYS => Matcher::Signed,
            _ => Matcher::compile(source, memory)?,
        };
        Some(Pattern { source: source.to_owned(), matcher })
    }

    pub(super) fn matches(&self, text: &str, budget: &mut Budget) -> Result<bool, Stop> {
        let is_integer = |digits: &str| {
            digits == "0"
                || (digits.starts_with(|first: char| ('1'..='9').contains(&first))
                    && digits.bytes().all(|digit| digit.is_ascii_digit()))
        };
        budget.spend(1)?;
        Ok(match &self.matcher {
            Matcher::Unsigned => is_integer(text),
            Matcher::Signed => {
                is_integer(text) || text.strip_prefix('-').is_some_and(|rest| rest != "0" && is_integer(rest))
            }
            #[cfg(feature = "regex")]
            Matcher::Regex { regex, units_per_byte } => {
                budget.spend(text.len().saturating_mul(*units_per_byte))?;
                regex.is_match(text)
            }
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matcher {
            Matcher::Unsigned => f.write_str("an integer of at least 0"),
            Matcher::Signed => f.write_str("an integer"),
            #[cfg(feature = "regex")]
            Matcher::Regex { .. } => {
                write!(f, "a string that matches `{}`", crate::outcome::Truncated(&self.source))
            }
        }
    }
}

#[cfg(not(feature = "regex"))]
impl Matcher {
    fn compile(_: &str, _: &mut PatternMemory) -> Option<Self> {
        None
    }
}

#[cfg(feature = "regex")]
impl Matcher {
    /// Compiles with a small size limit first, so that each pattern is charged only the memory that it needs.
    fn compile(source: &str, memory: &mut PatternMemory) -> Option<Self> {
        const MIN_BYTES: usize = 1 << 12;
        const MAX_BYTES: usize = 1 << 16;
        // The cost of a pattern of MIN_BYTES whose states do not fit into the cache.
        const UNITS_PER_BYTE: usize = 6;
        // The cache of the states that matching computes.
        const MAX_CACHE: usize = 1 << 16;
        let pattern = to_rust_syntax(source);
        let mut limit = MIN_BYTES;
        while limit <= MAX_BYTES {
            // A failed attempt is charged as well, since it takes time.
            memory.take(limit)?;
            let built =
                regex::RegexBuilder::new(&pattern).size_limit(limit).dfa_size_limit(MAX_CACHE).build();
            match built {
                Ok(regex) => {
                    return Some(Matcher::Regex {
                        regex,
                        units_per_byte: UNITS_PER_BYTE * limit / MIN_BYTES,
                    });
                }
                Err(regex::Error::CompiledTooBig(_)) => limit *= 2,
                Err(_) => return None,
            }
        }
        None
    }
}

/// JSON Schema's patterns are those of ECMAScript, where `\d` and `\w` are ASCII, and `\s` includes U+FEFF and not U+0085.
#[cfg(feature = "regex")]
fn to_rust_syntax(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        // In a character class, these have a special meaning only in Rust.
        let is_difference = letter == '-' && letters.as_str().starts_with('-');
        if in_class && (matches!(letter, '[' | '&' | '~') || is_difference) {
            translated.extend(['\\', letter]);
            continue;
        }
        in_class = (in_class && letter != ']') || (!in_class && letter == '[');
        match (letter, if letter == '\\' { letters.next() } else { None }) {
            (_, Some('d')) => translated.push_str("[0-9]"),
            (_, Some('D')) => translated.push_str("[^0-9]"),
            (_, Some('w')) => translated.push_str("[0-9A-Za-z_]"),
            (_, Some('W')) => translated.push_str("[^0-9A-Za-z_]"),
            (_, Some('s')) => translated.push_str(r"[\s\x{feff}--\x{85}]"),
            (_, Some('S')) => translated.push_str(r"[^\s\x{feff}--\x{85}]"),
            (_, Some(escaped)) => translated.extend([letter, escaped]),
            (_, None) => translated.push(letter),
        }
    }
    translated
}
