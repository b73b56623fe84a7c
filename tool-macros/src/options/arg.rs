//! `#[arg(..)]` on a parameter.

use super::keyword::{self, Keyword};
use super::{once, parse_each, text, unknown, value};
use crate::faults::Faults;
use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, Expr, LitStr, Meta, Result, Token};

#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) keywords: Vec<Keyword>,
}

pub(crate) enum DefaultValue {
    /// `default`: the type's own `Default`.
    OfType,
    /// `default = ..`
    Given(Expr),
}

impl ArgOptions {
    pub(crate) fn parse(attrs: &[Attribute], faults: &mut Faults) -> Self {
        let mut read = ArgOptions::default();
        let mut schema = None;
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("arg")) {
            let tokens = match &attr.meta {
                Meta::List(list) if !list.tokens.is_empty() => list.tokens.clone(),
                _ => {
                    faults
                        .push(Error::new_spanned(attr, "say what you want: `#[arg(default)]`, for example"));
                    continue;
                }
            };
            parse_each(tokens, faults, |name, option| match name {
                "name" => once(&mut read.name, option, text),
                "description" => once(&mut read.description, option, text),
                "default" => once(&mut read.default, option, default_value),
                "schema" => once(&mut schema, option, keyword::in_parentheses),
                _ if keyword::is_known(name) => Err(option.error(format!(
                    "keywords of JSON Schema stand in parentheses: write `schema({name} = ..)`"
                ))),
                _ => Err(unknown("option", option, &["name", "description", "default", "schema"])),
            });
        }
        if let Some(keywords) = schema {
            read.keywords = keyword::parse(keywords, faults);
        }
        read
    }
}

fn default_value(option: &ParseNestedMeta) -> Result<DefaultValue> {
    if option.input.peek(Token![=]) {
        let wanted = "write an expression after `default =`, or `default` alone for that of the type";
        value(option, wanted, wanted).map(DefaultValue::Given)
    } else {
        Ok(DefaultValue::OfType)
    }
}
