//! What stands in `#[tool(..)]`, in `#[toolset(..)]` and in `#[arg(..)]`.

mod arg;
mod keyword;
mod timeout;

pub(crate) use arg::{ArgOptions, DefaultValue};
pub(crate) use keyword::{Keyword, Literal};

use crate::faults::Faults;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::meta::{self, ParseNestedMeta};
use syn::parse::{Parse, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Error, Ident, LitStr, Path, Result, Token};

#[derive(Default)]
pub(crate) struct ToolOptions {
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

const OF_TOOL: [&str; 10] = [
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

impl ToolOptions {
    pub(crate) fn parse(options: TokenStream, faults: &mut Faults) -> Self {
        let mut read = ToolOptions::default();
        parse_each(options, faults, |name, option| match name {
            "name" => once(&mut read.name, option, text),
            "description" => once(&mut read.description, option, text),
            "timeout" => once(&mut read.timeout, option, timeout::milliseconds),
            "blocking" => once(&mut read.blocking, option, word),
            "requires_approval" => once(&mut read.requires_approval, option, word),
            "read_only" => once(&mut read.read_only, option, word),
            "destructive" => once(&mut read.destructive, option, word),
            "idempotent" => once(&mut read.idempotent, option, word),
            "handle" => once(&mut read.handle, option, name_of_type),
            "crate" => once(&mut read.krate, option, path),
            _ => Err(unknown("option", option, &OF_TOOL)),
        });
        read
    }
}

/// What stands in `#[toolset(..)]`: where the crate is found.
pub(crate) fn parse_toolset(options: TokenStream, faults: &mut Faults) -> Option<Path> {
    let mut krate = None;
    parse_each(options, faults, |name, option| match name {
        "crate" => once(&mut krate, option, path),
        _ => Err(unknown("option", option, &["crate"])),
    });
    krate
}

/// Reads option after option. A fault in one does not hide those in the next, nor what the next says.
fn parse_each(
    options: TokenStream,
    faults: &mut Faults,
    mut parse: impl FnMut(&str, &ParseNestedMeta) -> Result<()>,
) {
    let parser = meta::parser(|option| {
        let name = option.path.get_ident().map(Ident::to_string).unwrap_or_default();
        if let Err(fault) = parse(&name, &option) {
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
    value(option, "write a text in quotes after it: `= \"..\"`", "write a text in quotes here")
}

fn path(option: &ParseNestedMeta) -> Result<Path> {
    let value = option.value().map_err(|_| option.error("write a path after it: `crate = path`"))?;
    let wanted = "write a path here, without quotes: `crate = path`";
    value.call(Path::parse_mod_style).map_err(|error| Error::new(error.span(), wanted))
}

fn name_of_type(option: &ParseNestedMeta) -> Result<Ident> {
    value(
        option,
        "name a type after it: `handle = GetWeather`",
        "write the name of a type that is not there yet, for example `GetWeather`",
    )
}

/// What stands after `=`; `after` is said where there is none, `here` where it is of another kind.
fn value<T: Parse>(option: &ParseNestedMeta, after: &str, here: &str) -> Result<T> {
    let value = option.value().map_err(|_| option.error(after))?;
    if value.is_empty() {
        return Err(option.error(after));
    }
    value.parse().map_err(|error| Error::new(error.span(), here))
}

fn word(option: &ParseNestedMeta) -> Result<Span> {
    if option.input.is_empty() || option.input.peek(Token![,]) {
        return Ok(option.path.span());
    }
    let name = option.path.get_ident().map(Ident::to_string).unwrap_or_default();
    Err(option.error(format!("`{name}` takes no value; write just `{name}`, or remove it")))
}

/// Says what is known instead, the nearest first.
fn unknown(what: &str, option: &ParseNestedMeta, known: &[&str]) -> Error {
    let written = option.path.get_ident().map(Ident::to_string).unwrap_or_default();
    let mut known = known.to_vec();
    known.sort_by_key(|known| strsim::damerau_levenshtein(known, &written));
    let are = if known.len() == 1 { "one is" } else { "ones are" };
    option.error(format!("unknown {what}; the known {are} `{}`", known.join("`, `")))
}
