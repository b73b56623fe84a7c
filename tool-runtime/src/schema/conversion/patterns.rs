//! Patterns in the syntax that every grammar engine compiles.
//!
//! llama.cpp compiles only patterns from `^` to `$`, without classes such as `\d` and without escaped punctuation
//! (<https://github.com/ggml-org/llama.cpp/issues/26930>, <https://github.com/ggml-org/llama.cpp/issues/16714>). No engine
//! compiles lookarounds and references to groups.

use std::iter::Peekable;
use std::str::Chars;

/// The maximum number of repetitions. llama.cpp rejects about 2,000, of characters and of items.
pub(super) const MAX_REPETITIONS: u32 = 1_900;

const MAX_DEPTH: usize = 50;

/// The equivalent pattern that engines compile; `None` if there is none.
pub(super) fn portable(pattern: &str) -> Option<String> {
    let mut parser = Parser { rest: pattern.chars().peekable(), depth: 0 };
    let alternatives = parser.alternatives()?;
    let is_anchored = parser.rest.next().is_none() && alternatives.iter().all(Sequence::is_anchored);
    is_anchored.then(|| match &alternatives[..] {
        [only] => format!("^{}$", only.text),
        several => format!("^({})$", joined(several)),
    })
}

/// Whether engines reject the pattern of keys, for which llama.cpp has no rule.
pub(super) fn is_rejected_for_keys(pattern: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!", r"\b", r"\B", r"\1"].iter().any(|syntax| pattern.contains(syntax))
}

/// What stands between two `|`, without its anchors.
#[derive(Default)]
struct Sequence {
    text: String,
    starts: bool,
    ends: bool,
    /// How often engines write its characters.
    repetitions: u64,
    /// Whether it is one group without a quantifier, with the anchors in the group.
    is_anchored_group: bool,
}

impl Sequence {
    fn is_anchored(&self) -> bool {
        (self.starts && self.ends) || self.is_anchored_group
    }
}

/// An expression that may have a quantifier.
struct Atom {
    text: String,
    repetitions: u64,
    /// Whether it is a group in which each alternative is anchored.
    is_anchored: bool,
}

impl Atom {
    fn new(text: impl Into<String>) -> Self {
        Atom { text: text.into(), repetitions: 1, is_anchored: false }
    }

    /// A letter without special meaning. llama.cpp repeats the last byte of a literal, not the letter.
    fn literal(letter: char) -> Option<Self> {
        match letter {
            '"' => None,
            letter if letter.is_control() => None,
            letter if r"\^$.|?*+()[]{}".contains(letter) => Some(Atom::new(format!(r"\{letter}"))),
            letter if letter.is_ascii() => Some(Atom::new(letter)),
            letter => Some(Atom::new(format!("[{letter}]"))),
        }
    }
}

