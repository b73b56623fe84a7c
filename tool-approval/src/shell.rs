//! The commands that the text of a shell may run.
//!
//! The reader finds at least the commands that `sh`, `dash` and `bash` find: it ends a command at each operator, and does not
//! check the grammar. Where shells differ, or where the end of a quote or a substitution depends on the grammar, it gives up with
//! a [`Doubt`].

mod expansion;
mod here_document;
mod list;
mod plain;
mod programs;
mod simple_command;

use list::Word;
pub(crate) use plain::{is_plain, is_plain_name};

/// Why a text cannot be read.
type Doubt = &'static str;
type Read<T> = Result<T, Doubt>;

/// A longer command is not read.
const MAX_BYTES: usize = 64 * 1024;
/// All parts of one command together, and the texts that are read again: the scripts of `sh -c`, for example.
const MAX_WORK: usize = 256 * 1024;
const MAX_DEPTH: usize = 16;
const TOO_MUCH_WORK: Doubt = "the command is too long or has too many parts";

/// A command that a text may run: its words without quotes, separated by one space.
pub(crate) struct Part {
    pub(crate) text: String,
    /// Where the text of an expansion begins, which is unknown and may contain spaces.
    pub(crate) unknown: Option<usize>,
    /// Whether a shell runs it if it reaches it. Otherwise, it stands in a quoted text.
    pub(crate) is_certain: bool,
}

/// The parts of a command, and why they may be incomplete.
pub(crate) fn parts(text: &str) -> (Vec<Part>, Option<Doubt>) {
    let mut reader = Reader::default();
    if text.len() > MAX_BYTES {
        return (Vec::new(), Some(TOO_MUCH_WORK));
    }
    if let Err(doubt) = reader.script(text, 0) {
        reader.doubt = Some(doubt);
    }
    (reader.parts, reader.doubt)
}

/// The parts of a program with its arguments, which no shell interprets.
pub(crate) fn parts_of_words(words: &[&str]) -> (Vec<Part>, Option<Doubt>) {
    let mut reader = Reader::default();
    if words.iter().map(|word| word.len()).sum::<usize>() > MAX_BYTES {
        return (Vec::new(), Some(TOO_MUCH_WORK));
    }
    let words: Vec<Word> = words.iter().map(|word| Word::quoted(word)).collect();
    if let Err(doubt) = reader.program(&words, false, 0) {
        reader.doubt = Some(doubt);
    }
    (reader.parts, reader.doubt)
}

/// The parts that are found, and the work that remains.
struct Reader {
    parts: Vec<Part>,
    /// A doubt that does not prevent the search for further parts.
    doubt: Option<Doubt>,
    work: usize,
    is_certain: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Reader { parts: Vec::new(), doubt: None, work: MAX_WORK, is_certain: true }
    }
}

impl Reader {
    /// Reads a whole text.
    fn script(&mut self, text: &str, depth: usize) -> Read<()> {
        self.charge(text.len())?;
        if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')) {
            return Err("the command has a control character");
        }
        self.list(&mut Cursor::new(text), depth, false)
    }

    fn charge(&mut self, bytes: usize) -> Read<()> {
        // A part of no bytes is work too.
        self.work = self.work.checked_sub(bytes + 16).ok_or(TOO_MUCH_WORK)?;
        Ok(())
    }

    fn push(&mut self, text: String, unknown: Option<usize>) -> Read<()> {
        self.charge(text.len())?;
        self.parts.push(Part { text, unknown, is_certain: self.is_certain });
        Ok(())
    }
}

/// A position in a text.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
    /// The number of here documents whose text has not begun.
    documents: usize,
}

impl<'t> Cursor<'t> {
    fn new(text: &'t str) -> Self {
        Cursor { text, at: 0, documents: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Skips a text if it is next.
    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    /// The text before a character, which is skipped too.
    fn until(&mut self, end: char) -> Option<&'t str> {
        let (text, _) = self.rest().split_once(end)?;
        self.at += text.len() + end.len_utf8();
        Some(text)
    }

    /// Checks that a line break after `\` does not divide an operator or an expansion.
    fn check_operator(&self) -> Read<()> {
        if self.rest().starts_with("\\\n") {
            return Err("a line ends inside of an operator");
        }
        Ok(())
    }

    /// Checks a text that stands before the end of its line, where a here document may wait.
    fn check_line(&self, text: &str) -> Read<()> {
        if self.documents > 0 && text.contains('\n') {
            return Err("a line ends inside of a word, before the text of a here document");
        }
        Ok(())
    }
}
