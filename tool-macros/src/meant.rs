//! The tool as it was meant: names settled, docs read, options in their places.

mod input;
mod toolset;

pub(crate) use input::{Argument, Input, Role, bare};
pub(crate) use toolset::Toolset;

use crate::docs::{Doc, Listed};
use crate::faults::Faults;
use crate::options::ToolOptions;
use crate::written::Function;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::{FnArg, Ident, Path, parse_quote};

pub(crate) struct Tool<'a> {
    pub(crate) function: &'a Function,
    /// Where the runtime is found; for a method, its toolset says it.
    pub(crate) krate: Path,
    pub(crate) name: Name,
    /// An expression for a text; `None` where there is neither a doc comment nor `description = ".."`.
    pub(crate) description: Option<TokenStream>,
    pub(crate) options: ToolOptions,
    pub(crate) inputs: Vec<Input<'a>>,
    /// What `# Arguments` says, and no parameter took.
    pub(crate) listed: Vec<Listed>,
    pub(crate) is_method: bool,
}

/// A name that the model reads, and the token that gave it.
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl<'a> Tool<'a> {
    pub(crate) fn of_function(options: TokenStream, function: &'a Function, faults: &mut Faults) -> Self {
        Tool::new(options, function, false, faults)
    }

    fn of_method(options: TokenStream, method: &'a Function, faults: &mut Faults) -> Self {
        Tool::new(options, method, true, faults)
    }

    fn new(options: TokenStream, function: &'a Function, is_method: bool, faults: &mut Faults) -> Self {
        let options = ToolOptions::parse(options, faults);
        let ident = &function.signature.ident;
        let mut doc = Doc::of(&function.attrs);
        let mut listed = doc.take_argument_list();
        let inputs = function.signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(written) => Some(Input::new(written, &mut listed, faults)),
            FnArg::Receiver(_) => None,
        });
        let inputs = inputs.collect();
        Tool {
            function,
            krate: options.krate.clone().unwrap_or_else(|| parse_quote!(::tool_runtime)),
            name: match &options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: ident.unraw().to_string(), span: ident.span() },
            },
            description: match &options.description {
                Some(given) => Some(given.to_token_stream()),
                None => doc.into_expression(),
            },
            options,
            inputs,
            listed,
            is_method,
        }
    }

    /// The type that brings the tool along wherever the function is imported.
    pub(crate) fn handle(&self) -> &Ident {
        self.options.handle.as_ref().unwrap_or(&self.function.signature.ident)
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.inputs.iter().filter_map(|input| match &input.role {
            Role::Argument(argument) => Some(&**argument),
            Role::State | Role::Context => None,
        })
    }
}
