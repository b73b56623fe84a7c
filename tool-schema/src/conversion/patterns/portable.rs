//! Patterns in the syntax that every grammar engine compiles.
//!
//! llama.cpp compiles only patterns from `^` to `$`, without classes such as `\d` and without escaped punctuation
//! (<https://github.com/ggml-org/llama.cpp/issues/26930>, <https://github.com/ggml-org/llama.cpp/issues/16714>). No engine
//! compiles lookarounds and references to groups.

use super::class::{Class, letters_of};
use std::iter::Peekable;
use std::str::Chars;

/// The maximum number of repetitions. llama.cpp rejects about 2,000, of characters and of items.
pub(crate) const MAX_REPETITIONS: u32 = 1_900;

/// The maximum number of groups inside each other.
const MAX_DEPTH: usize = 50;

/// The equivalent pattern that engines compile; `None` if there is none.
pub(super) fn portable(pattern: &str) -> Option<String> {
    let mut rewrite = Rewrite { rest: pattern.chars().peekable(), written: String::new(), groups: vec![0] };
    let has_several = rewrite.alternatives()?;
    let written = rewrite.written;
    // The limits apply to the group too.
    if has_several { portable(&format!("^({written})$")) } else { Some(format!("^{written}$")) }
}

/// Whether engines compile a pattern of keys. It needs no anchors, and llama.cpp has no rule for it.
pub(crate) fn is_accepted_for_keys(pattern: &str) -> bool {
    let start = if pattern.starts_with('^') { "" } else { "^" };
    let is_anchored = portable(&format!("{start}{pattern}")).is_some();
    is_anchored || portable(&format!("{start}{pattern}$")).is_some()
}

struct Rewrite<'p> {
    rest: Peekable<Chars<'p>>,
    written: String,
    /// How often engines write the characters of each open group. The first entry is the pattern.
    groups: Vec<u64>,
}

