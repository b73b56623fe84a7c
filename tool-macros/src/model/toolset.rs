//! The parsed toolset: its tools in declared order.

use super::Tool;
use crate::ast::{self, Function};
use crate::attr::parse_toolset;
use crate::errors::Errors;
use proc_macro2::TokenStream;
use syn::{Error, Meta, Path, parse_quote};

pub(crate) struct Toolset<'a> {
    pub(crate) ast: &'a ast::Toolset,
    pub(crate) krate: Path,
    pub(crate) tools: Vec<Tool<'a>>,
}

impl<'a> Toolset<'a> {
    pub(crate) fn new(options: TokenStream, ast: &'a ast::Toolset, errors: &mut Errors) -> Self {
        let krate = parse_toolset(options, errors).unwrap_or_else(|| parse_quote!(::tool_runtime));
        let tools = ast.items.iter().filter_map(|item| match item {
            ast::Item::Tool(method) => {
                let options = method_options(method, errors);
                Some(Tool::from_method(options, method, errors))
            }
            ast::Item::Other(_) => None,
        });
        let tools = tools.collect();
        Toolset { ast, krate, tools }
    }
}

/// The tokens in the `#[tool(..)]` of a method.
fn method_options(method: &Function, errors: &mut Errors) -> TokenStream {
    match method.tool_attrs.first().map(|attr| &attr.meta) {
        Some(Meta::List(list)) => list.tokens.clone(),
        Some(Meta::NameValue(pair)) => {
            let message = "options must be in parentheses: write `#[tool(name = \"..\")]`";
            errors.push(Error::new_spanned(pair, message));
            TokenStream::new()
        }
        Some(Meta::Path(_)) | None => TokenStream::new(),
    }
}
