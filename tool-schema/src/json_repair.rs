//! Repair of text that is almost JSON, if it contains one object with one reading. Truncated text is never completed.

use serde::de::IgnoredAny;
use std::fmt::Write as _;

/// The descriptions of the repairs that write double quotes in place of other ones.
pub const QUOTE_REPAIRS: [&str; 2] = [SINGLE_QUOTES, BACKTICKS];
const SINGLE_QUOTES: &str = "single quotes were read as double quotes";
const BACKTICKS: &str = "backticks were read as double quotes";

/// An object as JSON, and the descriptions of the repairs; `None` if the text has no object or several readings.
pub type Repaired = Option<(String, Vec<&'static str>)>;

/// How often JSON may be encoded as a JSON string.
const MAX_ENCODINGS: usize = 3;

/// How many readings of one text are compared.
const MAX_READINGS: usize = 100;

/// In bytes: a longer text is not read several times.
const MAX_NESTED_LENGTH: usize = 64 << 10;

/// The object in a text, as JSON, and the descriptions of the repairs in their order, each once. `None` if the text has no object
/// or several readings. `is_object` returns whether a text is the JSON of an object.
pub fn object(text: &str, is_object: impl Fn(&str) -> bool) -> Repaired {
    read(text, &is_object).or_else(|| read_nested_backticks(text, &is_object))
}

/// Reads a text whose first value in backticks contains backticks, such as code with template literals. Exactly one of them must be
/// the end of the value.
fn read_nested_backticks(text: &str, is_object: &impl Fn(&str) -> bool) -> Repaired {
    if text.len() > MAX_NESTED_LENGTH {
        return None;
    }
    let backticks: Vec<usize> = text.match_indices('`').map(|(at, _)| at).collect();
    let is_start = |&at: &usize| text[..at].trim_end().ends_with(':');
    let first = backticks.iter().position(is_start)?;
    let (start, ends) = (backticks[first] + 1, backticks.get(first + 1..)?);
    if ends.len() > MAX_READINGS {
        return None;
    }
    let readings = ends.iter().filter_map(|&end| {
        let inner = text[start..end].replace("\\`", "`").replace('`', "\\`");
        read(&format!("{}{inner}{}", &text[..start], &text[end..]), is_object)
    });
    let mut readings = readings.collect::<Vec<_>>().into_iter();
    readings.next().filter(|_| readings.next().is_none())
}

/// Repairs a text whose strings end at their first quote that is not escaped.
fn read(text: &str, is_object: &impl Fn(&str) -> bool) -> Repaired {
    let mut repairs = Vec::new();
    let mut add = |description: &'static str| {
        if !repairs.contains(&description) {
            repairs.push(description);
        }
    };
    let mut text = text.trim().to_owned();
    if text.starts_with('\u{feff}') {
        add("a byte order mark was left out");
        text.replace_range(..'\u{feff}'.len_utf8(), "");
    }
    for _ in 0..=MAX_ENCODINGS {
        if is_object(&text) {
            return Some((text, repairs));
        }
        if let Ok(inner) = serde_json::from_str::<String>(&text) {
            add("the arguments were encoded twice");
            inner.trim().clone_into(&mut text);
        } else {
            let repair = Repair::from_text(&text)?;
            repair.repairs.iter().for_each(|repair| add(repair));
            text = repair.into_json()?;
        }
    }
    None
}

/// The tokens of one object, as JSON.
#[derive(Default)]
struct Repair {
    tokens: Vec<String>,
    /// The brackets that are open.
    open: Vec<u8>,
    /// The tokens that are closing brackets, by their indexes.
    closing: Vec<usize>,
    /// Whether there is a closing bracket without an opening one.
    has_surplus: bool,
    repairs: Vec<&'static str>,
}

impl Repair {
    /// Reads the only object in a text, and the text around it.
    fn from_text(text: &str) -> Option<Self> {
        let mut repair = Repair::default();
        let text = repair.skip_comments(text);
        let (before, mut rest) = text.split_at(text.find('{')?);
        // Otherwise the object may be in a comment.
        if before.contains("//") || before.contains("/*") {
            return None;
        }
        if !before.trim().is_empty() {
            repair.remove(before)?;
        }
        loop {
            rest = repair.skip_comments(rest);
            let is_complete = repair.open.is_empty() && !repair.tokens.is_empty();
            if is_complete && !rest.starts_with(['}', ']']) {
                break;
            }
            rest = repair.token(rest)?;
        }
        if rest.starts_with([',', ':']) {
            return None;
        }
        if !rest.is_empty() {
            repair.remove(rest)?;
        }
        (!repair.repairs.is_empty()).then_some(repair)
    }

