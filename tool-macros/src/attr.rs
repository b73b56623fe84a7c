//! The options of `#[tool(..)]`, `#[toolset(..)]` and `#[arg(..)]`.

mod arg;
mod edit_distance;
mod flag;
mod keyword;
mod limit;
mod timeout;
mod unknown;

pub(crate) use arg::{ArgAttr, DefaultValue};
pub(crate) use flag::Declared;
pub(crate) use keyword::{Keyword, KeywordValue};
use unknown::unknown;

use crate::errors::Errors;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::meta::{self, ParseNestedMeta};
use syn::parse::{Parse, Parser as _};
use syn::{Error, Ident, LitStr, Path, Result, Token};

/// Declares the options of `#[tool(..)]`: the name of each, its field, its type and its parser.
macro_rules! tool_options {
    ($($name:literal: $field:ident, $type:ty, $parse:expr;)*) => {
        #[derive(Default)]
        pub(crate) struct ToolAttr {
            $(pub(crate) $field: Option<$type>,)*
        }

        const TOOL_OPTIONS: &[&str] = &[$($name),*];

        impl ToolAttr {
            pub(crate) fn parse(options: TokenStream, errors: &mut Errors) -> Self {
                let mut attr = ToolAttr::default();
                parse_options(options, errors, |name, option| match name {
                    $($name => set_once(&mut attr.$field, option, $parse),)*
                    _ => Err(unknown("option", option, TOOL_OPTIONS)),
                });
                attr
            }
        }
    };
}

tool_options! {
    "name": name, LitStr, parse_string;
    "title": title, LitStr, parse_string;
    "description": description, LitStr, parse_string;
    "timeout": timeout_ms, u64, timeout::parse;
    "max_concurrency": max_concurrency, usize, limit::parse;
    "max_calls": max_calls, usize, limit::parse;
    "blocking": blocking, Span, flag::parse;
    "requires_approval": requires_approval, Span, flag::parse;
    "exclusive": exclusive, Span, flag::parse;
    "resumable": resumable, Span, flag::parse;
    "read_only": read_only, Declared, flag::parse_declared;
    "destructive": destructive, Declared, flag::parse_declared;
    "idempotent": idempotent, Declared, flag::parse_declared;
    "open_world": open_world, Declared, flag::parse_declared;
    "output_schema": output_schema, Span, flag::parse;
    "handle": handle, Ident, parse_type_name;
    "crate": krate, Path, parse_path;
}

/// The path of the runtime crate in `#[toolset(crate = ..)]`.
pub(crate) fn parse_toolset(options: TokenStream, errors: &mut Errors) -> Option<Path> {
    let mut krate = None;
    parse_options(options, errors, |name, option| match name {
        "crate" => set_once(&mut krate, option, parse_path),
        _ => Err(unknown("option", option, &["crate"])),
    });
    krate
}

/// Parses the options of an attribute. After an error, it continues with the next option.
fn parse_options(
    options: TokenStream,
    errors: &mut Errors,
    mut parse: impl FnMut(&str, &ParseNestedMeta) -> Result<()>,
) {
    let parser = meta::parser(|option| {
        if let Err(error) = parse(&option_name(&option), &option) {
            errors.push(error);
            while !option.input.is_empty() && !option.input.peek(Token![,]) {
                option.input.parse::<TokenTree>()?;
            }
        }
        Ok(())
    });
    let result = parser.parse2(options);
    if let Err(error) = result {
        errors.push(error);
    }
}

fn option_name(option: &ParseNestedMeta) -> String {
    option.path.to_token_stream().to_string()
}

fn set_once<T>(
    value: &mut Option<T>,
    option: &ParseNestedMeta,
    parse: impl FnOnce(&ParseNestedMeta) -> Result<T>,
) -> Result<()> {
    if value.is_some() {
        return Err(option.error(format!("duplicate option `{}`; remove one", option_name(option))));
    }
    *value = Some(parse(option)?);
    Ok(())
}

fn parse_string(option: &ParseNestedMeta) -> Result<LitStr> {
    let name = option_name(option);
    parse_value(
        option,
        &format!("`{name}` needs a value: write `{name} = \"..\"`"),
        &format!("`{name}` must be a string in quotes"),
    )
}

fn parse_path(option: &ParseNestedMeta) -> Result<Path> {
    let value = option.value().map_err(|_| option.error("`crate` needs a value: write `crate = path`"))?;
    let expected = "`crate` must be a path without quotes";
    value.call(Path::parse_mod_style).map_err(|error| Error::new(error.span(), expected))
}

fn parse_type_name(option: &ParseNestedMeta) -> Result<Ident> {
    parse_value(
        option,
        "`handle` needs a value: write the name of a new type, for example `handle = GetWeather`",
        "`handle` must be the name of a new type without quotes, for example `GetWeather`",
    )
}

/// Parses the value after `=`. The error is `missing` without a value, and `wrong` for one of another type.
fn parse_value<T: Parse>(option: &ParseNestedMeta, missing: &str, wrong: &str) -> Result<T> {
    let value = option.value().map_err(|_| option.error(missing))?;
    if value.is_empty() {
        return Err(option.error(missing));
    }
    value.parse().map_err(|error| Error::new(error.span(), wrong))
}
