//! The list under `# Arguments`, as rustdoc's readers know it.

use super::{Line, Piece};
use proc_macro2::Span;

/// What the list says of one argument.
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// Parts a doc comment into what is not that list, and the list.
pub(super) fn take(pieces: Vec<Piece>) -> (Vec<Piece>, Vec<Listed>) {
    let mut reader = Reader::default();
    for piece in pieces {
        match piece {
            Piece::Line(line) => reader.line(line),
            Piece::Evaluated(_) => {
                reader.section = None;
                reader.rest.push(piece);
            }
        }
    }
    (reader.rest, reader.listed)
}

#[derive(Default)]
struct Reader {
    rest: Vec<Piece>,
    listed: Vec<Listed>,
    is_in_code: bool,
    section: Option<Section>,
}

/// The section of the list, while it lasts.
struct Section {
    /// How many `#` its heading has.
    level: usize,
    /// What the last line was of, blank ones aside.
    place: Place,
    after_blank: bool,
}

#[derive(PartialEq)]
enum Place {
    Heading,
    Item,
    /// Text that is no item stays where it is read.
    Prose,
}

impl Reader {
    fn line(&mut self, line: Line) {
        let is_fence = ["```", "~~~"].iter().any(|fence| line.text.trim_start().starts_with(fence));
        if let (Some((level, title)), false) = (heading(&line.text), self.is_in_code) {
            if ["arguments", "parameters"].contains(&&*title.to_lowercase()) {
                self.section = Some(Section { level, place: Place::Heading, after_blank: false });
                return;
            }
            if self.section.as_ref().is_some_and(|section| level <= section.level) {
                self.section = None;
            }
        }
        let may_be_item = !self.is_in_code;
        self.is_in_code ^= is_fence;
        let section = self.section.as_mut();
        if !section.is_some_and(|section| section.takes(&line, may_be_item, &mut self.listed)) {
            self.rest.push(Piece::Line(line));
        }
    }
}

impl Section {
    /// Whether the line belongs to the list.
    fn takes(&mut self, line: &Line, may_be_item: bool, listed: &mut Vec<Listed>) -> bool {
        let text = line.text.trim();
        if text.is_empty() {
            self.after_blank = true;
            return self.place != Place::Prose;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        if let (Some((name, text)), true) = (item(&line.text), may_be_item) {
            listed.push(Listed { name: name.to_owned(), text: text.to_owned(), span: line.span });
            self.place = Place::Item;
            return true;
        }
        let goes_on = line.text.starts_with(' ') || !after_blank;
        match listed.last_mut() {
            Some(last) if self.place == Place::Item && goes_on => {
                if !last.text.is_empty() {
                    last.text.push_str(if after_blank { "\n\n" } else { "\n" });
                }
                last.text.push_str(text);
                true
            }
            _ => {
                self.place = Place::Prose;
                false
            }
        }
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' '))
        .then(|| (level, title.trim().trim_end_matches(['#', ':']).trim_end()))
}

/// `` * `x` - text ``, `` - `x`: text ``, and both without the backticks: the name, and the text.
fn item(line: &str) -> Option<(&str, &str)> {
    let line = ["* ", "- ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet))?.trim_start();
    let (name, rest) = if let Some(quoted) = line.strip_prefix('`') {
        quoted.split_once('`')?
    } else {
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
        let (name, rest) = line.split_at(line.find(|c| !is_of_name(c)).unwrap_or(line.len()));
        let is_parted = [":", " - ", " – ", " — "].iter().any(|sign| rest.starts_with(sign));
        (!name.is_empty() && (is_parted || rest.is_empty())).then_some((name, rest))?
    };
    Some((name.trim(), rest.trim_start_matches([' ', ':', '-', '–', '—']).trim_end()))
}

#[cfg(test)]
mod tests {
    use super::super::Doc;
    use syn::{Attribute, parse_quote};

    /// What is left of the comment, and what was listed.
    fn parted(comment: &str) -> (String, Vec<(String, String)>) {
        let attributes: Vec<Attribute> =
            comment.lines().map(|line| format!(" {line}")).map(|line| parse_quote!(#[doc = #line])).collect();
        let mut doc = Doc::of(&attributes);
        let listed = doc.take_argument_list().into_iter().map(|listed| (listed.name, listed.text)).collect();
        let rest = doc.into_expression().map(|rest| syn::parse2::<syn::LitStr>(rest).expect("a literal"));
        (rest.map(|rest| rest.value()).unwrap_or_default(), listed)
    }

    fn list(items: &[(&str, &str)]) -> Vec<(String, String)> {
        items.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn the_list_is_read_and_left_out() {
        let comment = "Looks up.\n\n# Arguments\n\n* `city` - The city.\n- `days`: How many\n  days ahead.\n* unit: C or F\n\n# Errors\n\nNone.";
        let (rest, listed) = parted(comment);
        assert_eq!(rest, "Looks up.\n\n# Errors\n\nNone.");
        assert_eq!(
            listed,
            list(&[("city", "The city."), ("days", "How many\ndays ahead."), ("unit", "C or F")])
        );
    }

    #[test]
    fn either_heading_of_any_level_begins_it() {
        for heading in ["# Parameters", "## Arguments", "### parameters:"] {
            let (rest, listed) = parted(&format!("Does.\n\n{heading}\n- `a` — One."));
            assert_eq!((&*rest, listed), ("Does.", list(&[("a", "One.")])), "{heading}");
        }
    }

    #[test]
    fn a_paragraph_of_an_item_is_part_of_it_and_one_after_the_list_is_not() {
        let (rest, listed) = parted("# Arguments\n- `a`: One.\n\n  Still one.\n\nNo more.\n\nThe end.");
        assert_eq!(rest, "No more.\n\nThe end.");
        assert_eq!(listed, list(&[("a", "One.\n\nStill one.")]));
    }

    #[test]
    fn headings_in_code_and_lists_elsewhere_are_text() {
        let comment = "Does.\n\n- `a`: no argument\n\n```\n# Arguments\n- `b`: code\n```";
        assert_eq!(parted(comment), (comment.to_owned(), Vec::new()));
    }
}