    /// Skips white space and comments.
    fn skip_comments<'t>(&mut self, text: &'t str) -> &'t str {
        let mut rest = text.trim_start();
        while let Some(after) = comment(rest) {
            self.repairs.push("a comment was left out");
            rest = after.trim_start();
        }
        rest
    }

    /// Removes text around the object, which must not contain JSON.
    fn remove(&mut self, text: &str) -> Option<()> {
        if text.contains(['{', '}', '[', ']', '"']) {
            return None;
        }
        let fence = text.contains("```").then_some("the arguments were in a code fence");
        self.repairs.insert(0, fence.unwrap_or("text around the arguments was left out"));
        Some(())
    }

    /// Reads one token, and returns the text after it.
    fn token<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        let first = *text.as_bytes().first()?;
        let length = match first {
            b'{' | b'[' => {
                self.open.push(first);
                self.push(first)
            }
            b'}' | b']' => {
                self.remove_comma();
                let opening = if first == b'}' { b'{' } else { b'[' };
                if self.open.last() == Some(&opening) {
                    self.open.pop();
                } else if std::mem::replace(&mut self.has_surplus, true) {
                    return None;
                } else {
                    self.repairs.push("a surplus bracket was left out");
                }
                self.closing.push(self.tokens.len());
                self.push(first)
            }
            b',' | b':' => self.push(first),
            b'"' | b'\'' | b'`' => self.string(text)?,
            _ => self.word(text)?,
        };
        text.get(length..)
    }

    fn push(&mut self, token: u8) -> usize {
        self.tokens.push(char::from(token).to_string());
        1
    }

    /// Removes a comma before a closing bracket, but not the comma of `[,]`.
    fn remove_comma(&mut self) {
        let [.., before, last] = &self.tokens[..] else { return };
        if last == "," && !matches!(&**before, "{" | "[" | ",") {
            self.tokens.pop();
            self.repairs.push("a trailing comma was left out");
        }
    }

    /// Returns the length of the string.
    fn string(&mut self, text: &str) -> Option<usize> {
        let quote = text.chars().next()?;
        match quote {
            '\'' => self.repairs.push(SINGLE_QUOTES),
            '`' => self.repairs.push(BACKTICKS),
            _ => {}
        }
        let mut json = String::from('"');
        let mut letters = text.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next()?.1 {
                    escaped if escaped == quote && quote != '"' => json.push(quote),
                    // A template literal of JavaScript, which many models write for code.
                    '$' if quote == '`' => json.push('$'),
                    escaped => json.extend(['\\', escaped]),
                },
                _ if letter == quote => {
                    json.push('"');
                    self.tokens.push(json);
                    return Some(at + 1);
                }
                '"' => json.push_str("\\\""),
                '\0'..='\u{1f}' => {
                    self.repairs.push("control characters in a string were escaped");
                    let _ = write!(json, "\\u{:04x}", u32::from(letter));
                }
                _ => json.push(letter),
            }
        }
        None
    }

    /// A number, a literal or a key without quotes. Returns its length.
    fn word(&mut self, text: &str) -> Option<usize> {
        let is_end = |letter: char| letter.is_whitespace() || "{}[],:\"'`/".contains(letter);
        let length = text.find(is_end).unwrap_or(text.len());
        let word = text.get(..length).filter(|word| !word.is_empty())?;
        let is_key = self.open.last() == Some(&b'{')
            && self.tokens.last().is_some_and(|last| matches!(&**last, "{" | ","));
        let is_name = word.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'))
            && word.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-'));
        self.tokens.push(match word {
            _ if is_key && is_name => {
                self.repairs.push("keys without quotes were read as strings");
                format!("\"{word}\"")
            }
            "True" | "False" | "None" if !is_key => {
                self.repairs.push("a Python literal was read as a JSON literal");
                if word == "None" { "null".to_owned() } else { word.to_lowercase() }
            }
            // `1 2` is not 12: two words in a row are not JSON.
            _ if self.tokens.last().is_some_and(|last| last.ends_with(is_word_char)) => return None,
            _ => word.to_owned(),
        });
        Some(length)
    }

    /// The object as JSON. If there is a surplus bracket, removing any of the closing brackets must give the same
    /// object.
    fn into_json(self) -> Option<String> {
        if !self.has_surplus {
            return Some(self.tokens.concat());
        }
        if self.closing.len() > MAX_READINGS {
            return None;
        }
        let without = |removed: usize| -> String {
            let kept = self.tokens.iter().enumerate().filter(|&(index, _)| index != removed);
            kept.map(|(_, token)| &**token).collect()
        };
        let readings = self.closing.iter().map(|&index| without(index));
        let mut readings = readings.filter(|json| serde_json::from_str::<IgnoredAny>(json).is_ok());
        let first = readings.next()?;
        readings.all(|other| other == first).then_some(first)
    }
}

fn is_word_char(letter: char) -> bool {
    !"{}[],:\"".contains(letter)
}

/// The text after a comment.
fn comment(text: &str) -> Option<&str> {
    if let Some(line) = text.strip_prefix("//") {
        return Some(line.split_once('\n').map_or("", |(_, after)| after));
    }
    text.strip_prefix("/*")?.split_once("*/").map(|(_, after)| after)
}

#[cfg(test)]
mod tests {
    use super::{SINGLE_QUOTES, object};
    use serde_json::{Map, Value};

    #[test]
    fn each_repair_is_described_once() {
        let is_object = |text: &str| serde_json::from_str::<Map<String, Value>>(text).is_ok();
        let repaired = |text| object(text, is_object);
        assert_eq!(repaired(r#" {"a":1} "#), Some((r#"{"a":1}"#.to_owned(), vec![])));
        let repairs = vec![SINGLE_QUOTES, "a trailing comma was left out"];
        assert_eq!(repaired("{'a':'b',}"), Some((r#"{"a":"b"}"#.to_owned(), repairs)));
        assert_eq!(repaired("{'a':1"), None);
        let backticks = |json: &str| Some((json.to_owned(), vec![super::BACKTICKS]));
        assert_eq!(repaired("{`a`: `b`, `c`: `d`}"), backticks(r#"{"a":"b","c":"d"}"#));
        assert_eq!(repaired("{\"a\": `f(`${b}`)`}"), backticks(r#"{"a":"f(`${b}`)"}"#));
        assert_eq!(repaired("{\"a\": `f(\\`b\\`) + `c``}"), backticks(r#"{"a":"f(`b`) + `c`"}"#));
        // The value of `a` may end before `c`, or contain it.
        assert_eq!(repaired("{\"a\": `f(`b`)`, \"c\": `d`}"), None);
        assert_eq!(repaired("[1]"), None);
    }
}
