//! Patterns in the syntax that every grammar engine compiles.
//!
//! llama.cpp compiles only patterns from `^` to `$`, without classes such as `\d` and without escaped punctuation
//! (<https://github.com/ggml-org/llama.cpp/issues/26930>, <https://github.com/ggml-org/llama.cpp/issues/16714>). No engine
//! compiles lookarounds and references to groups.

use std::iter::Peekable;
use std::str::Chars;

/// The maximum number of repetitions. llama.cpp rejects about 2,000, of characters and of items.
pub(super) const MAX_REPETITIONS: u32 = 1_900;

/// The maximum number of groups inside each other.
const MAX_DEPTH: usize = 50;

/// The equivalent pattern that engines compile; `None` if there is none.
pub(super) fn portable(pattern: &str) -> Option<String> {
    let alternatives = alternatives(pattern)?.into_iter().map(|alternative| {
        let start = alternative.strip_prefix('^').or_else(|| alternative.strip_prefix(r"\A"))?;
        let end = [r"$", r"\z", r"\Z"].into_iter().find_map(|anchor| start.strip_suffix(anchor))?;
        Rewrite::new(end).written()
    });
    let alternatives = alternatives.collect::<Option<Vec<_>>>()?;
    Some(match &alternatives[..] {
        [only] => format!("^{only}$"),
        several => format!("^({})$", several.join("|")),
    })
}

/// Whether engines reject the pattern of keys, for which llama.cpp has no rule.
pub(super) fn is_rejected_for_keys(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!", r"\b", r"\B", r"\1"].iter().any(|syntax| pattern.contains(syntax))
}

