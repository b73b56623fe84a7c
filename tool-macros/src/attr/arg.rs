//! The options of `#[arg(..)]`.

use super::keyword::{self, Keyword};
use super::{parse_options, parse_string, parse_value, set_once, unknown};
use crate::errors::Errors;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, LitStr, Meta, Result, Token};

#[derive(Default)]
pub(crate) struct ArgAttr {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) keywords: Vec<Keyword>,
}

pub(crate) enum DefaultValue {
    /// `default`: the `Default` of the type.
    TypeDefault,
    /// `default = ..`
    Expr(Expr),
}

impl ArgAttr {
    pub(crate) fn parse(attrs: &[Attribute], errors: &mut Errors) -> Self {
        let mut parsed = ArgAttr::default();
        let mut schema = None;
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("arg")) {
            let tokens = match &attr.meta {
                Meta::List(list) if !list.tokens.is_empty() => list.tokens.clone(),
                _ => {
                    let message = "`arg` must have an option, for example `#[arg(default)]`";
                    errors.push(Error::new_spanned(attr, message));
                    continue;
                }
            };
            parse_options(tokens, errors, |name, option| match name {
                "name" => set_once(&mut parsed.name, option, parse_string),
                "description" => set_once(&mut parsed.description, option, parse_string),
                "default" => set_once(&mut parsed.default, option, parse_default),
                "schema" => set_once(&mut schema, option, keyword::parse_parentheses),
                _ if keyword::is_keyword(name) => Err(option
                    .error(format!("`{name}` is a keyword of JSON Schema; write `schema({name} = ..)`"))),
                _ => Err(unknown("option", option, &["name", "description", "default", "schema"])),
            });
        }
        if let Some(keywords) = schema {
            parsed.keywords = keyword::parse(keywords, errors);
        }
        parsed
    }
}

fn parse_default(option: &ParseNestedMeta) -> Result<DefaultValue> {
    if option.input.peek(Token![=]) {
        let expected =
            "expected an expression after `default =`; write `default` alone for the `Default` of the type";
        parse_value(option, expected, expected).map(DefaultValue::Expr)
    } else {
        Ok(DefaultValue::TypeDefault)
    }
}
