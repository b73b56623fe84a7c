//! The list of arguments under `# Arguments` or `# Parameters`.

use super::{Line, Piece};
use proc_macro2::Span;

/// The documentation of one argument in the list.
pub(crate) struct ArgDoc {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl ArgDoc {
    /// Whether it documents the parameter of this name; `name` has no leading underscores.
    pub(crate) fn documents(&self, name: &str) -> bool {
        self.name.trim_start_matches("r#").trim_start_matches('_') == name
    }
}

/// Splits a doc comment into its other text and the documentation of arguments.
pub(super) fn split(pieces: Vec<Piece>) -> (Vec<Piece>, Vec<ArgDoc>) {
    let mut doc = SplitDoc::default();
    let mut section: Option<Section> = None;
    let mut fence = Fence::default();
    for piece in pieces {
        let Piece::Line(line) = piece else {
            doc.close(section.take());
            doc.rest.push(piece);
            continue;
        };
        let heading = heading(&line.text).filter(|_| !fence.is_open());
        fence.update(&line.text);
        if let Some((level, title)) = heading {
            if section.as_ref().is_some_and(|section| level <= section.level) {
                doc.close(section.take());
            }
            if section.is_none() && ["arguments", "parameters"].contains(&&*title.to_lowercase()) {
                section = Some(Section { level, heading: line, body: Vec::new() });
                continue;
            }
        }
        match &mut section {
            Some(section) => section.body.push(line),
            None => doc.rest.push(Piece::Line(line)),
        }
    }
    doc.close(section);
    (doc.rest, doc.arg_docs)
}

#[derive(Default)]
struct SplitDoc {
    rest: Vec<Piece>,
    arg_docs: Vec<ArgDoc>,
}

struct Section {
    /// The number of `#` of its heading.
    level: usize,
    heading: Line,
    body: Vec<Line>,
}

impl SplitDoc {
    /// Keeps the whole section if it has no list; otherwise, keeps only the text outside the list.
    fn close(&mut self, section: Option<Section>) {
        let Some(Section { heading, body, .. }) = section else { return };
        let mut parser = ListParser::default();
        let (items, prose): (Vec<Line>, Vec<Line>) =
            body.into_iter().partition(|line| parser.parse_line(line));
        if parser.arg_docs.is_empty() {
            self.rest.push(Piece::Line(heading));
            // `items` are blank lines here.
            self.rest.extend(items.into_iter().take(1).map(Piece::Line));
        }
        self.rest.extend(prose.into_iter().map(Piece::Line));
        self.arg_docs.append(&mut parser.arg_docs);
    }
}

/// Parses the lines of a section.
#[derive(Default)]
struct ListParser {
    arg_docs: Vec<ArgDoc>,
    /// Index of the last item in `arg_docs`; one item may document several arguments.
    last_item: usize,
    /// Indentation of the first item. A bullet that is indented further belongs to the text of an item.
    item_indent: Option<usize>,
    /// Indentation of the second line of the last item.
    text_indent: Option<usize>,
    fence: Fence,
    is_in_prose: bool,
    after_blank: bool,
}

impl ListParser {
    /// Whether the line belongs to the list.
    fn parse_line(&mut self, line: &Line) -> bool {
        let indent = line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
        let text = line.text.trim();
        if text.is_empty() {
            self.after_blank = true;
            return !self.is_in_prose;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        let was_in_code = self.fence.is_open();
        self.fence.update(text);
        if !was_in_code && indent <= self.item_indent.unwrap_or(3) {
            if let Some((names, text)) = parse_item(text) {
                self.item_indent.get_or_insert(indent);
                self.last_item = self.arg_docs.len();
                self.text_indent = None;
                self.is_in_prose = false;
                self.arg_docs.extend(names.into_iter().map(|name| ArgDoc {
                    name: name.to_owned(),
                    text: text.to_owned(),
                    span: line.span,
                }));
                return true;
            }
        }
        // A bullet without the name of an argument also ends the item before it.
        let is_bullet = indent <= self.item_indent.unwrap_or(0) && strip_bullet(text).is_some();
        let ends_item = !was_in_code && (is_bullet || heading(text).is_some());
        let continues_item = was_in_code || indent > 0 || !after_blank;
        if self.is_in_prose || ends_item || !continues_item || self.arg_docs.is_empty() {
            self.is_in_prose = true;
            return false;
        }
        let text_indent = *self.text_indent.get_or_insert(indent);
        let text = &line.text[indent.min(text_indent)..];
        for arg_doc in &mut self.arg_docs[self.last_item..] {
            if !arg_doc.text.is_empty() {
                arg_doc.text.push_str(if after_blank { "\n\n" } else { "\n" });
            }
            arg_doc.text.push_str(text);
        }
        true
    }
}

/// The fence of the code block that contains a line, if any.
#[derive(Default)]
struct Fence(Option<&'static str>);

impl Fence {
    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn update(&mut self, line: &str) {
        let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
        match self.0 {
            None => self.0 = fence,
            Some(_) if self.0 == fence => self.0 = None,
            Some(_) => {}
        }
    }
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' '))
        .then(|| (level, title.trim().trim_end_matches(['#', ':']).trim_end()))
}

fn strip_bullet(line: &str) -> Option<&str> {
    ["* ", "- ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).map(str::trim_start)
}

/// The names and the text of `` * `x` - text ``, `` - `x`: text ``, `` - `x`, `y` and `z`: text `` or `- x: text`.
fn parse_item(line: &str) -> Option<(Vec<&str>, &str)> {
    let (name, mut rest) = parse_name(strip_bullet(line)?)?;
    let is_quoted = strip_bullet(line)?.starts_with('`');
    let mut names = vec![name];
    while let Some((name, after)) = parse_next_name(rest) {
        names.push(name);
        rest = after;
    }
    let has_separator = [":", " - ", " – ", " — "].iter().any(|separator| rest.starts_with(separator));
    if !has_separator && !is_quoted && !rest.is_empty() {
        return None;
    }
    let rest = rest.trim();
    let separators = [":", "- ", "– ", "— ", ". "];
    let text = separators.iter().find_map(|separator| rest.strip_prefix(separator)).unwrap_or(rest);
    Some((names, if text == "-" { "" } else { text.trim() }))
}

/// `` , `y` ``, `` and `y` ``, `` & `y` ``, `` / `y` ``
fn parse_next_name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut after = text.strip_prefix(',').unwrap_or(text).trim_start();
    after = ["and ", "&", "/"]
        .iter()
        .find_map(|separator| after.strip_prefix(separator))
        .unwrap_or(after)
        .trim_start();
    if after.len() < text.len() && after.starts_with('`') { parse_name(after) } else { None }
}

/// `` `x` ``, `` `x: Type` ``, or `x`.
fn parse_name(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix('`') {
        let (name, rest) = quoted.split_once('`')?;
        return Some((name.split(':').next().unwrap_or(name).trim(), rest));
    }
    let is_name_char = |c: char| c.is_alphanumeric() || c == '_';
    let (name, rest) = text.split_at(text.find(|c| !is_name_char(c)).unwrap_or(text.len()));
    (!name.is_empty()).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::super::Doc;
    use syn::{Attribute, parse_quote};

    /// The other text of the comment, and the name and text of each documented argument.
    fn split(comment: &str) -> (String, Vec<(String, String)>) {
        let attributes: Vec<Attribute> =
            comment.lines().map(|line| format!(" {line}")).map(|line| parse_quote!(#[doc = #line])).collect();
        let mut doc = Doc::from_attrs(&attributes);
        let arg_docs = doc.take_argument_list().into_iter();
        let arg_docs = arg_docs.map(|arg_doc| (arg_doc.name, arg_doc.text)).collect();
        let rest = doc.into_expression().map(|rest| syn::parse2::<syn::LitStr>(rest).expect("a literal"));
        (rest.map(|rest| rest.value()).unwrap_or_default(), arg_docs)
    }

    fn list(items: &[(&str, &str)]) -> Vec<(String, String)> {
        items.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn the_list_is_removed_from_the_text() {
        let comment = "Looks up.\n\n# Arguments\n\n* `city` - The city.\n- `days`: How many\n  days ahead.\n* unit: C or F\n\n# Errors\n\nNone.";
        let (rest, arg_docs) = split(comment);
        assert_eq!(rest, "Looks up.\n\n# Errors\n\nNone.");
        assert_eq!(
            arg_docs,
            list(&[("city", "The city."), ("days", "How many\ndays ahead."), ("unit", "C or F")])
        );
    }

    #[test]
    fn both_headings_are_recognized_at_any_level() {
        for heading in ["# Parameters", "## Arguments", "### parameters:"] {
            let (rest, arg_docs) = split(&format!("Does.\n\n{heading}\n- `a` — One."));
            assert_eq!((&*rest, arg_docs), ("Does.", list(&[("a", "One.")])), "{heading}");
        }
    }

    #[test]
    fn an_indented_paragraph_belongs_to_the_item_before_it() {
        let (rest, arg_docs) = split("# Arguments\n- `a`: One.\n\n  Still one.\n\nNo more.\n\nThe end.");
        assert_eq!(rest, "No more.\n\nThe end.");
        assert_eq!(arg_docs, list(&[("a", "One.\n\nStill one.")]));
    }

    #[test]
    fn headings_in_code_and_lists_elsewhere_are_kept() {
        for comment in [
            "Does.\n\n- `a`: no argument\n\n```\n# Arguments\n- `b`: code\n```",
            "~~~text\n```\n# Arguments\n- `b`: code\n~~~",
        ] {
            assert_eq!(split(comment), (comment.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn a_section_without_a_list_is_kept() {
        for comment in [
            "Does.\n\n# Arguments\n\nNone.",
            "# Arguments\n| a | b |",
            "# Parameters",
            "# Arguments\n\nA\n\nB",
        ] {
            assert_eq!(split(comment), (comment.to_owned(), Vec::new()), "{comment}");
        }
    }

    #[test]
    fn one_separator_after_the_name_is_removed() {
        let comment = "# Arguments\n- `limit`: -1 for no limit.\n- `flag` - --all, for example\n- `bare` text\n- `only`";
        let items =
            [("limit", "-1 for no limit."), ("flag", "--all, for example"), ("bare", "text"), ("only", "")];
        assert_eq!(split(comment), (String::new(), list(&items)));
    }

    #[test]
    fn an_item_may_have_several_names_and_a_type() {
        let comment = "# Arguments\n- `a`, `b`: Two\n  numbers.\n* `city: String` - Where.\n\
                       - `c`, `d`, and `e` - Three\n- `f`/`g`: More\n- `h` & `i`";
        let items = [
            ("a", "Two\nnumbers."),
            ("b", "Two\nnumbers."),
            ("city", "Where."),
            ("c", "Three"),
            ("d", "Three"),
            ("e", "Three"),
            ("f", "More"),
            ("g", "More"),
            ("h", ""),
            ("i", ""),
        ];
        assert_eq!(split(comment), (String::new(), list(&items)));
    }

    #[test]
    fn indented_lines_belong_to_the_item() {
        let comment = "# Arguments\n  - `a`: One of\n    - x\n      - y\n\n    ```\n    - `z`: code\n    ```\n  - `b`: Two";
        let items = [("a", "One of\n- x\n  - y\n\n```\n- `z`: code\n```"), ("b", "Two")];
        assert_eq!(split(comment), (String::new(), list(&items)));
    }

    #[test]
    fn a_bullet_without_an_argument_name_is_kept() {
        let comment = "# Arguments\n- `a`: One\n- limit(default 3): L\n- `b` -\n  Two\n- `c`. Three";
        let (rest, arg_docs) = split(comment);
        assert_eq!(
            (&*rest, arg_docs),
            ("- limit(default 3): L", list(&[("a", "One"), ("b", "Two"), ("c", "Three")]))
        );
    }

    #[test]
    fn unicode_white_space_is_kept() {
        let comment = "# Arguments\n- `a`: One\n  two\n\u{3000}three\n \u{a0}four\n\tfive";
        assert_eq!(
            split(comment),
            (String::new(), list(&[("a", "One\ntwo\n\u{3000}three\n\u{a0}four\nfive")]))
        );
    }

    #[test]
    fn a_heading_of_a_lower_level_ends_an_item() {
        let (rest, arg_docs) = split("# Arguments\n- `a`: One\n## More\n- `b`: Two\n# Errors\nNone.");
        assert_eq!((&*rest, arg_docs), ("## More\n# Errors\nNone.", list(&[("a", "One"), ("b", "Two")])));
    }
}
