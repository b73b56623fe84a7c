//! Classes of letters in patterns, such as `[a-z\d]`.

use std::iter::Peekable;
use std::str::Chars;

/// A class of letters, in the syntax that every engine compiles.
#[derive(Default)]
pub(super) struct Class {
    letters: String,
    /// `^`, then `-`: letters that have a meaning at other positions.
    end: String,
    is_negated: bool,
    /// Whether it contains what engines do not compile.
    is_special: bool,
    /// Whether a `-` is next to a class such as `\d`. ECMA-262 reads it as a letter; other languages reject it.
    pub(super) has_loose_hyphen: bool,
}

impl Class {
    /// Reads a class after its `[`. `None` if it is invalid, or if languages disagree about its meaning.
    pub(super) fn read(rest: &mut Peekable<Chars<'_>>) -> Option<Self> {
        let mut class = Class { is_negated: rest.next_if_eq(&'^').is_some(), ..Class::default() };
        // Languages disagree about `[]`.
        if rest.peek() == Some(&']') {
            return None;
        }
        while rest.next_if_eq(&']').is_none() {
            let first = part(rest)?;
            let has_hyphen = rest.next_if_eq(&'-').is_some();
            let last = match rest.peek()? {
                // The `regex` crate subtracts the letters after `--`.
                '-' if has_hyphen => return None,
                letter if has_hyphen && *letter != ']' => Some(part(rest)?),
                _ => None,
            };
            match (first, last) {
                (Ok(first), Some(Ok(last))) if first > last => return None,
                (Ok(first), Some(Ok(last))) => class.range(first, last),
                _ => {
                    class.has_loose_hyphen |= last.is_some();
                    let hyphen = has_hyphen.then_some(Ok('-'));
                    Some(first).into_iter().chain(hyphen).chain(last).for_each(|part| class.part(part));
                }
            }
        }
        Some(class)
    }

    /// `None` if no engine compiles it.
    pub(super) fn written(self) -> Option<String> {
        // Engines disagree about `&&` and `~~`.
        if self.is_special || self.letters.contains("&&") || self.letters.contains("~~") {
            return None;
        }
        let negation = if self.is_negated { "^" } else { "" };
        Some(match (negation, &*self.letters, &*self.end) {
            ("", "", "^") => r"\^".to_owned(),
            ("", "", "^-") => "[-^]".to_owned(),
            (_, letters, end) => format!("[{negation}{letters}{end}]"),
        })
    }

    fn part(&mut self, part: Part) {
        match part.map_err(letters_of) {
            Ok(letter) => self.letter(letter),
            Err(letters) => {
                self.is_special |= letters.is_none();
                self.letters += letters.unwrap_or_default();
            }
        }
    }

    fn range(&mut self, first: char, last: char) {
        // At an end of a range, engines read these letters in different ways.
        self.is_special |= [first, last].iter().any(|end| end.is_control() || r"^-[]\".contains(*end));
        self.letters.extend([first, '-', last]);
    }

    fn letter(&mut self, letter: char) {
        match letter {
            '^' | '-' if self.end.contains(letter) => {}
            '^' => self.end.insert(0, letter),
            '-' => self.end.push(letter),
            '[' | ']' | '\\' => self.letters.extend(['\\', letter]),
            '\t' | '\n' | '\r' => self.letters.extend(letter.escape_default()),
            letter => {
                self.is_special |= letter.is_control();
                self.letters.push(letter);
            }
        }
    }
}

/// The letters of the classes `\d`, `\w` and `\s`.
pub(super) fn letters_of(class: char) -> Option<&'static str> {
    match class {
        'd' => Some("0-9"),
        'w' => Some("A-Za-z0-9_"),
        's' => Some(r" \t\n\r"),
        _ => None,
    }
}

/// A letter, or the letter of an escape such as `\d` that is no letter itself.
type Part = Result<char, char>;

fn part(rest: &mut Peekable<Chars<'_>>) -> Option<Part> {
    Some(Ok(match rest.next()? {
        // The `regex` crate combines the letters before and after it.
        letter @ ('-' | '&' | '~') if rest.peek() == Some(&letter) => return None,
        '\\' => match rest.next()? {
            class @ ('d' | 'D' | 'w' | 'W' | 's' | 'S') => return Some(Err(class)),
            't' => '\t',
            'n' => '\n',
            'v' => '\x0b',
            'f' => '\x0c',
            'r' => '\r',
            kind @ ('x' | 'u') => hexadecimal(kind, rest).and_then(char::from_u32)?,
            letter if letter.is_ascii_alphanumeric() => return None,
            letter => letter,
        },
        letter => letter,
    }))
}

/// The number of an escape such as `\x41` or `\u0041`, after its kind.
pub(super) fn hexadecimal(kind: char, rest: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let count = if kind == 'x' { 2 } else { 4 };
    (0..count).try_fold(0, |number, _| Some(number * 16 + rest.next()?.to_digit(16)?))
}
