//! Quoted texts, and expansions with the commands in them.

use super::list::Word;
use super::{Cursor, Read, Reader};

impl Reader {
    /// Reads a text up to the closing `"`.
    pub(super) fn double_quotes(
        &mut self,
        cursor: &mut Cursor<'_>,
        word: &mut Word,
        depth: usize,
    ) -> Read<()> {
        word.is_quoted = true;
        loop {
            match cursor.take().ok_or("a quote is not closed")? {
                '"' => return Ok(()),
                '\\' => match cursor.take() {
                    Some(escaped @ ('$' | '`' | '"' | '\\')) => word.text.push(escaped),
                    Some('\n') => cursor.check_line("\n")?,
                    Some(other) => {
                        word.text.push('\\');
                        word.text.push(other);
                    }
                    None => {}
                },
                '$' => self.dollar(cursor, word, true, depth)?,
                '`' => self.backticks(cursor, word, true, depth)?,
                other => {
                    cursor.check_line(other.encode_utf8(&mut [0; 4]))?;
                    word.text.push(other);
                }
            }
        }
    }

    /// Reads the expansion after `$`.
    pub(super) fn dollar(
        &mut self,
        cursor: &mut Cursor<'_>,
        word: &mut Word,
        is_quoted: bool,
        depth: usize,
    ) -> Read<()> {
        cursor.check_operator()?;
        word.may_split |= !is_quoted;
        match cursor.peek() {
            Some('(') => {
                cursor.take();
                word.mark_unknown();
                word.text.push('$');
                if cursor.eat("(") { Reader::arithmetic(cursor) } else { self.list(cursor, depth + 1, true) }
            }
            Some('{') => {
                cursor.take();
                let text = cursor.until('}').ok_or("an expansion is not closed")?;
                if !is_simple_parameter(text) {
                    return Err("an expansion in `${..}` may run a command");
                }
                word.mark_unknown();
                word.text.push('$');
                word.text.push_str(text);
                Ok(())
            }
            Some('\'') if !is_quoted => {
                cursor.take();
                escaped_quotes(cursor, word)
            }
            // The text of `$"..."` is a translation of it, usually the text itself.
            Some('"') if !is_quoted => {
                cursor.take();
                self.double_quotes(cursor, word, depth)
            }
            Some('[') => Err("the command has an arithmetic expansion"),
            Some(first) if first.is_ascii_alphanumeric() || "_@*#?-$!".contains(first) => {
                word.mark_unknown();
                word.text.push('$');
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let rest = cursor.rest();
                let length =
                    if is_name(first) { rest.find(|c| !is_name(c)).unwrap_or(rest.len()) } else { 1 };
                word.text.push_str(&rest[..length]);
                cursor.at += length;
                Ok(())
            }
            _ => {
                word.text.push('$');
                Ok(())
            }
        }
    }

    /// Reads the command up to the closing backtick.
    pub(super) fn backticks(
        &mut self,
        cursor: &mut Cursor<'_>,
        word: &mut Word,
        is_quoted: bool,
        depth: usize,
    ) -> Read<()> {
        let text = cursor.until('`').ok_or("a backtick is not closed")?;
        cursor.check_line(text)?;
        if text.contains('\\') {
            return Err("a command in backticks has a `\\`");
        }
        word.mark_unknown();
        word.may_split |= !is_quoted;
        word.text.push('$');
        self.script(text, depth + 1)
    }

    /// Reads an expression up to `))`. It may have numbers only: the value of a name is an expression too, which can run a command.
    pub(super) fn arithmetic(cursor: &mut Cursor<'_>) -> Read<()> {
        let rest = cursor.rest();
        let length = rest.find(|c: char| !c.is_ascii_digit() && !" +-*/%<>=!&|^~?:,".contains(c));
        match length {
            Some(length) if rest[length..].starts_with("))") => {
                cursor.at += length + 2;
                Ok(())
            }
            _ => Err("the command has an arithmetic expression with names"),
        }
    }

    /// Reads the substitutions in a text that is not a script: in a here document, for example.
    pub(super) fn substitutions(&mut self, text: &str, depth: usize) -> Read<()> {
        self.charge(text.len())?;
        let mut cursor = Cursor::new(text);
        let mut word = Word::default();
        while let Some(character) = cursor.take() {
            match character {
                '\\' => drop(cursor.take()),
                '$' => self.dollar(&mut cursor, &mut word, true, depth)?,
                '`' => self.backticks(&mut cursor, &mut word, true, depth)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the substitutions in the value of a word. They do not run, unless the program evaluates the word: `bash` does so
    /// with the operands of arithmetic, subscripts of arrays and the variable `PS4`.
    pub(super) fn quoted_substitutions(&mut self, text: &str, depth: usize) -> Read<()> {
        if !text.contains("$(") && !text.contains('`') {
            return Ok(());
        }
        let was_certain = std::mem::replace(&mut self.is_certain, false);
        let read = self.substitutions(text, depth + 1);
        self.is_certain = was_certain;
        read
    }
}

/// Reads the text of `$'...'` up to its closing quote.
fn escaped_quotes(cursor: &mut Cursor<'_>, word: &mut Word) -> Read<()> {
    word.is_quoted = true;
    loop {
        let character = cursor.take().ok_or("a quote is not closed")?;
        cursor.check_line(character.encode_utf8(&mut [0; 4]))?;
        match character {
            '\'' => return Ok(()),
            '\\' => match cursor.take() {
                // A shell without these quotes ends the text here.
                Some('\'') | None => return Err("shells read `\\'` in `$'...'` differently"),
                Some(escaped @ ('\\' | '"' | '?')) => word.text.push(escaped),
                Some(escaped) => {
                    word.mark_unknown();
                    word.text.push(escaped);
                }
            },
            other => word.text.push(other),
        }
    }
}

/// Whether an expansion `${..}` is a variable, with an operator that runs nothing, and ends at the first `}`.
fn is_simple_parameter(text: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text.strip_prefix('#').unwrap_or(text);
    let rest = name.trim_start_matches(is_name);
    if rest.len() == name.len() {
        return matches!(text, "#" | "@" | "*" | "?" | "-" | "$" | "!");
    }
    let rest = rest.strip_prefix("[@]").or_else(|| rest.strip_prefix("[*]")).unwrap_or(rest);
    match rest.strip_prefix(':') {
        Some(offset) if !offset.starts_with(['-', '+', '=', '?']) => {
            offset.chars().all(|c| c.is_ascii_digit() || " :-".contains(c))
        }
        _ => {
            let mut characters = rest.chars();
            characters.next().is_none_or(|operator| "#%/^,:-+=?".contains(operator))
                && characters.all(|c| is_name(c) || "./:%#=+,^*-? ".contains(c))
        }
    }
}
