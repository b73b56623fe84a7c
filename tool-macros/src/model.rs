//! The parsed tool: its name, description, options and parameters.

mod param;
mod toolset;

pub(crate) use param::{Argument, Param, ParamKind, ungroup};
pub(crate) use toolset::Toolset;

use crate::ast::Function;
use crate::attr::ToolAttr;
use crate::docs::{ArgDoc, Doc};
use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::{FnArg, Ident, Path, parse_quote};

pub(crate) struct Tool<'a> {
    pub(crate) function: &'a Function,
    /// Path of the runtime crate. Methods use that of their toolset.
    pub(crate) krate: Path,
    pub(crate) name: Name,
    /// A string expression; `None` without a doc comment and `description = ".."`.
    pub(crate) description: Option<TokenStream>,
    pub(crate) options: ToolAttr,
    pub(crate) params: Vec<Param<'a>>,
    /// The items under `# Arguments` that no parameter uses.
    pub(crate) unused_arg_docs: Vec<ArgDoc>,
    pub(crate) is_method: bool,
}

/// The name of a tool or of an argument.
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl<'a> Tool<'a> {
    pub(crate) fn from_function(options: TokenStream, function: &'a Function, errors: &mut Errors) -> Self {
        Tool::new(options, function, false, errors)
    }

    fn from_method(options: TokenStream, method: &'a Function, errors: &mut Errors) -> Self {
        Tool::new(options, method, true, errors)
    }

    fn new(options: TokenStream, function: &'a Function, is_method: bool, errors: &mut Errors) -> Self {
        let options = ToolAttr::parse(options, errors);
        let ident = &function.signature.ident;
        let mut doc = Doc::from_attrs(&function.attrs);
        let mut arg_docs = doc.take_argument_list();
        let params = function.signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(ast) => Some(Param::new(ast, &mut arg_docs, errors)),
            FnArg::Receiver(_) => None,
        });
        let params = params.collect();
        Tool {
            function,
            krate: options.krate.clone().unwrap_or_else(|| parse_quote!(::tool_runtime)),
            name: match &options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: ident.unraw().to_string(), span: ident.span() },
            },
            description: match &options.description {
                Some(description) => Some(description.to_token_stream()),
                None => doc.into_expression(),
            },
            options,
            params,
            unused_arg_docs: arg_docs,
            is_method,
        }
    }

    /// The generated type that has the name of the function and is imported with it.
    pub(crate) fn handle(&self) -> &Ident {
        self.options.handle.as_ref().unwrap_or(&self.function.signature.ident)
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.params.iter().filter_map(|param| match &param.kind {
            ParamKind::Argument(argument) => Some(&**argument),
            ParamKind::State | ParamKind::Context => None,
        })
    }
}
