//! Doc comments as descriptions for the model.

mod argument_list;

pub(crate) use argument_list::ArgDoc;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The doc comment of an item.
pub(crate) struct Doc(Vec<Piece>);

enum Piece {
    Line(Line),
    /// A value that the compiler evaluates: `#[doc = include_str!("..")]`.
    Expr(Expr),
}

/// A line of Markdown without the space after `///`.
struct Line {
    text: String,
    span: Span,
}

impl Doc {
    pub(crate) fn from_attrs(attrs: &[Attribute]) -> Self {
        Doc(attrs.iter().filter(|attr| attr.path().is_ident("doc")).flat_map(pieces).collect())
    }

    /// Removes and returns the list under `# Arguments` or `# Parameters`.
    pub(crate) fn take_argument_list(&mut self) -> Vec<ArgDoc> {
        let (rest, arg_docs) = argument_list::split(std::mem::take(&mut self.0));
        self.0 = rest;
        arg_docs
    }

    /// An expression of type `&'static str`; `None` for an empty comment.
    pub(crate) fn into_expression(self) -> Option<TokenStream> {
        if self.0.iter().any(|piece| matches!(piece, Piece::Expr(_))) {
            let pieces = self.0.into_iter().map(|piece| match piece {
                Piece::Line(line) => format!("{}\n", line.text).into_token_stream(),
                Piece::Expr(value) => quote!(#value, "\n"),
            });
            return Some(quote!(::core::concat!(#(#pieces),*).trim_ascii()));
        }
        let lines: Vec<String> = self.0.into_iter().filter_map(Piece::into_text).collect();
        let text = lines.join("\n");
        let text = text.trim_matches('\n');
        (!text.is_empty()).then(|| text.into_token_stream())
    }
}

impl Piece {
    fn into_text(self) -> Option<String> {
        match self {
            Piece::Line(line) => Some(line.text),
            Piece::Expr(_) => None,
        }
    }
}

fn pieces(attr: &Attribute) -> Vec<Piece> {
    match &attr.meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => lines(&text.value())
                .into_iter()
                .map(|text| Piece::Line(Line { text, span: attr.span() }))
                .collect(),
            value => vec![Piece::Expr(value.clone())],
        },
        // `#[doc(hidden)]`, `#[doc(alias = "..")]`
        _ => Vec::new(),
    }
}

/// The lines of a comment without its decoration.
fn lines(comment: &str) -> Vec<String> {
    let comment: Vec<&str> = comment.split('\n').collect();
    let below = comment[1..].iter().filter(|line| !line.trim().is_empty());
    // rustc keeps the column of stars in `/** .. */`, or the indentation if there are no stars. The stars of a Markdown
    // list in an attribute are not indented.
    let is_starred = |line: &&&str| line.starts_with([' ', '\t']) && line.trim_start().starts_with('*');
    let margin = if below.clone().all(|line| is_starred(&line)) {
        Margin::Stars
    } else {
        Margin::Spaces(below.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0))
    };
    comment
        .iter()
        .enumerate()
        .map(|(index, line)| {
            let line = match (index, &margin) {
                (0, _) => line,
                (_, Margin::Stars) => line.trim_start().strip_prefix('*').unwrap_or(line),
                (_, Margin::Spaces(spaces)) => {
                    return line.get(*spaces..).unwrap_or("").trim_end().to_owned();
                }
            };
            line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned()
        })
        .collect()
}

enum Margin {
    Stars,
    Spaces(usize),
}

#[cfg(test)]
mod tests {
    use super::Doc;
    use syn::{Attribute, ItemFn, parse_quote};

    /// The text of a doc comment without expressions.
    fn text(attrs: &[Attribute]) -> Option<String> {
        let literal: syn::LitStr = syn::parse2(Doc::from_attrs(attrs).into_expression()?).ok()?;
        Some(literal.value())
    }

    #[test]
    fn one_leading_space_is_removed_and_paragraphs_stay() {
        let function: ItemFn = parse_quote! {
            /// Looks up the weather.
            ///
            /// - one
            ///   - two
            ///no space
            fn f() {}
        };
        let expected = "Looks up the weather.\n\n- one\n  - two\nno space";
        assert_eq!(text(&function.attrs).as_deref(), Some(expected));
    }

    #[test]
    fn block_comments_lose_their_stars_or_their_indentation() {
        for comment in [" One.\n *\n * Two.\n *   Three. ", "\n    One.\n\n    Two.\n      Three.\n    "] {
            let attribute: Attribute = parse_quote!(#[doc = #comment]);
            let found = text(&[attribute]);
            assert_eq!(found.as_deref(), Some("One.\n\nTwo.\n  Three."), "{comment:?}");
        }
    }

    #[test]
    fn a_list_in_an_attribute_keeps_its_bullets() {
        let attribute: Attribute = parse_quote!(#[doc = "One of:\n* a\n* b"]);
        assert_eq!(text(&[attribute]).as_deref(), Some("One of:\n* a\n* b"));
    }

    #[test]
    fn an_empty_comment_is_none() {
        let function: ItemFn = parse_quote! {
            ///
            #[doc(hidden)]
            fn f() {}
        };
        assert_eq!(text(&function.attrs), None);
    }

    #[test]
    fn an_expression_is_concatenated_by_the_compiler() {
        let function: ItemFn = parse_quote! {
            /// First.
            #[doc = include_str!("weather.md")]
            fn f() {}
        };
        let expression = Doc::from_attrs(&function.attrs).into_expression().map(|tokens| tokens.to_string());
        let expected =
            r#":: core :: concat ! ("First.\n" , include_str ! ("weather.md") , "\n") . trim_ascii ()"#;
        assert_eq!(expression.as_deref(), Some(expected));
    }
}
