//! `schema(minimum = 1, ..)`: keywords of JSON Schema on a parameter.
//! <https://json-schema.org/draft/2020-12/json-schema-validation>

use super::{parse_each, unknown, value};
use crate::faults::Faults;
use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprGroup, ExprLit, ExprParen, Lit, LitStr, Result, UnOp, parenthesized, token};

pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) value: Literal,
    span: Span,
}

pub(crate) enum Literal {
    Integer(i128),
    Float(f64),
    Boolean(bool),
    Text(LitStr),
    List(Vec<Literal>),
}

enum Kind {
    Number,
    Count,
    Text,
    List,
}

const KNOWN: [(&str, Kind); 11] = [
    ("minimum", Kind::Number),
    ("maximum", Kind::Number),
    ("exclusiveMinimum", Kind::Number),
    ("exclusiveMaximum", Kind::Number),
    ("minLength", Kind::Count),
    ("maxLength", Kind::Count),
    ("minItems", Kind::Count),
    ("maxItems", Kind::Count),
    ("pattern", Kind::Text),
    ("format", Kind::Text),
    ("examples", Kind::List),
];

/// Nothing lies between them if the first is above the second.
const PAIRS: [(&str, &str); 4] = [
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
];

/// Whether this is a keyword, though it may stand where none can.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == name)
}

/// The tokens between the parentheses of `schema(..)`.
pub(super) fn in_parentheses(option: &ParseNestedMeta) -> Result<TokenStream> {
    let wanted = "write keywords of JSON Schema in parentheses after it: `schema(minimum = 1)`";
    if !option.input.peek(token::Paren) {
        return Err(option.error(wanted));
    }
    let content;
    parenthesized!(content in option.input);
    if content.is_empty() { Err(option.error(wanted)) } else { content.parse() }
}

pub(super) fn parse(keywords: TokenStream, faults: &mut Faults) -> Vec<Keyword> {
    let mut read: Vec<Keyword> = Vec::new();
    parse_each(keywords, faults, |written, option| {
        let Some((name, kind)) = KNOWN.iter().find(|(name, _)| *name == written) else {
            return Err(unknown("keyword", option, &KNOWN.map(|(name, _)| name)));
        };
        if read.iter().any(|other| other.name == *name) {
            return Err(option.error("this keyword is given twice; keep one of them"));
        }
        let wanted = format!("`{name}` is {}", kind.words());
        let written: Expr = value(option, &format!("write a value after it; {wanted}"), &wanted)?;
        let literal = literal(&written).filter(|literal| kind.takes(literal));
        let value = literal.ok_or_else(|| Error::new_spanned(&written, wanted))?;
        read.push(Keyword { name, value, span: written.span() });
        Ok(())
    });
    for (least, most) in PAIRS {
        let find = |name| read.iter().find(|keyword| keyword.name == name);
        if let (Some(least), Some(most)) = (find(least), find(most)) {
            if least.value.as_number() > most.value.as_number() {
                let message = format!("no value satisfies both: `{}` is above `{}`", least.name, most.name);
                faults.push(Error::new(most.span, message));
            }
        }
    }
    read
}

impl Kind {
    fn takes(&self, value: &Literal) -> bool {
        match self {
            Kind::Number => matches!(value, Literal::Integer(_) | Literal::Float(_)),
            Kind::Count => matches!(value, Literal::Integer(0..)),
            Kind::Text => matches!(value, Literal::Text(_)),
            Kind::List => matches!(value, Literal::List(_)),
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Kind::Number => "a number, for example 10 or 0.5",
            Kind::Count => "a count, for example 0 or 10",
            Kind::Text => "a text in quotes",
            Kind::List => "a list, for example `[\"Beijing\", \"Shanghai\"]`",
        }
    }
}

impl Literal {
    #[allow(
        clippy::cast_precision_loss,
        reason = "bounds that differ in the sixteenth digit are not contradicted"
    )]
    fn as_number(&self) -> Option<f64> {
        match *self {
            Literal::Integer(integer) => Some(integer as f64),
            Literal::Float(float) => Some(float),
            _ => None,
        }
    }
}

/// A value that can be read here, not only when the program runs.
fn literal(value: &Expr) -> Option<Literal> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(integer) => match integer.base10_parse() {
                Ok(integer) if integer <= i128::from(u64::MAX) => Some(Literal::Integer(integer)),
                _ => finite(integer.base10_parse().ok()?),
            },
            Lit::Float(float) => finite(float.base10_parse().ok()?),
            Lit::Bool(boolean) => Some(Literal::Boolean(boolean.value)),
            Lit::Str(text) => Some(Literal::Text(text.clone())),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match literal(&unary.expr)? {
            Literal::Integer(integer) => Some(Literal::Integer(-integer)),
            Literal::Float(float) => Some(Literal::Float(-float)),
            _ => None,
        },
        // What a `macro_rules!` hands over.
        Expr::Group(ExprGroup { expr, .. }) | Expr::Paren(ExprParen { expr, .. }) => literal(expr),
        Expr::Array(array) => array.elems.iter().map(literal).collect::<Option<_>>().map(Literal::List),
        _ => None,
    }
}

fn finite(float: f64) -> Option<Literal> {
    float.is_finite().then_some(Literal::Float(float))
}
