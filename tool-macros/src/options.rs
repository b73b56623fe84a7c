//! What stands in `#[tool(..)]`, in `#[toolset(..)]` and in `#[arg(..)]`.

mod arg;
mod keyword;
mod timeout;

pub(crate) use arg::{ArgOptions, DefaultValue};
pub(crate) use keyword::{Keyword, Literal};
pub(crate) use timeout::Timeout;

use crate::faults::Faults;
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::meta::{self, ParseNestedMeta};
use syn::parse::Parser as _;
use syn::{Error, Ident, LitStr, Path, Result, Token};

#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) krate: Option<Path>,
    pub(crate) handle: Option<Ident>,
    pub(crate) timeout: Option<Timeout>,
    pub(crate) blocking: Option<Span>,
    pub(crate) requires_approval: Option<Span>,
    pub(crate) read_only: Option<Span>,
    pub(crate) destructive: Option<Span>,
    pub(crate) idempotent: Option<Span>,
}

impl ToolOptions {
    pub(crate) fn parse(options: TokenStream, faults: &mut Faults) -> Self {
        let mut read = ToolOptions::default();
        parse_each(options, faults, |option| match () {
            () if option.path.is_ident("name") => once(&mut read.name, option, text),
            () if option.path.is_ident("description") => once(&mut read.description, option, text),
            () if option.path.is_ident("crate") => once(&mut read.krate, option, path),
            () if option.path.is_ident("handle") => once(&mut read.handle, option, name_of_type),
            () if option.path.is_ident("timeout") => once(&mut read.timeout, option, timeout::read),
            () if option.path.is_ident("blocking") => once(&mut read.blocking, option, word),
            () if option.path.is_ident("requires_approval") => {
                once(&mut read.requires_approval, option, word)
            }
            () if option.path.is_ident("read_only") => once(&mut read.read_only, option, word),
            () if option.path.is_ident("destructive") => once(&mut read.destructive, option, word),
            () if option.path.is_ident("idempotent") => once(&mut read.idempotent, option, word),
            () => Err(unknown(
                "option",
                option,
                &[
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
                ],
            )),
        });
        read
    }
}

/// What stands in `#[toolset(..)]`: where the crate is found.
pub(crate) fn parse_toolset(options: TokenStream, faults: &mut Faults) -> Option<Path> {
    let mut krate = None;
    parse_each(options, faults, |option| match () {
        () if option.path.is_ident("crate") => once(&mut krate, option, path),
        () => Err(unknown("option", option, &["crate"])),
    });
    krate
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
    let value = option.value().map_err(|_| option.error("write a text in quotes after it: `= \"..\"`"))?;
    value.parse().map_err(|error| Error::new(error.span(), "write a text in quotes here"))
}

fn path(option: &ParseNestedMeta) -> Result<Path> {
    option.value()?.call(Path::parse_mod_style)
}

fn name_of_type(option: &ParseNestedMeta) -> Result<Ident> {
    let value = option.value().map_err(|_| option.error("name a type after it: `handle = GetWeather`"))?;
    value.parse().map_err(|error| {
        Error::new(error.span(), "write the name of a type that is not there yet, for example `GetWeather`")
    })
}

fn word(option: &ParseNestedMeta) -> Result<Span> {
    if option.input.is_empty() || option.input.peek(Token![,]) {
        Ok(syn::spanned::Spanned::span(&option.path))
    } else {
        Err(option.error("this option is one word; leave away what follows it, or all of it"))
    }
}

/// Says what is known instead, the nearest first.
fn unknown(what: &str, option: &ParseNestedMeta, known: &[&str]) -> Error {
    let written = option.path.get_ident().map(Ident::to_string).unwrap_or_default();
    let mut known = known.to_vec();
    known.sort_by_key(|known| strsim::damerau_levenshtein(known, &written));
    let are = if known.len() == 1 { "one is" } else { "ones are" };
    option.error(format!("unknown {what}; the known {are} `{}`", known.join("`, `")))
}
