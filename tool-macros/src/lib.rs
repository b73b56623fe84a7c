//! The attribute macros of [`tool-runtime`], which re-exports and documents them.
//!
//! `ast`, `attr` and `docs` parse the item into a `model`, `validate` checks the model, and `expand` generates the
//! code. `ast`, `attr` and `model` report syntax errors, and `attr` also invalid values of options; `validate` reports
//! all other errors. After an error, `fallback` still emits the item, so that the compiler reports no consequential
//! errors.
//!
//! [`tool-runtime`]: https://docs.rs/tool-runtime

mod ast;
mod attr;
mod docs;
mod errors;
mod expand;
mod fallback;
mod model;
#[cfg(test)]
mod snapshots;
mod validate;

use errors::Errors;
use proc_macro2::TokenStream;

#[allow(missing_docs, reason = "tool-runtime re-exports and documents it")]
#[proc_macro_attribute]
pub fn tool(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand_tool(options.into(), item.into()).into()
}

#[allow(missing_docs, reason = "tool-runtime re-exports and documents it")]
#[proc_macro_attribute]
pub fn toolset(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand_toolset(options.into(), item.into()).into()
}

fn expand_tool(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<ast::Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::unparsed(item, &error),
    };
    let mut errors = Errors::default();
    let tool = model::Tool::from_function(options, &function, &mut errors);
    validate::validate_tool(&tool, &mut errors);
    match errors.into_error() {
        None => expand::tool(&tool),
        Some(error) => fallback::tool(&tool, &error),
    }
}

fn expand_toolset(options: TokenStream, item: TokenStream) -> TokenStream {
    let ast = match syn::parse2::<ast::Toolset>(item.clone()) {
        Ok(ast) => ast,
        Err(error) => return fallback::unparsed(item, &error),
    };
    let mut errors = Errors::default();
    let toolset = model::Toolset::new(options, &ast, &mut errors);
    validate::validate_toolset(&toolset, &mut errors);
    match errors.into_error() {
        None => expand::toolset(&toolset),
        Some(error) => fallback::toolset(&toolset, &error),
    }
}
