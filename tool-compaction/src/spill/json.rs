//! JSON values that are shortened between their elements.
//!
//! All functions work on the text, so that they change neither numbers nor the order of keys.

use crate::grouped::Grouped;
use crate::part_limit::max_part_len;
use serde_json::value::RawValue;

/// The longest value in place of one that is left out: see [`left_out`].
const MAX_MARKER_BYTES: usize = 64;
/// A value that is shortened to fewer bytes shows too little of its content.
const MIN_VALUE: usize = 160;
/// Deeper values are left out as a whole, which limits the recursion.
const MAX_DEPTH: usize = 16;

/// Whether a text is one JSON object or array.
pub(crate) fn is_container(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<&RawValue>(text).is_ok()
}

/// A valid JSON text without white space between its tokens.
pub(crate) fn compact(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut scanner = Scanner::default();
    for character in json.chars() {
        if scanner.advance(character) || !character.is_ascii_whitespace() {
            text.push(character);
        }
    }
    text
}

/// A valid JSON text with each element and each member on a line of its own.
pub(crate) fn indented(json: &str) -> String {
    // Deeper lines have no more white space, so that the length of the text stays linear.
    const MAX_INDENT: usize = 16;
    let compact = compact(json);
    let mut text = String::with_capacity(compact.len() * 2);
    let mut scanner = Scanner::default();
    let mut before = None;
    let new_line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    for character in compact.chars() {
        let depth = scanner.depth;
        let is_in_string = scanner.advance(character);
        let is_empty = matches!((before, character), (Some('['), ']') | (Some('{'), '}'));
        match before {
            Some('{' | '[') if !is_empty => new_line(&mut text, depth),
            Some(',') => new_line(&mut text, depth),
            Some(':') => text.push(' '),
            _ => {}
        }
        if !is_in_string && matches!(character, '}' | ']') && !is_empty {
            new_line(&mut text, scanner.depth);
        }
        text.push(character);
        before = (!is_in_string).then_some(character);
    }
    text
}

/// A compact object or array with at most this number of bytes; `None` if the limit is too small.
pub(crate) fn shortened(json: &str, limit: usize) -> Option<String> {
    Some(shorten_value(json, limit, 0)).filter(|text| text.len() <= limit)
}

/// Where strings and brackets begin and end.
#[derive(Default)]
struct Scanner {
    depth: usize,
    is_string: bool,
    is_escaped: bool,
}

impl Scanner {
    /// Takes the next character, and returns whether it is a part of a string, including the quotes.
    fn advance(&mut self, character: char) -> bool {
        if self.is_string {
            match character {
                _ if self.is_escaped => self.is_escaped = false,
                '\\' => self.is_escaped = true,
                '"' => self.is_string = false,
                _ => {}
            }
            return true;
        }
        match character {
            '"' => self.is_string = true,
            '{' | '[' => self.depth += 1,
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.is_string
    }
}

/// An element of an array, or a member of an object.
#[derive(Clone, Copy)]
struct Child<'j> {
    /// The key with its colon; empty for an element.
    key: &'j str,
    value: &'j str,
}

impl Child<'_> {
    /// With the comma after it.
    fn len(&self) -> usize {
        self.key.len() + self.value.len() + 1
    }

    /// The fewest bytes in which it can be shortened.
    fn min_len(&self) -> usize {
        self.len().min(self.key.len() + MAX_MARKER_BYTES + 1)
    }

    fn write(&self, text: &mut String, limit: usize, depth: usize) {
        if !text.ends_with(['[', '{']) {
            text.push(',');
        }
        text.push_str(self.key);
        text.push_str(&shorten_value(self.value, limit.saturating_sub(self.key.len() + 1), depth));
    }
}

/// The children of a compact object or array.
fn children(json: &str) -> Vec<Child<'_>> {
    let inner = &json[1..json.len() - 1];
    let mut scanner = Scanner::default();
    let (mut children, mut start, mut colon) = (Vec::new(), 0, None);
    let child = |start: usize, colon: Option<usize>, end: usize| {
        let split = colon.map_or(start, |colon: usize| colon + 1);
        Child { key: &inner[start..split], value: &inner[split..end] }
    };
    let is_object = json.starts_with('{');
    for (at, character) in inner.char_indices() {
        if scanner.advance(character) || scanner.depth > 0 {
            continue;
        }
        match character {
            ',' => {
                children.push(child(start, colon, at));
                (start, colon) = (at + 1, None);
            }
            ':' if is_object && colon.is_none() => colon = Some(at),
            _ => {}
        }
    }
    if !inner.is_empty() {
        children.push(child(start, colon, inner.len()));
    }
    children
}

