//! Patterns in the syntax that JSON Schema, Python and Rust have in common.
//!
//! JSON Schema has regular expressions of ECMA-262; servers validate patterns with those of their own language, and reject a
//! definition with any other. A `portable` pattern is also one that every grammar engine compiles.

mod class;
mod portable;

pub(super) use portable::{MAX_REPETITIONS, is_accepted_for_keys};

use super::Conversion;
use super::engines::move_keywords;
use class::{Class, hexadecimal};
use portable::portable;
use serde_json::{Map, Value};

/// The rule that a pattern has a syntax that every server reads.
pub fn accept_patterns(conversion: &mut Conversion<'_>) {
    let reasons = ["every server reads", "not every server reads its syntax"];
    conversion.each_schema(&mut |keywords| {
        let mut changes = rewrite_pattern(keywords, is_common, reasons);
        let keys = keywords.get("patternProperties").and_then(Value::as_object);
        if keys.into_iter().flatten().any(|(pattern, _)| !is_common(pattern)) {
            // `additionalProperties` would apply to the keys that match.
            move_keywords(keywords, &["patternProperties", "additionalProperties"], reasons[1], &mut changes);
        }
        changes
    });
}

/// Rewrites or moves a pattern that is not accepted. Returns the changes, with the reasons to rewrite and to move.
pub(super) fn rewrite_pattern(
    keywords: &mut Map<String, Value>,
    is_accepted: impl Fn(&str) -> bool,
    [rewritten, moved]: [&str; 2],
) -> Vec<String> {
    let mut changes = Vec::new();
    let Some(Value::String(pattern)) = keywords.get_mut("pattern") else { return changes };
    match portable(pattern) {
        _ if is_accepted(pattern) => {}
        Some(portable) if portable == *pattern => {}
        Some(portable) => {
            changes.push(format!("the pattern `{pattern}` becomes `{portable}`, which {rewritten}"));
            *pattern = portable;
        }
        None => move_keywords(keywords, &["pattern"], moved, &mut changes),
    }
    changes
}

/// Whether a pattern has the same meaning in ECMA-262 and in Python. Some patterns for which this is true are not found.
fn is_common(pattern: &str) -> bool {
    let mut letters = pattern.chars().peekable();
    let (mut groups, mut may_repeat) = (0_usize, false);
    while let Some(letter) = letters.next() {
        let mut is_repeatable = true;
        match letter {
            '\\' => match letters.next() {
                Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'b' | 'B' | 'n' | 'r' | 't' | 'f' | 'v') => {}
                Some(kind @ ('x' | 'u')) if hexadecimal(kind, &mut letters).is_some() => {}
                Some(escaped) if !escaped.is_ascii_alphabetic() => {}
                _ => return false,
            },
            '[' if Class::read(&mut letters).is_none_or(|class| class.has_loose_hyphen) => return false,
            '(' => {
                groups += 1;
                is_repeatable = false;
                if letters.next_if_eq(&'?').is_some() {
                    let mut kind = letters.next();
                    if kind == Some('<') {
                        kind = letters.next().filter(|kind| matches!(kind, '=' | '!'));
                    }
                    if !matches!(kind, Some(':' | '=' | '!')) {
                        return false;
                    }
                }
            }
            ')' if groups == 0 => return false,
            ')' => groups -= 1,
            '|' | '^' => is_repeatable = false,
            '*' | '+' | '?' => {
                if !may_repeat {
                    return false;
                }
                letters.next_if_eq(&'?');
                is_repeatable = false;
            }
            _ => {}
        }
        may_repeat = is_repeatable;
    }
    groups == 0
}

#[cfg(test)]
mod tests {
    use super::is_common;

    #[test]
    fn a_pattern_with_the_syntax_of_one_language_is_found() {
        let common = [
            "",
            "x",
            r"^\d{4}$",
            r"^(?!con$)[a-z]+$",
            r"(?<=a)b",
            r"^[\w.-]+@x\.de$",
            r"a|b",
            r"(?:a)*?",
            r"^\/\u00e9$",
            r"[^\]]",
            r"a{2,3}",
            r"(a)\1",
            r"^[*+?]$",
            r"[a-z-]",
            r"[\d.-]",
            r"[^\x00-\x1f]",
        ];
        for pattern in common {
            assert!(is_common(pattern), "{pattern}");
        }
        let others = [
            r"\p{L}",
            r"\Aa\z",
            r"(?P<a>b)",
            r"(?<a>b)",
            r"(?i)a",
            r"a++",
            r"a**",
            r"*a",
            r"(a",
            r"a)",
            r"[a",
            r"[]a]",
            r"[^]",
            r"(?>a)",
            r"\",
            r"\x4",
            r"(|*)",
            r"\h",
            r"[\w-\.]",
            r"[\d-\/]",
            r"[a--b]",
            r"[z-a]",
        ];
        for pattern in others {
            assert!(!is_common(pattern), "{pattern}");
        }
    }
}
