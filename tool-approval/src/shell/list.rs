//! Words, operators and redirections.

use super::here_document::HereDocument;
use super::{Cursor, Doubt, MAX_DEPTH, Read, Reader};

/// A word, without quotes.
#[derive(Clone, Debug, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Where the text of an expansion begins, which is unknown.
    pub(super) unknown: Option<usize>,
    pub(super) is_quoted: bool,
    /// Whether an expansion without quotes may divide the word.
    pub(super) may_split: bool,
    /// Where the word begins in the text.
    at: usize,
}

impl Word {
    pub(super) fn quoted(text: &str) -> Self {
        Word { text: text.to_owned(), is_quoted: true, ..Word::default() }
    }

    pub(super) fn is_unquoted(&self, text: &str) -> bool {
        !self.is_quoted && self.text == text
    }

    pub(super) fn mark_unknown(&mut self) {
        self.unknown.get_or_insert(self.text.len());
    }
}

/// The word after the operator of a redirection.
enum Target {
    File {
        operator: char,
    },
    /// The text of the standard input.
    Text,
    HereDocument {
        strips_tabs: bool,
    },
}

/// The state between two operators of a list.
#[derive(Default)]
struct List {
    words: Vec<Word>,
    word: Option<Word>,
    target: Option<Target>,
    documents: Vec<HereDocument>,
    /// Whether a redirection provides the standard input of the command.
    has_input: bool,
    /// Whether `&>` came: `bash` reads it as a redirection, and other shells as the end of the command.
    may_have_ended: bool,
}

impl List {
    fn word(&mut self, at: usize) -> &mut Word {
        self.word.get_or_insert_with(|| Word { at, ..Word::default() })
    }
}

const NO_TARGET: Doubt = "a redirection has no target";

impl Reader {
    /// Reads commands up to the end of the text, or up to the `)` of a substitution.
    pub(super) fn list(&mut self, cursor: &mut Cursor<'_>, depth: usize, is_nested: bool) -> Read<()> {
        if depth > MAX_DEPTH {
            return Err("the command is nested too deeply");
        }
        let mut list = List::default();
        let mut parentheses = 0_usize;
        loop {
            let at = cursor.at;
            let Some(character) = cursor.take() else {
                self.end_command(cursor, &mut list, depth)?;
                if is_nested || !list.documents.is_empty() {
                    return Err("a substitution or a here document is not closed");
                }
                return Ok(());
            };
            match character {
                ' ' | '\t' => self.end_word(cursor, &mut list, depth)?,
                '\n' => {
                    self.end_command(cursor, &mut list, depth)?;
                    self.here_documents(cursor, &mut list.documents, depth)?;
                }
                '&' if cursor.peek() == Some('>') => {
                    self.end_word(cursor, &mut list, depth)?;
                    list.may_have_ended = true;
                }
                ';' | '|' | '&' => self.end_command(cursor, &mut list, depth)?,
                '(' => {
                    self.end_command(cursor, &mut list, depth)?;
                    cursor.check_operator()?;
                    if cursor.eat("(") {
                        Reader::arithmetic(cursor)?;
                    } else {
                        parentheses += 1;
                    }
                }
                ')' => {
                    self.end_command(cursor, &mut list, depth)?;
                    match parentheses.checked_sub(1) {
                        Some(fewer) => parentheses = fewer,
                        None if is_nested && list.documents.is_empty() => return Ok(()),
                        None if is_nested => return Err("a here document is not closed"),
                        // After a pattern of `case`.
                        None => {}
                    }
                }
                '<' | '>' => self.redirection(cursor, &mut list, character, depth)?,
                '#' if list.word.is_none() => {
                    if is_nested {
                        return Err("a substitution has a comment");
                    }
                    let line = cursor.rest().find('\n').unwrap_or(cursor.rest().len());
                    cursor.at += line;
                }
                // A line break after `\` is not part of the text, and begins no word.
                '\\' if cursor.eat("\n") => cursor.check_line("\n")?,
                _ => self.part_of_word(cursor, list.word(at), character, depth)?,
            }
            let is_case = |word: &Word| word.is_unquoted("case");
            if is_nested && list.words.last().is_some_and(is_case) {
                return Err("a substitution has a `case`, whose patterns may end with `)`");
            }
        }
    }

