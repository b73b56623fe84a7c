//! The options of `#[tool(..)]`, `#[toolset(..)]` and `#[arg(..)]`.

mod arg;
mod keyword;
mod timeout;

pub(crate) use arg::{ArgAttr, DefaultValue};
pub(crate) use keyword::{Keyword, KeywordValue};

use crate::errors::Errors;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::meta::{self, ParseNestedMeta};
use syn::parse::{Parse, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Error, Ident, LitStr, Path, Result, Token};

#[derive(Default)]
pub(crate) struct ToolAttr {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) krate: Option<Path>,
    pub(crate) handle: Option<Ident>,
    /// In milliseconds.
    pub(crate) timeout: Option<u64>,
    pub(crate) blocking: Option<Span>,
    pub(crate) requires_approval: Option<Span>,
    pub(crate) read_only: Option<Span>,
    pub(crate) destructive: Option<Span>,
    pub(crate) idempotent: Option<Span>,
}

const TOOL_OPTIONS: [&str; 10] = [
    "name",
    "description",
    "timeout",
    "blocking",
    "requires_approval",
    "read_only",
    "destructive",
    "idempotent",
    "handle",
    "crate",
];

impl ToolAttr {
    pub(crate) fn parse(options: TokenStream, errors: &mut Errors) -> Self {
        let mut attr = ToolAttr::default();
        parse_options(options, errors, |name, option| match name {
            "name" => set_once(&mut attr.name, option, parse_string),
            "description" => set_once(&mut attr.description, option, parse_string),
            "timeout" => set_once(&mut attr.timeout, option, timeout::parse),
            "blocking" => set_once(&mut attr.blocking, option, parse_flag),
            "requires_approval" => set_once(&mut attr.requires_approval, option, parse_flag),
            "read_only" => set_once(&mut attr.read_only, option, parse_flag),
            "destructive" => set_once(&mut attr.destructive, option, parse_flag),
            "idempotent" => set_once(&mut attr.idempotent, option, parse_flag),
            "handle" => set_once(&mut attr.handle, option, parse_type_name),
            "crate" => set_once(&mut attr.krate, option, parse_path),
            _ => Err(unknown("option", option, &TOOL_OPTIONS)),
        });
        attr
    }
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

fn parse_flag(option: &ParseNestedMeta) -> Result<Span> {
    if option.input.is_empty() || option.input.peek(Token![,]) {
        return Ok(option.path.span());
    }
    let name = option_name(option);
    Err(option.error(format!("`{name}` takes no value; write `{name}` alone, or remove it")))
}

/// Lists the known options, the most similar ones first.
fn unknown(kind: &str, option: &ParseNestedMeta, known: &[&str]) -> Error {
    let name = option_name(option);
    let mut known = known.to_vec();
    known.sort_by_key(|known| strsim::damerau_levenshtein(known, &name));
    let one_of = if known.len() == 1 { "" } else { "one of " };
    option.error(format!("unknown {kind} `{name}`; expected {one_of}`{}`", known.join("`, `")))
}