/// The parts of a pattern between each `|` that is in no group and no class.
fn alternatives(pattern: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut groups, mut is_in_class) = (Vec::new(), 0, 0_usize, false);
    let mut letters = pattern.char_indices();
    while let Some((index, letter)) = letters.next() {
        match letter {
            '\\' => drop(letters.next()?),
            '[' => is_in_class = true,
            ']' => is_in_class = false,
            '(' if !is_in_class => groups += 1,
            ')' if !is_in_class => groups = groups.checked_sub(1)?,
            '|' if !is_in_class && groups == 0 => {
                parts.push(&pattern[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&pattern[start..]);
    Some(parts)
}

struct Rewrite<'p> {
    rest: Peekable<Chars<'p>>,
    written: String,
    /// How often engines write the characters of each open group. The first entry is the pattern.
    groups: Vec<u64>,
}

impl<'p> Rewrite<'p> {
    fn new(pattern: &'p str) -> Self {
        Rewrite { rest: pattern.chars().peekable(), written: String::new(), groups: vec![0] }
    }

    fn written(mut self) -> Option<String> {
        while let Some(letter) = self.rest.next() {
            let repetitions = match letter {
                '(' => {
                    // Groups are never referred to, so each may capture.
                    let captures = self.rest.next_if_eq(&'?').is_none() || self.rest.next() == Some(':');
                    if !captures || self.groups.len() > MAX_DEPTH {
                        return None;
                    }
                    self.written.push('(');
                    self.groups.push(0);
                    continue;
                }
                ')' => {
                    self.written.push(')');
                    self.groups.pop().filter(|_| !self.groups.is_empty())?
                }
                '|' => {
                    self.written.push('|');
                    continue;
                }
                '^' | '$' | '*' | '+' | '?' | '{' => return None,
                '[' => self.class()?,
                '.' => self.push('.'),
                '\\' => self.escape()?,
                letter => self.literal(letter)?,
            };
            let repetitions = repetitions.max(1).checked_mul(self.quantifier()?)?;
            let group = self.groups.last_mut()?;
            *group = group.checked_add(repetitions)?;
            if repetitions > u64::from(MAX_REPETITIONS) {
                return None;
            }
        }
        (self.groups.len() == 1).then_some(self.written)
    }

    fn push(&mut self, letter: char) -> u64 {
        self.written.push(letter);
        1
    }

    /// A letter without special meaning. llama.cpp repeats the last byte of a literal, not the letter.
    fn literal(&mut self, letter: char) -> Option<u64> {
        match letter {
            '"' => return None,
            letter if letter.is_control() => return None,
            letter if r"\^$.|?*+()[]{}".contains(letter) => self.written.extend(['\\', letter]),
            letter if letter.is_ascii() => self.written.push(letter),
            letter => self.written.extend(['[', letter, ']']),
        }
        Some(1)
    }

    /// An escape after its `\`.
    fn escape(&mut self) -> Option<u64> {
        let letter = self.rest.next()?;
        let negation = if letter.is_ascii_uppercase() { "^" } else { "" };
        if let Some(class) = class_of(letter.to_ascii_lowercase()) {
            self.written.extend(["[", negation, class, "]"]);
            return Some(1);
        }
        if letter.is_ascii_alphanumeric() { None } else { self.literal(letter) }
    }

    /// A class of letters after its `[`.
    fn class(&mut self) -> Option<u64> {
        let mut class = if self.rest.next_if_eq(&'^').is_some() { "[^".to_owned() } else { "[".to_owned() };
        let empty = class.len();
        // The letters that have a meaning at any other position.
        let mut last = String::new();
        loop {
            match self.rest.next()? {
                ']' => break,
                '\\' => match self.rest.next()? {
                    letter @ ('[' | ']' | '\\') => class.extend(['\\', letter]),
                    letter @ ('^' | '-') => last.insert(0, letter),
                    letter if letter.is_ascii_alphanumeric() => class += class_of(letter)?,
                    letter => class.push(letter),
                },
                '[' => class += r"\[",
                '&' if self.rest.peek() == Some(&'&') => return None,
                letter if letter.is_control() => return None,
                letter => class.push(letter),
            }
        }
        // Only `^` and `-` would be at the start.
        if class.len() == empty && (last.is_empty() || last.contains('^')) {
            return None;
        }
        self.written.extend([&*class, &last, "]"]);
        Some(1)
    }

    /// A quantifier, if there is one. Returns how often engines write what it repeats.
    fn quantifier(&mut self) -> Option<u64> {
        let mut most = 1;
        if self.rest.next_if_eq(&'{').is_some() {
            let bounds: String = self.rest.by_ref().take_while(|letter| *letter != '}').collect();
            let (least, end) = bounds.split_once(',').unwrap_or((&bounds, ""));
            let least: u64 = least.parse().ok()?;
            most = if end.is_empty() { least } else { end.parse().ok()? };
            self.written.extend(["{", &*bounds, "}"]);
        } else if let Some(letter) = self.rest.next_if(|letter| matches!(letter, '*' | '+' | '?')) {
            self.written.push(letter);
        } else {
            return Some(1);
        }
        // The shortest match is found in the same strings.
        self.rest.next_if_eq(&'?');
        let is_repeated = matches!(self.rest.peek(), Some('*' | '+' | '?' | '{'));
        (!is_repeated).then_some(most.max(1))
    }
}

/// The letters of the classes `\d`, `\w` and `\s`.
fn class_of(letter: char) -> Option<&'static str> {
    match letter {
        'd' => Some("0-9"),
        'w' => Some("A-Za-z0-9_"),
        's' => Some(r" \t\n\r"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::portable;

    #[test]
    fn a_pattern_is_rewritten_to_an_equivalent_one() {
        let cases = [
            (r"^abc$", r"^abc$"),
            (r"^\d{4}-\d{2}$", r"^[0-9]{4}-[0-9]{2}$"),
            (r"^\S+$", r"^[^ \t\n\r]+$"),
            (r"^[\w.\-]+$", r"^[A-Za-z0-9_.-]+$"),
            (r"^\/[a-z]+$", r"^/[a-z]+$"),
            (r"\A(?:a|b)\z", r"^(a|b)$"),
            (r"^a$|^b$", r"^(a|b)$"),
            (r"^é+$", r"^[é]+$"),
            (r"^[\^a]$", r"^[a^]$"),
            (r"^a+?$", r"^a+$"),
            (r"^\$\.$", r"^\$\.$"),
            (r"^a{1,1900}$", r"^a{1,1900}$"),
            ("^$", "^$"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(portable(pattern).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn a_pattern_without_an_equivalent_one_has_no_portable_form() {
        let deep = format!("^{}{}$", "(".repeat(100_000), ")".repeat(100_000));
        let patterns = [
            r"abc",
            r"^abc",
            r"abc$",
            r"",
            r".*",
            r"^a|b$",
            r"^(?!con$)[a-z]+$",
            r"^(?=.*a).*$",
            r"^\p{L}+$",
            r"^\bfoo$",
            r"^(a)\1$",
            r"^a{2000}$",
            r"^(a{100}){100}$",
            r"^(?i)a$",
            r"^(?<year>a)$",
            r"^[]$",
            r"^[^]$",
            r"^[\s\S]*$",
            r"^a\nb$",
            r#"^a"b$"#,
            r"^a{,3}$",
            r"^(a$",
            r"^a)$",
            r"^a$b$",
            r"^a^b$",
            r"^*$",
            r"^a**$",
            r"^[a",
            r"^\",
            r"(^a$)b",
            r"(^a|b$)",
            &deep,
        ];
        for pattern in patterns {
            assert_eq!(portable(pattern), None, "{pattern:.40}");
        }
    }
}