impl Rewrite<'_> {
    /// Rewrites each alternative from `^` to `$`. Returns whether there are several.
    fn alternatives(&mut self) -> Option<bool> {
        self.start()?;
        let mut has_several = false;
        loop {
            let letter = self.rest.next()?;
            let escaped = self.rest.peek().copied().filter(|_| letter == '\\');
            if self.groups.len() == 1 && (letter == '$' || matches!(escaped, Some('z' | 'Z'))) {
                self.rest.next_if(|_| letter == '\\');
                match self.rest.next() {
                    None => return Some(has_several),
                    Some('|') => self.start()?,
                    Some(_) => return None,
                }
                self.written.push('|');
                has_several = true;
                continue;
            }
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
                '|' if self.groups.len() > 1 => {
                    self.written.push('|');
                    continue;
                }
                '|' | '^' | '$' | '*' | '+' | '?' | '{' => return None,
                letter => {
                    self.letter(letter)?;
                    1
                }
            };
            let repetitions = repetitions.max(1).checked_mul(self.quantifier()?)?;
            let group = self.groups.last_mut()?;
            *group = group.checked_add(repetitions)?;
            if repetitions > u64::from(MAX_REPETITIONS) {
                return None;
            }
        }
    }

    fn start(&mut self) -> Option<()> {
        match self.rest.next()? {
            '^' => Some(()),
            '\\' => self.rest.next_if_eq(&'A').map(drop),
            _ => None,
        }
    }

    /// A letter, a class or an escape.
    fn letter(&mut self, letter: char) -> Option<()> {
        match letter {
            '.' => self.written.push('.'),
            '[' => self.written += &Class::read(&mut self.rest)?.written()?,
            '\\' => {
                let letter = self.rest.next()?;
                let negation = if letter.is_ascii_uppercase() { "^" } else { "" };
                match letters_of(letter.to_ascii_lowercase()) {
                    Some(class) => self.written.extend(["[", negation, class, "]"]),
                    None if letter.is_ascii_alphanumeric() => return None,
                    None => return self.literal(letter),
                }
            }
            letter => return self.literal(letter),
        }
        Some(())
    }

    /// A letter without special meaning. llama.cpp repeats the last byte of a literal, not the letter.
    fn literal(&mut self, letter: char) -> Option<()> {
        match letter {
            '"' => return None,
            letter if letter.is_control() => return None,
            letter if r"\^$.|?*+()[]{}".contains(letter) => self.written.extend(['\\', letter]),
            letter if letter.is_ascii() => self.written.push(letter),
            letter => self.written.extend(['[', letter, ']']),
        }
        Some(())
    }

    /// A quantifier, if there is one. Returns how often engines write what it repeats.
    fn quantifier(&mut self) -> Option<u64> {
        let mut most = 1;
        if self.rest.next_if_eq(&'{').is_some() {
            let bounds: String = self.rest.by_ref().take_while(|letter| *letter != '}').collect();
            let (least, end) = bounds.split_once(',').unwrap_or((&bounds, ""));
            if !bounds.bytes().all(|byte| byte == b',' || byte.is_ascii_digit()) {
                return None;
            }
            let least: u64 = least.parse().ok()?;
            most = if end.is_empty() { least } else { end.parse().ok().filter(|most| *most >= least)? };
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
            (r"^[\w-.]$", r"^[A-Za-z0-9_.-]$"),
            (r"^[\w-\.]+@([\w-]+\.)+[\w-]{2,4}$", r"^[A-Za-z0-9_.-]+@([A-Za-z0-9_-]+\.)+[A-Za-z0-9_-]{2,4}$"),
            (r"^[\w\^-]$", r"^[A-Za-z0-9_^-]$"),
            (r"^[\w\-.-]$", r"^[A-Za-z0-9_.-]$"),
            (r"^[a-\d]$", r"^[a0-9-]$"),
            (r"^[\^+\-]$", r"^[+^-]$"),
            (r"^[\x41-\u005A]$", r"^[A-Z]$"),
            (r"^[\^]$", r"^\^$"),
            (r"^[-^]$", r"^[-^]$"),
            (r"^[^-^]$", r"^[^^-]$"),
            (r"^[^ \t\n\r]+$", r"^[^ \t\n\r]+$"),
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
            r"^a{+2}$",
            r"^a{3,2}$",
            r"^[a--b]$",
            r"^[a&&b]$",
            r"^[\&&]$",
            r"^[z-a]$",
            r"^[/\--a]$",
            r"^[+-^]$",
            r"^[\d\D]$",
            r"^[\x00-\x1f]$",
            r"^(a{1000}|b{1000})$",
            r"^a{1000}$|^b{1000}$",
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

    /// Text of `choices`, chosen by a linear congruential generator.
    fn random(state: &mut u64, choices: &[&str], count: u64) -> String {
        let mut next = |limit: u64| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (*state >> 33) % limit
        };
        let length = next(count);
        (0..length)
            .map(|_| choices[usize::try_from(next(choices.len() as u64)).unwrap_or_default()])
            .collect()
    }

    #[test]
    fn a_portable_pattern_stays_and_matches_the_same_strings() {
        const CLASS: [&str; 24] = [
            "a", "z", "b", "-", "^", r"\^", r"\-", r"\]", r"\[", r"\\", ".", r"\.", "+", "/", "0", "9",
            r"\d", r"\w", r"\s", r"\n", "&", "~", r"\x41", " ",
        ];
        const OUTSIDE: [&str; 20] = [
            "a", "b", r"\d", r"\w", r"\S", ".", r"\.", r"\-", "-", "*", "+?", "?", "{2}", "{1,3}", "(", ")",
            "(?:", "|", "$|^", "^",
        ];
        const TEXT: [&str; 22] = [
            "a", "b", "z", "A", "Z", "0", "9", "-", "^", "]", "[", "\\", ".", ",", "+", "/", "_", " ", "\n",
            "&", "~", "\t",
        ];
        let seed: u64 = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_secs());
        println!("seed {seed}");
        let mut state = seed;
        let mut found = 0;
        for _ in 0..5_000 {
            let [before, class, after] = [(&OUTSIDE[..], 4), (&CLASS, 7), (&OUTSIDE, 4)]
                .map(|(choices, count)| random(&mut state, choices, count));
            let negation = random(&mut state, &["^"], 2);
            let pattern = format!("^{before}[{negation}{class}]{after}$");
            let Some(portable_pattern) = portable(&pattern) else { continue };
            assert_eq!(
                portable(&portable_pattern).as_ref(),
                Some(&portable_pattern),
                "{pattern}, seed {seed}"
            );
            let rewritten = regex::Regex::new(&portable_pattern).expect("engines compile it");
            let Ok(original) = regex::Regex::new(&pattern) else { continue };
            found += 1;
            for _ in 0..20 {
                let text = random(&mut state, &TEXT, 5);
                assert_eq!(
                    original.is_match(&text),
                    rewritten.is_match(&text),
                    "{pattern}, {portable_pattern}, {text:?}, seed {seed}"
                );
            }
        }
        assert!(found > 300, "{found} patterns, seed {seed}");
    }
}
