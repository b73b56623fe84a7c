//! What stands in `#[tool(..)]` and in `#[arg(..)]`.

use crate::faults::Faults;
use proc_macro2::TokenStream;
use syn::meta::{self, ParseNestedMeta};
use syn::parse::Parser;
use syn::{Attribute, Expr, LitStr, Meta, Path, Result, Token};

#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) krate: Option<Path>,
}

impl ToolOptions {
    pub(crate) fn parse(options: TokenStream, faults: &mut Faults) -> Self {
        let mut read = ToolOptions::default();
        let parser = meta::parser(|option| match () {
            () if option.path.is_ident("name") => once(&mut read.name, &option, LitStr::parse_value),
            () if option.path.is_ident("description") => {
                once(&mut read.description, &option, LitStr::parse_value)
            }
            () if option.path.is_ident("crate") => once(&mut read.krate, &option, Path::parse_value),
            () => Err(unknown(&option, "`name`, `description`, `crate`")),
        });
        if let Err(fault) = parser.parse2(options) {
            faults.push(fault);
        }
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
            if let Err(fault) = read.parse_one(attr) {
                faults.push(fault);
            }
        }
        read
    }

    fn parse_one(&mut self, attr: &Attribute) -> Result<()> {
        if matches!(attr.meta, Meta::Path(_)) {
            return Err(syn::Error::new_spanned(attr, "say what you want: `#[arg(default)]`, for example"));
        }
        attr.parse_nested_meta(|option| match () {
            () if option.path.is_ident("name") => once(&mut self.name, &option, LitStr::parse_value),
            () if option.path.is_ident("description") => {
                once(&mut self.description, &option, LitStr::parse_value)
            }
            () if option.path.is_ident("default") => once(&mut self.default, &option, DefaultValue::parse),
            () => Err(unknown(&option, "`name`, `description`, `default`")),
        })
    }
}

impl DefaultValue {
    fn parse(option: &ParseNestedMeta) -> Result<Self> {
        if option.input.peek(Token![=]) {
            Ok(DefaultValue::Given(option.value()?.parse()?))
        } else {
            Ok(DefaultValue::OfType)
        }
    }
}

/// What stands after the `=` of an option.
trait Value: Sized {
    fn parse_value(option: &ParseNestedMeta) -> Result<Self>;
}

impl Value for LitStr {
    fn parse_value(option: &ParseNestedMeta) -> Result<Self> {
        option.value()?.parse()
    }
}

impl Value for Path {
    fn parse_value(option: &ParseNestedMeta) -> Result<Self> {
        option.value()?.call(Path::parse_mod_style)
    }
}

fn once<T>(
    place: &mut Option<T>,
    option: &ParseNestedMeta,
    parse: impl FnOnce(&ParseNestedMeta) -> Result<T>,
) -> Result<()> {
    let value = parse(option)?;
    if place.is_some() {
        return Err(option.error("this option is given twice; keep one of them"));
    }
    *place = Some(value);
    Ok(())
}

fn unknown(option: &ParseNestedMeta, known: &str) -> syn::Error {
    option.error(format!("unknown option; the known ones are {known}"))
}
