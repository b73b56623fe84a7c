//! Patterns in the syntax that JSON Schema, Python and Rust have in common.
//!
//! JSON Schema has regular expressions of ECMA-262; servers validate patterns with those of their own language, and reject a
//! definition with any other.

use super::Conversion;
use super::patterns::portable;
use crate::schema::description::move_keywords;
use serde_json::Value;

/// The rule that a pattern has a syntax that every server reads.
pub(crate) fn accept_patterns(conversion: &mut Conversion) {
    conversion.each_schema(&mut |keywords| {
        let mut changes = Vec::new();
        if let Some(Value::String(pattern)) =
            keywords.get_mut("pattern").filter(|pattern| !has_common_syntax(pattern))
        {
            if let Some(portable) = portable(pattern) {
                let change =
                    format!("the pattern `{pattern}` is written as `{portable}`, which every server reads");
                changes.push(change);
                *pattern = portable;
            } else {
                changes.push(
                    "`pattern` is in the description, since not every server reads its syntax".to_owned(),
                );
                move_keywords(keywords, &["pattern"]);
            }
        }
        let keys = keywords.get("patternProperties").and_then(Value::as_object);
        if keys.into_iter().flatten().any(|(pattern, _)| !is_common(pattern)) {
            changes.push(
                "`patternProperties` is in the description, since not every server reads its syntax"
                    .to_owned(),
            );
            move_keywords(keywords, &["patternProperties"]);
        }
        changes
    });
}

fn has_common_syntax(pattern: &Value) -> bool {
    pattern.as_str().is_none_or(is_common)
}

/// Whether a pattern has the same meaning in ECMA-262 and in Python. Some patterns for which this is true are not found.
fn is_common(pattern: &str) -> bool {
    let mut letters = pattern.chars().peekable();
    let (mut groups, mut is_in_class, mut may_repeat) = (0_usize, false, false);
    while let Some(letter) = letters.next() {
        let mut is_repeatable = true;
        match letter {
            '\\' => match letters.next() {
                Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 'b' | 'B' | 'n' | 'r' | 't' | 'f' | 'v') => {}
                Some(kind @ ('x' | 'u')) => {
                    let count = if kind == 'x' { 2 } else { 4 };
                    let digits: String = letters.by_ref().take(count).collect();
                    if digits.len() < count || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                        return false;
                    }
                }
                Some(escaped) if !escaped.is_ascii_alphabetic() => {}
                _ => return false,
            },
            ']' => is_in_class = false,
            _ if is_in_class => {}
            '[' => {
                is_in_class = true;
                letters.next_if_eq(&'^');
                // An empty class, or a `]` in it.
                if letters.peek() == Some(&']') {
                    return false;
                }
            }
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
    groups == 0 && !is_in_class
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
        ];
        for pattern in others {
            assert!(!is_common(pattern), "{pattern}");
        }
    }
}
