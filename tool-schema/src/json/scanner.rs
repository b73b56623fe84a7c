//! A scanner of JSON text.

use super::Nesting;
use std::borrow::Cow;

/// Reads JSON text value by value. It does not check the syntax, which makes it fast: a parser reads the same text
/// before or after.
#[derive(Debug)]
pub struct Scanner<'j> {
    json: &'j str,
    at: usize,
}

impl<'j> Scanner<'j> {
    /// Creates a scanner at the beginning of the text.
    #[inline]
    #[must_use]
    pub fn new(json: &'j str) -> Self {
        Scanner { json, at: 0 }
    }

    /// How many bytes it has read.
    #[inline]
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    /// The text from here to the end.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'j str {
        self.json.get(self.at..).unwrap_or_default()
    }

    /// Skips a text, if it is next. Returns whether it is.
    #[inline]
    pub fn take_text(&mut self, text: &str) -> bool {
        self.peek();
        let rest = self.json.as_bytes().get(self.at..).unwrap_or_default();
        let is_next = rest.starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Skips this many bytes of [`rest`](Scanner::rest).
    #[inline]
    pub fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Skips white space, and returns the next byte; 0 at the end.
    #[inline]
    pub fn peek(&mut self) -> u8 {
        let bytes = self.json.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(&byte) => return byte,
                None => return 0,
            }
        }
    }

    /// Skips a bracket, a comma or a colon, if it is next. Returns whether it is.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }

    /// Whether an array or object has one more entry. Skips the bracket that closes it.
    #[inline]
    pub fn has_entry_before(&mut self, end: u8) -> bool {
        let next = self.peek();
        self.at += usize::from(next == end);
        next != end && next != 0
    }

    /// The keys and values of an object; a key that contains half of a surrogate pair is `None`.
    pub fn entries(object: &'j str) -> impl Iterator<Item = (Option<Cow<'j, str>>, &'j str)> {
        let mut json = Scanner::new(object);
        json.take(b'{');
        std::iter::from_fn(move || {
            json.has_entry_before(b'}').then(|| {
                let key = json.string().value();
                json.take(b':');
                let value = json.value();
                json.take(b',');
                (key, value)
            })
        })
    }

    /// Reads a value of any type, and returns its text.
    pub fn value(&mut self) -> &'j str {
        match self.peek() {
            b'"' => self.string().json,
            b'{' | b'[' => self.nested(),
            _ => self.scalar(),
        }
    }

    /// Reads a string, with its quotes.
    pub fn string(&mut self) -> JsonString<'j> {
        let from = self.at;
        let mut has_escape = false;
        self.at += 1;
        loop {
            let rest = self.json.as_bytes().get(self.at..).unwrap_or_default();
            let stop = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
            self.at += stop;
            if rest.get(stop) != Some(&b'\\') {
                break;
            }
            has_escape = true;
            self.at += 2;
        }
        JsonString { json: self.since(from, 1), has_escape }
    }

    /// Reads a number, a boolean or null.
    pub fn scalar(&mut self) -> &'j str {
        let from = self.at;
        let rest = &self.json.as_bytes()[from..];
        let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\t' | b'\r');
        // At least one byte, so that text that is not JSON ends as well.
        self.at += rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
        self.since(from, 0)
    }

    fn nested(&mut self) -> &'j str {
        let from = self.at;
        let mut nesting = Nesting::default();
        for &byte in &self.json.as_bytes()[from..] {
            nesting.step(byte);
            if nesting.depth == 0 {
                break;
            }
            self.at += 1;
        }
        self.since(from, 1)
    }

    /// The text since `from`, with the next `last` bytes, which are ASCII.
    fn since(&mut self, from: usize, last: usize) -> &'j str {
        self.at = (self.at + last).min(self.json.len());
        self.json.get(from..self.at).unwrap_or_default()
    }
}

/// A string as JSON text.
#[derive(Clone, Copy, Debug)]
pub struct JsonString<'j> {
    /// The text with its quotes.
    pub json: &'j str,
    has_escape: bool,
}

impl<'j> JsonString<'j> {
    /// The text of a value, if it is a string.
    #[must_use]
    pub fn from_value(value: &'j str) -> Option<Self> {
        let mut json = Scanner::new(value);
        (json.peek() == b'"').then(|| json.string())
    }

    /// The value of the string; `None` if it contains half a surrogate pair, which no parser reads.
    pub fn value(self) -> Option<Cow<'j, str>> {
        if self.has_escape {
            serde_json::from_str(self.json).ok().map(Cow::Owned)
        } else {
            let inner = self.json.get(1..self.json.len().saturating_sub(1));
            inner.map(Cow::Borrowed)
        }
    }
}
