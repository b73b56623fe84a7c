//! The list under `# Arguments`, as rustdoc's readers know it.

use super::{Line, Piece};
use proc_macro2::Span;

/// What the list says of one argument.
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Listed {
    /// Whether it is of the parameter that has this name, less its leading underscores.
    pub(crate) fn is_of(&self, name: &str) -> bool {
        self.name.trim_start_matches("r#").trim_start_matches('_') == name
    }
}

/// Parts a doc comment into what is not that list, and the list.
pub(super) fn take(pieces: Vec<Piece>) -> (Vec<Piece>, Vec<Listed>) {
    let mut parted = Parted::default();
    let mut section: Option<Section> = None;
    let mut code = Code::default();
    for piece in pieces {
        let Piece::Line(line) = piece else {
            parted.close(section.take());
            parted.rest.push(piece);
            continue;
        };
        let heading = heading(&line.text).filter(|_| !code.is_open());
        code.read(&line.text);
        if let Some((level, title)) = heading {
            if section.as_ref().is_some_and(|section| level <= section.level) {
                parted.close(section.take());
            }
            if section.is_none() && ["arguments", "parameters"].contains(&&*title.to_lowercase()) {
                section = Some(Section { level, heading: line, body: Vec::new() });
                continue;
            }
        }
        match &mut section {
            Some(section) => section.body.push(line),
            None => parted.rest.push(Piece::Line(line)),
        }
    }
    parted.close(section);
    (parted.rest, parted.listed)
}

#[derive(Default)]
struct Parted {
    rest: Vec<Piece>,
    listed: Vec<Listed>,
}

struct Section {
    /// How many `#` its heading has.
    level: usize,
    heading: Line,
    body: Vec<Line>,
}

impl Parted {
    /// A section without a list stays as it is; of one with a list, what is no item stays.
    fn close(&mut self, section: Option<Section>) {
        let Some(Section { heading, body, .. }) = section else { return };
        let mut reader = Reader::default();
        let (items, prose): (Vec<Line>, Vec<Line>) = body.into_iter().partition(|line| reader.takes(line));
        if reader.listed.is_empty() {
            self.rest.push(Piece::Line(heading));
            // Nothing but blank lines was taken.
            self.rest.extend(items.into_iter().take(1).map(Piece::Line));
        }
        self.rest.extend(prose.into_iter().map(Piece::Line));
        self.listed.append(&mut reader.listed);
    }
}

/// Reads the lines of a section.
#[derive(Default)]
struct Reader {
    listed: Vec<Listed>,
    /// Where the last item begins in `listed`: it may be of several arguments.
    item: usize,
    /// How far the first item is indented; what is indented further is no item of the list.
    margin: Option<usize>,
    /// How far the last item's second line is indented.
    hanging: Option<usize>,
    code: Code,
    is_in_prose: bool,
    after_blank: bool,
}

