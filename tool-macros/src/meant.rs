//! The tool as it was meant: names settled, docs read, options in their places.

use crate::docs;
use crate::faults::Faults;
use crate::options::{ArgOptions, DefaultValue, ToolOptions};
use crate::written::Function;
use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{FnArg, Pat, PatType, Path, Type, parse_quote};

pub(crate) struct Tool<'a> {
    pub(crate) function: &'a Function,
    pub(crate) krate: Path,
    pub(crate) name: Name,
    /// `None` where there is neither a doc comment nor `description = ".."`.
    pub(crate) description: Option<String>,
    pub(crate) parameters: Vec<Parameter<'a>>,
}

pub(crate) struct Parameter<'a> {
    pub(crate) written: &'a PatType,
    pub(crate) name: Name,
    pub(crate) description: String,
    pub(crate) ty: &'a Type,
    pub(crate) default: Option<DefaultValue>,
}

/// A name that the model reads, and the token that gave it.
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl<'a> Tool<'a> {
    pub(crate) fn new(options: TokenStream, function: &'a Function, faults: &mut Faults) -> Self {
        let options = ToolOptions::parse(options, faults);
        let ident = &function.signature.ident;
        Tool {
            function,
            krate: options.krate.unwrap_or_else(|| parse_quote!(::tool_runtime)),
            name: match options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: ident.unraw().to_string(), span: ident.span() },
            },
            description: options
                .description
                .map(|given| given.value())
                .or_else(|| docs::text(&function.attrs)),
            parameters: function
                .signature
                .inputs
                .iter()
                .filter_map(|input| match input {
                    FnArg::Typed(typed) => Some(Parameter::new(typed, faults)),
                    FnArg::Receiver(_) => None,
                })
                .collect(),
        }
    }
}

impl<'a> Parameter<'a> {
    fn new(written: &'a PatType, faults: &mut Faults) -> Self {
        let options = ArgOptions::parse(&written.attrs, faults);
        Parameter {
            written,
            name: match options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: argument_name(&written.pat), span: written.pat.span() },
            },
            description: options
                .description
                .map(|given| given.value())
                .or_else(|| docs::text(&written.attrs))
                .unwrap_or_default(),
            ty: &written.ty,
            default: options.default,
        }
    }
}

/// `_unused` is the argument `unused`, `r#type` is `type`; any other pattern has no name.
fn argument_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(pattern) => pattern.ident.unraw().to_string().trim_start_matches('_').to_owned(),
        _ => String::new(),
    }
}
