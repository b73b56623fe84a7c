//! A way through text that is known to be JSON.

use std::borrow::Cow;

/// Steps from value to value. A parser has read the text before, or reads it after: what would be wrong with it is not looked
/// for, which is what makes another reading cheap.
#[derive(Debug)]
pub(crate) struct Scanner<'j> {
    json: &'j str,
    at: usize,
}

impl<'j> Scanner<'j> {
    pub(crate) fn new(json: &'j str) -> Self {
        Scanner { json, at: 0 }
    }

    /// The first byte of what comes next, white space aside; 0 at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> u8 {
        let bytes = self.json.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(&byte) => return byte,
                None => return 0,
            }
        }
    }

    /// Goes over a bracket, a comma or a colon, if it comes next.
    #[inline]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == byte;
        self.at += usize::from(is_next);
        is_next
    }

    /// Whether one more entry comes before the bracket that ends the list or the object, which it goes over.
    #[inline]
    pub(crate) fn has_entry_before(&mut self, end: u8) -> bool {
        let next = self.peek();
        self.at += usize::from(next == end);
        next != end && next != 0
    }

    /// Goes over this text, if it stands here.
    #[inline]
    pub(crate) fn take_text(&mut self, text: &str) -> bool {
        let rest = self.json.as_bytes().get(self.at..).unwrap_or_default();
        let is_next = rest.starts_with(text.as_bytes());
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Goes over a value of any kind, and says how it is written.
    pub(crate) fn value(&mut self) -> &'j str {
        match self.peek() {
            b'"' => self.string().written,
            b'{' | b'[' => self.nested(),
            _ => self.scalar(),
        }
    }

    /// Goes over a string, quotes and all.
    pub(crate) fn string(&mut self) -> Quoted<'j> {
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
        Quoted { written: self.since(from, 1), has_escape }
    }

    /// Goes over a number, a boolean or null.
    pub(crate) fn scalar(&mut self) -> &'j str {
        let from = self.at;
        let rest = &self.json.as_bytes()[from..];
        let is_end = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\t' | b'\r');
        // At least one byte, so that what is no JSON after all comes to an end too.
        self.at += rest.iter().position(is_end).unwrap_or(rest.len()).max(1);
        self.since(from, 0)
    }

    fn nested(&mut self) -> &'j str {
        let from = self.at;
        let bytes = self.json.as_bytes();
        let mut depth = 0_usize;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        self.since(from, 1)
    }

    /// The text from there to here, after the last bytes of it. All of them are ASCII.
    fn since(&mut self, from: usize, last: usize) -> &'j str {
        self.at = (self.at + last).min(self.json.len());
        self.json.get(from..self.at).unwrap_or_default()
    }
}

/// A string as it stands in JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quoted<'j> {
    written: &'j str,
    has_escape: bool,
}

impl<'j> Quoted<'j> {
    /// A value that is a string, if it is one.
    pub(crate) fn of(value: &'j str) -> Option<Self> {
        let mut json = Scanner::new(value);
        (json.peek() == b'"').then(|| json.string())
    }

    /// What it says, and `None` if it holds half a surrogate pair, which no parser reads.
    pub(crate) fn unquoted(self) -> Option<Cow<'j, str>> {
        if self.has_escape {
            serde_json::from_str(self.written).ok().map(Cow::Owned)
        } else {
            let inner = self.written.get(1..self.written.len().saturating_sub(1));
            inner.map(Cow::Borrowed)
        }
    }
}
