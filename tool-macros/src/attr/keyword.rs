//! `schema(minimum = 1, ..)`: keywords of JSON Schema for a parameter.
//! <https://json-schema.org/draft/2020-12/json-schema-validation>

use super::{parse_options, parse_value, unknown};
use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{Error, Expr, ExprGroup, ExprLit, ExprParen, Lit, LitStr, Result, UnOp, parenthesized, token};

pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    pub(crate) value: KeywordValue,
    span: Span,
}

pub(crate) enum KeywordValue {
    Integer(i128),
    Float(f64),
    Boolean(bool),
    String(LitStr),
    Array(Vec<KeywordValue>),
}

enum ValueType {
    Number,
    Count,
    String,
    Array,
}

const KEYWORDS: [(&str, ValueType); 11] = [
    ("minimum", ValueType::Number),
    ("maximum", ValueType::Number),
    ("exclusiveMinimum", ValueType::Number),
    ("exclusiveMaximum", ValueType::Number),
    ("minLength", ValueType::Count),
    ("maxLength", ValueType::Count),
    ("minItems", ValueType::Count),
    ("maxItems", ValueType::Count),
    ("pattern", ValueType::String),
    ("format", ValueType::String),
    ("examples", ValueType::Array),
];

/// Pairs of a lower and an upper bound.
const BOUNDS: [(&str, &str); 4] = [
    ("minimum", "maximum"),
    ("exclusiveMinimum", "exclusiveMaximum"),
    ("minLength", "maxLength"),
    ("minItems", "maxItems"),
];

pub(super) fn is_keyword(name: &str) -> bool {
    KEYWORDS.iter().any(|(keyword, _)| *keyword == name)
}

/// The tokens between the parentheses of `schema(..)`.
pub(super) fn parse_parentheses(option: &ParseNestedMeta) -> Result<TokenStream> {
    let expected =
        "`schema` must have keywords of JSON Schema in parentheses, for example `schema(minimum = 1)`";
    if !option.input.peek(token::Paren) {
        return Err(option.error(expected));
    }
    let content;
    parenthesized!(content in option.input);
    if content.is_empty() { Err(option.error(expected)) } else { content.parse() }
}

pub(super) fn parse(keywords: TokenStream, errors: &mut Errors) -> Vec<Keyword> {
    let mut parsed: Vec<Keyword> = Vec::new();
    parse_options(keywords, errors, |keyword, option| {
        let Some((name, value_type)) = KEYWORDS.iter().find(|(name, _)| *name == keyword) else {
            return Err(unknown("keyword", option, &KEYWORDS.map(|(name, _)| name)));
        };
        if parsed.iter().any(|other| other.name == *name) {
            return Err(option.error(format!("duplicate keyword `{name}`; remove one")));
        }
        let description = value_type.description();
        let expected = format!("`{name}` must be {description}");
        let expr: Expr = parse_value(option, &format!("`{name}` needs a value: {description}"), &expected)?;
        let value = evaluate(&expr).filter(|value| value_type.accepts(value));
        let value = value.ok_or_else(|| Error::new_spanned(&expr, expected))?;
        parsed.push(Keyword { name, value, span: expr.span() });
        Ok(())
    });
    for (lower, upper) in BOUNDS {
        let find = |name| parsed.iter().find(|keyword| keyword.name == name);
        if let (Some(lower), Some(upper)) = (find(lower), find(upper)) {
            if lower.value.as_number() > upper.value.as_number() {
                let message = format!(
                    "no value can be valid: `{}` is greater than `{}`; change one of them",
                    lower.name, upper.name
                );
                errors.push(Error::new(upper.span, message));
            }
        }
    }
    parsed
}

impl ValueType {
    fn accepts(&self, value: &KeywordValue) -> bool {
        match self {
            ValueType::Number => matches!(value, KeywordValue::Integer(_) | KeywordValue::Float(_)),
            ValueType::Count => matches!(value, KeywordValue::Integer(0..)),
            ValueType::String => matches!(value, KeywordValue::String(_)),
            ValueType::Array => matches!(value, KeywordValue::Array(_)),
        }
    }

    fn description(&self) -> &'static str {
        match self {
            ValueType::Number => "a number, for example 10 or 0.5",
            ValueType::Count => "an integer that is at least 0, for example 0 or 10",
            ValueType::String => "a string in quotes",
            ValueType::Array => "an array, for example `[\"Beijing\", \"Shanghai\"]`",
        }
    }
}

impl KeywordValue {
    #[allow(
        clippy::cast_precision_loss,
        reason = "bounds that differ only in the sixteenth digit are not rejected"
    )]
    fn as_number(&self) -> Option<f64> {
        match *self {
            KeywordValue::Integer(integer) => Some(integer as f64),
            KeywordValue::Float(float) => Some(float),
            _ => None,
        }
    }
}

/// The value of a literal; `None` for any other expression.
fn evaluate(value: &Expr) -> Option<KeywordValue> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(integer) => match integer.base10_parse() {
                Ok(integer) if integer <= i128::from(u64::MAX) => Some(KeywordValue::Integer(integer)),
                _ => finite(integer.base10_parse().ok()?),
            },
            Lit::Float(float) => finite(float.base10_parse().ok()?),
            Lit::Bool(boolean) => Some(KeywordValue::Boolean(boolean.value)),
            Lit::Str(text) => Some(KeywordValue::String(text.clone())),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match evaluate(&unary.expr)? {
            KeywordValue::Integer(integer) => Some(KeywordValue::Integer(-integer)),
            KeywordValue::Float(float) => Some(KeywordValue::Float(-float)),
            _ => None,
        },
        // `macro_rules!` wraps its arguments in groups.
        Expr::Group(ExprGroup { expr, .. }) | Expr::Paren(ExprParen { expr, .. }) => evaluate(expr),
        Expr::Array(array) => {
            array.elems.iter().map(evaluate).collect::<Option<_>>().map(KeywordValue::Array)
        }
        _ => None,
    }
}

fn finite(float: f64) -> Option<KeywordValue> {
    float.is_finite().then_some(KeywordValue::Float(float))
}
