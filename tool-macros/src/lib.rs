//! The attribute macros of [`tool-runtime`], which re-exports and documents them.
//!
//! What was *written* (`written`, `options`, `docs`) becomes a tool as it was *meant* (`meant`). `written` and
//! `options` refuse what they cannot read, `check` refuses all else; only `expand` holds large templates. Where
//! something was refused, `fallback` still emits the function, so that one mistake is one error.
//!
//! [`tool-runtime`]: https://docs.rs/tool-runtime

mod check;
mod docs;
mod expand;
mod fallback;
mod faults;
mod meant;
mod options;
#[cfg(test)]
mod snapshots;
mod written;

use faults::Faults;
use proc_macro2::TokenStream;

#[allow(missing_docs, reason = "tool-runtime documents what it re-exports")]
#[proc_macro_attribute]
pub fn tool(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    tool_of(options.into(), item.into()).into()
}

#[allow(missing_docs, reason = "tool-runtime documents what it re-exports")]
#[proc_macro_attribute]
pub fn toolset(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    toolset_of(options.into(), item.into()).into()
}

fn tool_of(options: TokenStream, item: TokenStream) -> TokenStream {
    let function = match syn::parse2::<written::Function>(item.clone()) {
        Ok(function) => function,
        Err(error) => return fallback::unread(item, &error),
    };
    let mut faults = Faults::default();
    let tool = meant::Tool::of_function(options, &function, &mut faults);
    check::check(&tool, &mut faults);
    match faults.into_error() {
        None => expand::tool(&tool),
        Some(error) => fallback::tool(&tool, &error),
    }
}

fn toolset_of(options: TokenStream, item: TokenStream) -> TokenStream {
    let written = match syn::parse2::<written::Toolset>(item.clone()) {
        Ok(written) => written,
        Err(error) => return fallback::unread(item, &error),
    };
    let mut faults = Faults::default();
    let toolset = meant::Toolset::new(options, &written, &mut faults);
    check::check_toolset(&toolset, &mut faults);
    match faults.into_error() {
        None => expand::toolset(&toolset),
        Some(error) => fallback::toolset(&toolset, &error),
    }
}