fn joined(alternatives: &[Sequence]) -> String {
    alternatives.iter().map(|sequence| &*sequence.text).collect::<Vec<_>>().join("|")
}

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Parser<'_> {
    fn takes(&mut self, letter: char) -> bool {
        self.rest.next_if_eq(&letter).is_some()
    }

    fn alternatives(&mut self) -> Option<Vec<Sequence>> {
        let mut alternatives = vec![self.sequence()?];
        while self.takes('|') {
            alternatives.push(self.sequence()?);
        }
        Some(alternatives)
    }

    fn sequence(&mut self) -> Option<Sequence> {
        let mut sequence = Sequence::default();
        let mut count = 0;
        while let Some(&letter) = self.rest.peek() {
            let is_anchor =
                |letters: &str| self.rest.clone().nth(1).is_some_and(|next| letters.contains(next));
            match letter {
                '|' | ')' => break,
                '^' if count == 0 => sequence.starts = true,
                '\\' if count == 0 && is_anchor("A") => {
                    sequence.starts = true;
                    self.rest.next();
                }
                '$' => sequence.ends = true,
                '\\' if is_anchor("zZ") => {
                    sequence.ends = true;
                    self.rest.next();
                }
                _ => {
                    let atom = self.atom()?;
                    let (quantifier, most) = self.quantifier()?;
                    let repetitions = atom.repetitions.checked_mul(most)?;
                    sequence.repetitions = sequence.repetitions.checked_add(repetitions)?;
                    // Nothing follows the end, and the anchors of a group are those of the whole pattern.
                    let is_rejected =
                        sequence.ends || (atom.is_anchored && (count > 0 || !quantifier.is_empty()));
                    if repetitions > u64::from(MAX_REPETITIONS) || is_rejected || sequence.is_anchored_group {
                        return None;
                    }
                    sequence.is_anchored_group = atom.is_anchored;
                    sequence.text += &atom.text;
                    sequence.text += &quantifier;
                    count += 1;
                    continue;
                }
            }
            self.rest.next();
        }
        Some(sequence)
    }

    fn atom(&mut self) -> Option<Atom> {
        match self.rest.next()? {
            '(' => self.group(),
            '[' => self.class(),
            '.' => Some(Atom::new('.')),
            '\\' => self.escape(),
            '^' | '*' | '+' | '?' | '{' => None,
            letter => Atom::literal(letter),
        }
    }

    /// A group after its `(`. Groups are never referred to, so each may capture.
    fn group(&mut self) -> Option<Atom> {
        if self.takes('?') {
            self.takes('P');
            match self.rest.next()? {
                ':' => {}
                '<' if !matches!(self.rest.peek(), Some('=' | '!')) => {
                    self.rest.by_ref().find(|letter| *letter == '>')?;
                }
                _ => return None,
            }
        }
        self.depth += 1;
        let alternatives = if self.depth > MAX_DEPTH { None } else { self.alternatives() };
        self.depth -= 1;
        let alternatives = alternatives.filter(|_| self.takes(')'))?;
        let is_anchored = alternatives.iter().all(Sequence::is_anchored);
        let has_anchors =
            |sequence: &Sequence| sequence.starts || sequence.ends || sequence.is_anchored_group;
        if !is_anchored && alternatives.iter().any(has_anchors) {
            return None;
        }
        let repetitions = alternatives.iter().fold(0_u64, |sum, one| sum.saturating_add(one.repetitions));
        Some(Atom {
            text: format!("({})", joined(&alternatives)),
            repetitions: repetitions.max(1),
            is_anchored,
        })
    }

    /// A quantifier, and the largest number of repetitions that engines write out; 1 without one.
    fn quantifier(&mut self) -> Option<(String, u64)> {
        let found = match self.rest.peek() {
            Some(&letter @ ('*' | '+' | '?')) => {
                self.rest.next();
                (letter.to_string(), 1)
            }
            Some('{') => {
                let inside: String = self.rest.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
                let (least, most) = inside.split_once(',').unwrap_or((&inside, &inside));
                let least: u64 = least.parse().ok()?;
                let most = if most.is_empty() { least } else { most.parse().ok()? };
                (format!("{{{inside}}}"), most.max(least).max(1))
            }
            _ => return Some((String::new(), 1)),
        };
        // The shortest match is found in other strings too.
        self.takes('?');
        let is_repeated = matches!(self.rest.peek(), Some('*' | '+' | '?' | '{'));
        (!is_repeated).then_some(found)
    }

    /// An escape after its `\`.
    fn escape(&mut self) -> Option<Atom> {
        let letter = self.rest.next()?;
        if let Some(class) = class_of(letter) {
            return Some(Atom::new(format!("[{class}]")));
        }
        if let Some(class) = class_of(letter.to_ascii_lowercase()) {
            return Some(Atom::new(format!("[^{class}]")));
        }
        self.escaped(letter).and_then(Atom::literal)
    }

    /// The letter that an escape stands for.
    fn escaped(&mut self, letter: char) -> Option<char> {
        let digits = match letter {
            'x' => 2,
            'u' => 4,
            letter if letter.is_ascii_alphanumeric() => return None,
            letter => return Some(letter),
        };
        let code: String = self.rest.by_ref().take(digits).collect();
        u32::from_str_radix(&code, 16).ok().and_then(char::from_u32)
    }

    /// A class of letters after its `[`.
    fn class(&mut self) -> Option<Atom> {
        let mut class = if self.takes('^') { "[^".to_owned() } else { "[".to_owned() };
        let empty = class.len();
        // The letters that have a meaning at any other position.
        let mut last = String::new();
        loop {
            match self.rest.next()? {
                ']' => break,
                '\\' => {
                    let letter = self.rest.next()?;
                    match class_of(letter) {
                        Some(letters) => class += letters,
                        None if class_of(letter.to_ascii_lowercase()).is_some() => return None,
                        None => match self.escaped(letter)? {
                            letter @ ('[' | ']' | '\\') => class.extend(['\\', letter]),
                            letter @ ('^' | '-') => last.insert(0, letter),
                            letter if letter.is_control() => return None,
                            letter => class.push(letter),
                        },
                    }
                }
                '[' => class += r"\[",
                '&' if self.rest.peek() == Some(&'&') => return None,
                letter if letter.is_control() => return None,
                letter => class.push(letter),
            }
        }
        // Only `^` and `-` would be at the start.
        if class.len() == empty && last.contains('^') {
            return None;
        }
        class += &last;
        (class.len() > empty).then(|| Atom::new(class + "]"))
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
            (r"(^a$|^b$)", r"^(a|b)$"),
            (r"^(?<year>\d+)$", r"^([0-9]+)$"),
            (r"^é+$", r"^[é]+$"),
            (r"^[\^a]$", r"^[a^]$"),
            (r"^a+?$", r"^a+$"),
            (r"^\x41\u0042$", r"^AB$"),
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
            assert_eq!(portable(pattern), None, "{pattern}");
        }
    }
}
