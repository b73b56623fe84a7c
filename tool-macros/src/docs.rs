//! Doc comments as the text that the model reads.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment of an item as Markdown: one leading space gone from each line, empty ends gone.
/// `None` without any doc comment.
pub(crate) fn text(attrs: &[Attribute]) -> Option<String> {
    let comments: Vec<String> = attrs.iter().filter_map(comment).collect();
    if comments.is_empty() {
        return None;
    }
    let lines: Vec<&str> = comments
        .iter()
        .flat_map(|comment| comment.split('\n'))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    Some(lines.join("\n").trim_matches('\n').to_owned())
}

fn comment(attr: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attr.meta else { return None };
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return None };
    pair.path.is_ident("doc").then(|| without_stars(text.value()))
}

/// `/** .. */` keeps the column of stars that many people put before each line.
fn without_stars(comment: String) -> String {
    let mut rest = comment.split('\n').skip(1).filter(|line| !line.trim().is_empty()).peekable();
    if rest.peek().is_none() || !rest.all(|line| line.trim_start().starts_with('*')) {
        return comment;
    }
    let star = |line: &str| line.trim_start().strip_prefix('*').unwrap_or(line).to_owned();
    comment.split('\n').map(star).collect::<Vec<_>>().join("\n")
}