/// A value with at most this number of bytes, if that is at least [`MAX_MARKER_BYTES`].
fn shorten_value(json: &str, limit: usize, depth: usize) -> String {
    if json.len() <= limit {
        return json.to_owned();
    }
    match json.as_bytes().first() {
        Some(b'"') => shorten_string(json, limit),
        Some(b'{' | b'[') if depth < MAX_DEPTH && limit >= MIN_VALUE => shorten_container(json, limit, depth),
        _ => left_out(json.len(), "bytes"),
    }
}

fn left_out(number: usize, unit: &str) -> String {
    format!("\"[... {} {unit} left out ...]\"", Grouped(number))
}

/// A string whose middle is left out.
fn shorten_string(json: &str, limit: usize) -> String {
    let marker = left_out(json.len(), "bytes");
    let marker = marker.trim_matches('"');
    let Some(kept) = limit.checked_sub(marker.len()).filter(|kept| *kept >= 2) else {
        return left_out(json.len(), "bytes");
    };
    let head = piece_before(json, kept.div_ceil(2));
    let tail = piece_after(json, json.len() - kept / 2);
    [&json[..head], marker, &json[tail..]].concat()
}

/// The greatest position up to this one that is not within an escape of a JSON string.
fn piece_before(json: &str, position: usize) -> usize {
    pieces(json).take_while(|start| *start <= position).last().unwrap_or(0)
}

/// The smallest position from this one that is not within an escape of a JSON string.
fn piece_after(json: &str, position: usize) -> usize {
    pieces(json).find(|start| *start >= position).unwrap_or(json.len())
}

/// The starts of the characters and escapes of a JSON string. The two escapes of a surrogate pair are one.
fn pieces(json: &str) -> impl Iterator<Item = usize> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next;
        let rest = json.get(start..)?;
        let unicode = |text: &str| text.starts_with("\\u");
        next += match rest.chars().next()? {
            '\\' if unicode(rest)
                && rest.get(2..4).is_some_and(|digits| {
                    matches!(digits.as_bytes(), [b'd' | b'D', b'8' | b'9' | b'a'..=b'b' | b'A'..=b'B'])
                })
                && rest.get(6..).is_some_and(unicode) =>
            {
                12
            }
            '\\' if unicode(rest) => 6,
            '\\' => 2,
            character => character.len_utf8(),
        };
        Some(start)
    })
}

/// An object or array whose longest children are shortened; or without those in its middle, if it has too many.
fn shorten_container(json: &str, limit: usize, depth: usize) -> String {
    let children = children(json);
    let available = limit - "[]".len();
    let max_child = max_part_len(children.iter().map(Child::len), available);
    let are_all_kept = max_child >= MIN_VALUE && children.iter().all(|child| child.min_len() <= max_child);
    let mut text = json[..1].to_owned();
    if are_all_kept {
        for child in &children {
            child.write(&mut text, max_child, depth + 1);
        }
    } else {
        head_and_tail(&mut text, &children, available, depth + 1);
    }
    text.push_str(&json[json.len() - 1..]);
    text
}

fn head_and_tail(text: &mut String, children: &[Child<'_>], available: usize, depth: usize) {
    let is_object = text.starts_with('{');
    let marker = |number: usize| {
        if is_object {
            format!("\"[...]\":{}", left_out(number, "members"))
        } else {
            left_out(number, "elements")
        }
    };
    let mut available = available.saturating_sub(marker(children.len()).len() + 1);
    // Several children are shown, even if each is long.
    let longest = (available / 4).max(MIN_VALUE);
    let (mut first, mut last) = (0, children.len());
    while first < last {
        let is_head = first <= children.len() - last;
        let child = &children[if is_head { first } else { last - 1 }];
        let bytes = child.len().min(longest.max(child.min_len()));
        if bytes > available {
            break;
        }
        available -= bytes;
        if is_head { first += 1 } else { last -= 1 }
    }
    for child in &children[..first] {
        child.write(text, longest.max(child.min_len()), depth);
    }
    if first < last {
        if first > 0 {
            text.push(',');
        }
        text.push_str(&marker(last - first));
    }
    for child in &children[last..] {
        child.write(text, longest.max(child.min_len()), depth);
    }
}