    /// Reads one part of a word: a character, an escape, a quoted text or an expansion.
    fn part_of_word(
        &mut self,
        cursor: &mut Cursor<'_>,
        word: &mut Word,
        character: char,
        depth: usize,
    ) -> Read<()> {
        match character {
            '\\' => {
                let escaped = cursor.take().ok_or("the command ends with `\\`")?;
                word.is_quoted = true;
                word.text.push(escaped);
            }
            '\'' => {
                let text = cursor.until('\'').ok_or("a quote is not closed")?;
                cursor.check_line(text)?;
                word.is_quoted = true;
                word.text.push_str(text);
            }
            '"' => self.double_quotes(cursor, word, depth)?,
            '$' => self.dollar(cursor, word, false, depth)?,
            '`' => self.backticks(cursor, word, false, depth)?,
            // In `zsh`, `=rm` is the path of `rm`.
            '=' if word.text.is_empty() => {
                word.mark_unknown();
                word.text.push('=');
            }
            '*' | '?' | '[' | '{' => {
                word.mark_unknown();
                word.text.push(character);
            }
            other if other.is_whitespace() => {
                return Err("the command has a space that only some shells know");
            }
            other => word.text.push(other),
        }
        Ok(())
    }

    fn redirection(
        &mut self,
        cursor: &mut Cursor<'_>,
        list: &mut List,
        operator: char,
        depth: usize,
    ) -> Read<()> {
        cursor.check_operator()?;
        if cursor.eat("(") {
            let word = list.word(cursor.at);
            word.mark_unknown();
            word.text.push(operator);
            return self.list(cursor, depth + 1, true);
        }
        let is_descriptor = |word: &mut Word| {
            !word.is_quoted && word.unknown.is_none() && word.text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if list.word.take_if(is_descriptor).is_none() {
            self.end_word(cursor, list, depth)?;
        }
        if list.target.is_some() {
            return Err(NO_TARGET);
        }
        list.has_input |= operator == '<';
        let mut target = Target::File { operator };
        if operator == '<' && cursor.rest().starts_with("<<") {
            cursor.at += 2;
            target = Target::Text;
        } else if operator == '<' && cursor.eat("<") {
            target = Target::HereDocument { strips_tabs: cursor.eat("-") };
        } else {
            let _ = cursor.eat(">") || cursor.eat("&") || (operator == '>' && cursor.eat("|"));
        }
        cursor.check_operator()?;
        list.target = Some(target);
        Ok(())
    }

    fn end_word(&mut self, cursor: &mut Cursor<'_>, list: &mut List, depth: usize) -> Read<()> {
        let Some(mut word) = list.word.take() else { return Ok(()) };
        match list.target.take() {
            None if list.may_have_ended => return Err("shells read the words after `&>` differently"),
            None => {
                if ["{", "}", "{}", "[", "[["].iter().any(|text| word.is_unquoted(text)) {
                    word.unknown = None;
                }
                self.quoted_substitutions(&word.text, depth)?;
                list.words.push(word);
            }
            // A part of its own, such as `> file`, also for `2>>file`.
            Some(Target::File { operator }) => {
                let text = format!("{operator} {}", word.text);
                self.push(text, word.unknown.map(|at| at + 2))?;
            }
            Some(Target::Text) => {}
            Some(Target::HereDocument { strips_tabs }) => {
                let source = cursor.text.get(word.at..cursor.at).unwrap_or_default();
                list.documents.push(HereDocument::new(&word, source, strips_tabs)?);
                cursor.documents += 1;
            }
        }
        Ok(())
    }

    fn end_command(&mut self, cursor: &mut Cursor<'_>, list: &mut List, depth: usize) -> Read<()> {
        self.end_word(cursor, list, depth)?;
        if list.target.is_some() {
            return Err(NO_TARGET);
        }
        let words = std::mem::take(&mut list.words);
        let has_input = std::mem::take(&mut list.has_input);
        list.may_have_ended = false;
        self.command(&words, has_input, depth)
    }
}