impl Reader {
    /// Whether the line belongs to the list.
    fn takes(&mut self, line: &Line) -> bool {
        let indentation = line.text.len() - line.text.trim_start_matches([' ', '\t']).len();
        let text = line.text.trim();
        if text.is_empty() {
            self.after_blank = true;
            return !self.is_in_prose;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        let was_in_code = self.code.is_open();
        self.code.read(text);
        if !was_in_code && indentation <= self.margin.unwrap_or(3) {
            if let Some((names, text)) = item(text) {
                self.margin.get_or_insert(indentation);
                self.item = self.listed.len();
                self.hanging = None;
                self.is_in_prose = false;
                self.listed.extend(names.into_iter().map(|name| Listed {
                    name: name.to_owned(),
                    text: text.to_owned(),
                    span: line.span,
                }));
                return true;
            }
        }
        // A point that names no argument is not of the item before it either.
        let is_point = indentation <= self.margin.unwrap_or(0) && bulleted(text).is_some();
        let ends_item = !was_in_code && (is_point || heading(text).is_some());
        let goes_on = was_in_code || indentation > 0 || !after_blank;
        if self.is_in_prose || ends_item || !goes_on || self.listed.is_empty() {
            self.is_in_prose = true;
            return false;
        }
        let hanging = *self.hanging.get_or_insert(indentation);
        let text = &line.text[indentation.min(hanging)..];
        for item in &mut self.listed[self.item..] {
            if !item.text.is_empty() {
                item.text.push_str(if after_blank { "\n\n" } else { "\n" });
            }
            item.text.push_str(text);
        }
        true
    }
}

/// The block of code that a line is in, by the fence that ends it.
#[derive(Default)]
struct Code(Option<&'static str>);

impl Code {
    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    fn read(&mut self, line: &str) {
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

fn bulleted(line: &str) -> Option<&str> {
    ["* ", "- ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).map(str::trim_start)
}

/// `` * `x` - text ``, `` - `x`: text ``, `` - `x`, `y` and `z`: text ``, and without the backticks `- x: text`: the
/// names, and the text.
fn item(line: &str) -> Option<(Vec<&str>, &str)> {
    let (name, mut rest) = name_at_start(bulleted(line)?)?;
    let is_quoted = bulleted(line)?.starts_with('`');
    let mut names = vec![name];
    while let Some((name, after)) = name_after_sign(rest) {
        names.push(name);
        rest = after;
    }
    let is_parted = [":", " - ", " – ", " — "].iter().any(|sign| rest.starts_with(sign));
    if !is_parted && !is_quoted && !rest.is_empty() {
        return None;
    }
    let rest = rest.trim();
    let signs = [":", "- ", "– ", "— ", ". "];
    let text = signs.iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest);
    Some((names, if text == "-" { "" } else { text.trim() }))
}

/// `` , `y` ``, `` and `y` ``, `` & `y` ``, `` / `y` ``
fn name_after_sign(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let mut after = text.strip_prefix(',').unwrap_or(text).trim_start();
    after = ["and ", "&", "/"].iter().find_map(|sign| after.strip_prefix(sign)).unwrap_or(after).trim_start();
    if after.len() < text.len() && after.starts_with('`') { name_at_start(after) } else { None }
}

/// `` `x` ``, `` `x: Type` ``, or `x`.
fn name_at_start(text: &str) -> Option<(&str, &str)> {
    if let Some(quoted) = text.strip_prefix('`') {
        let (name, rest) = quoted.split_once('`')?;
        return Some((name.split(':').next().unwrap_or(name).trim(), rest));
    }
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let (name, rest) = text.split_at(text.find(|c| !is_of_name(c)).unwrap_or(text.len()));
    (!name.is_empty()).then_some((name, rest))
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
        for comment in [
            "Does.\n\n- `a`: no argument\n\n```\n# Arguments\n- `b`: code\n```",
            "~~~text\n```\n# Arguments\n- `b`: code\n~~~",
        ] {
            assert_eq!(parted(comment), (comment.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn a_section_without_a_list_stays_as_it_is() {
        for comment in [
            "Does.\n\n# Arguments\n\nNone.",
            "# Arguments\n| a | b |",
            "# Parameters",
            "# Arguments\n\nA\n\nB",
        ] {
            assert_eq!(parted(comment), (comment.to_owned(), Vec::new()), "{comment}");
        }
    }

    #[test]
    fn the_sign_between_name_and_text_is_one() {
        let comment = "# Arguments\n- `limit`: -1 for no limit.\n- `flag` - --all, for example\n- `bare` says it\n- `only`";
        let items = [
            ("limit", "-1 for no limit."),
            ("flag", "--all, for example"),
            ("bare", "says it"),
            ("only", ""),
        ];
        assert_eq!(parted(comment), (String::new(), list(&items)));
    }

    #[test]
    fn an_item_can_be_of_several_arguments_and_name_their_types() {
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
        assert_eq!(parted(comment), (String::new(), list(&items)));
    }

    #[test]
    fn what_is_indented_further_belongs_to_the_item() {
        let comment = "# Arguments\n  - `a`: One of\n    - x\n      - y\n\n    ```\n    - `z`: code\n    ```\n  - `b`: Two";
        let items = [("a", "One of\n- x\n  - y\n\n```\n- `z`: code\n```"), ("b", "Two")];
        assert_eq!(parted(comment), (String::new(), list(&items)));
    }

    #[test]
    fn a_point_that_names_no_argument_is_text() {
        let comment = "# Arguments\n- `a`: One\n- limit(default 3): L\n- `b` -\n  Two\n- `c`. Three";
        let (rest, listed) = parted(comment);
        assert_eq!(
            (&*rest, listed),
            ("- limit(default 3): L", list(&[("a", "One"), ("b", "Two"), ("c", "Three")]))
        );
    }

    #[test]
    fn white_space_of_any_kind_is_no_trouble() {
        let comment = "# Arguments\n- `a`: One\n  two\n\u{3000}three\n \u{a0}four\n\tfive";
        assert_eq!(
            parted(comment),
            (String::new(), list(&[("a", "One\ntwo\n\u{3000}three\n\u{a0}four\nfive")]))
        );
    }

    #[test]
    fn a_smaller_heading_ends_an_item() {
        let (rest, listed) = parted("# Arguments\n- `a`: One\n## More\n- `b`: Two\n# Errors\nNone.");
        assert_eq!((&*rest, listed), ("## More\n# Errors\nNone.", list(&[("a", "One"), ("b", "Two")])));
    }
}
