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
            let mut ahead = rest.clone();
            if ahead.next() != Some('-') || ahead.peek() == Some(&']') {
                class.part(first);
                continue;
            }
            rest.next();
            // The `regex` crate subtracts the letters after `--`.
            let last = part(rest).filter(|_| ahead.peek() != Some(&'-'))?;
            match (first, last) {
                (Part::Letter(first), Part::Letter(last)) if first > last => return None,
                (Part::Letter(first), Part::Letter(last)) => class.range(first, last),
                _ => {
                    class.has_loose_hyphen = true;
                    [first, Part::Letter('-'), last].into_iter().for_each(|part| class.part(part));
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
        match part {
            Part::Letter(letter) => self.range(letter, letter),
            Part::Class(class) => match letters_of(class) {
                Some(letters) => self.letters += letters,
                None => self.is_special = true,
            },
        }
    }

    fn range(&mut self, first: char, last: char) {
        // No end of a range is a letter with a meaning.
        let has_meaning = |letter: &char| r"^-[]\".contains(*letter);
        let mut range = first..=last;
        while !range.is_empty() && has_meaning(range.start()) {
            range.next().into_iter().for_each(|letter| self.letter(letter));
        }
        while !range.is_empty() && has_meaning(range.end()) {
            range.next_back().into_iter().for_each(|letter| self.letter(letter));
        }
        match (range.next(), range.next_back()) {
            (Some(first), Some(last)) => {
                self.is_special |= first.is_control() || last.is_control();
                self.letters.extend([first, '-', last]);
            }
            (letter, _) => letter.into_iter().for_each(|letter| self.letter(letter)),
        }
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

/// A part of a class.
#[derive(Clone, Copy)]
enum Part {
    Letter(char),
    /// The letter of an escape such as `\d`.
    Class(char),
}

fn part(rest: &mut Peekable<Chars<'_>>) -> Option<Part> {
    Some(Part::Letter(match rest.next()? {
        // The `regex` crate combines the letters before and after it.
        letter @ ('-' | '&' | '~') if rest.peek() == Some(&letter) => return None,
        '\\' => match rest.next()? {
            class @ ('d' | 'D' | 'w' | 'W' | 's' | 'S') => return Some(Part::Class(class)),
            'b' => '\x08',
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
