//! Here documents: the lines after a command with `<<`.

use super::list::Word;
use super::{Cursor, Read, Reader};

/// A here document whose text follows.
pub(super) struct HereDocument {
    delimiter: String,
    /// Whether the text has no expansions.
    is_literal: bool,
    strips_tabs: bool,
}

impl HereDocument {
    /// The document with this word after `<<`. The source is the word with its quotes.
    pub(super) fn new(word: &Word, source: &str, strips_tabs: bool) -> Read<Self> {
        let is_simple = !word.text.is_empty()
            && word.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
            && !source.contains(['$', '`']);
        if !is_simple {
            return Err("a here document ends with an unusual word");
        }
        Ok(HereDocument { delimiter: word.text.clone(), is_literal: word.is_quoted, strips_tabs })
    }

    /// The text of the document.
    fn read<'t>(&self, cursor: &mut Cursor<'t>) -> Read<&'t str> {
        let start = cursor.at;
        loop {
            let end = cursor.at;
            let line = cursor.rest().split('\n').next().unwrap_or_default();
            let content = if self.strips_tabs { line.trim_start_matches('\t') } else { line };
            let is_last = line.len() == cursor.rest().len();
            cursor.at += line.len() + usize::from(!is_last);
            if content == self.delimiter {
                return Ok(&cursor.text[start..end]);
            }
            // Some shells end a document of a substitution at `EOF)`.
            if is_last || content.starts_with(&self.delimiter) {
                return Err("it is unclear where a here document ends");
            }
            if !self.is_literal && line.ends_with('\\') {
                return Err("a line of a here document ends with `\\`");
            }
        }
    }
}

impl Reader {
    /// Reads the documents that begin after a line.
    pub(super) fn here_documents(
        &mut self,
        cursor: &mut Cursor<'_>,
        documents: &mut Vec<HereDocument>,
        depth: usize,
    ) -> Read<()> {
        if cursor.documents > documents.len() {
            return Err("a line ends in a substitution, before the text of a here document");
        }
        for document in documents.drain(..) {
            cursor.documents -= 1;
            let text = document.read(cursor)?;
            if !document.is_literal {
                self.substitutions(text, depth + 1)?;
            }
        }
        Ok(())
    }
}
