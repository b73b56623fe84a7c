//! What stands in `#[tool(..)]` and in `#[arg(..)]`.

use crate::faults::Faults;
use proc_macro2::{TokenStream, TokenTree};
use syn::meta::{self, ParseNestedMeta};
use syn::parse::Parser as _;
use syn::{Attribute, Error, Expr, LitStr, Meta, Path, Result, Token};

#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) krate: Option<Path>,
}

impl ToolOptions {
    pub(crate) fn parse(options: TokenStream, faults: &mut Faults) -> Self {
        let mut read = ToolOptions::default();
        parse_each(options, faults, |option| match () {
            () if option.path.is_ident("name") => once(&mut read.name, option, text),
            () if option.path.is_ident("description") => once(&mut read.description, option, text),
            () if option.path.is_ident("crate") => once(&mut read.krate, option, path),
            () => Err(unknown(option, "`name`, `description`, `crate`")),
        });
        read
    }
}

#[derive(Default)]
pub(crate) struct ArgOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) default: Option<DefaultValue>,
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
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("arg")) {
            let Meta::List(list) = &attr.meta else {
                faults.push(Error::new_spanned(attr, "say what you want: `#[arg(default)]`, for example"));
                continue;
            };
            parse_each(list.tokens.clone(), faults, |option| match () {
                () if option.path.is_ident("name") => once(&mut read.name, option, text),
                () if option.path.is_ident("description") => once(&mut read.description, option, text),
                () if option.path.is_ident("default") => once(&mut read.default, option, default_value),
                () => Err(unknown(option, "`name`, `description`, `default`")),
            });
        }
        read
    }
}

/// Reads option after option. A fault in one does not hide those in the next, nor what the next says.
fn parse_each(
    options: TokenStream,
    faults: &mut Faults,
    mut parse: impl FnMut(&ParseNestedMeta) -> Result<()>,
) {
    let parser = meta::parser(|option| {
        if let Err(fault) = parse(&option) {
            faults.push(fault);
            while !option.input.is_empty() && !option.input.peek(Token![,]) {
                option.input.parse::<TokenTree>()?;
            }
        }
        Ok(())
    });
    let rest = parser.parse2(options);
    if let Err(fault) = rest {
        faults.push(fault);
    }
}

fn once<T>(
    value: &mut Option<T>,
    option: &ParseNestedMeta,
    parse: impl FnOnce(&ParseNestedMeta) -> Result<T>,
) -> Result<()> {
    if value.is_some() {
        return Err(option.error("this option is given twice; keep one of them"));
    }
    *value = Some(parse(option)?);
    Ok(())
}

fn text(option: &ParseNestedMeta) -> Result<LitStr> {
    let value = option.value()?;
    value.parse().map_err(|error| Error::new(error.span(), "write a text in quotes here"))
}

fn path(option: &ParseNestedMeta) -> Result<Path> {
    option.value()?.call(Path::parse_mod_style)
}

fn default_value(option: &ParseNestedMeta) -> Result<DefaultValue> {
    if option.input.peek(Token![=]) {
        Ok(DefaultValue::Given(option.value()?.parse()?))
    } else {
        Ok(DefaultValue::OfType)
    }
}

fn unknown(option: &ParseNestedMeta, known: &str) -> Error {
    option.error(format!("unknown option; the known ones are {known}"))
}
