//! The toolset as it was meant: its tools, in order.

use super::Tool;
use crate::faults::Faults;
use crate::options::parse_toolset;
use crate::written::{self, Function};
use proc_macro2::TokenStream;
use syn::{Error, Meta, Path, parse_quote};

pub(crate) struct Toolset<'a> {
    pub(crate) written: &'a written::Toolset,
    pub(crate) krate: Path,
    pub(crate) tools: Vec<Tool<'a>>,
}

impl<'a> Toolset<'a> {
    pub(crate) fn new(options: TokenStream, written: &'a written::Toolset, faults: &mut Faults) -> Self {
        let krate = parse_toolset(options, faults).unwrap_or_else(|| parse_quote!(::tool_runtime));
        let tools = written.items.iter().filter_map(|item| match item {
            written::Item::Tool(method) => {
                let options = options_of(method, faults);
                Some(Tool::of_method(options, method, faults))
            }
            written::Item::Other(_) => None,
        });
        let tools = tools.collect();
        Toolset { written, krate, tools }
    }
}

/// What stands in the `#[tool(..)]` of a method.
fn options_of(method: &Function, faults: &mut Faults) -> TokenStream {
    match method.tool_attrs.first().map(|attr| &attr.meta) {
        Some(Meta::List(list)) => list.tokens.clone(),
        Some(Meta::NameValue(pair)) => {
            let message = "write options in parentheses: `#[tool(name = \"..\")]`";
            faults.push(Error::new_spanned(pair, message));
            TokenStream::new()
        }
        Some(Meta::Path(_)) | None => TokenStream::new(),
    }
}
