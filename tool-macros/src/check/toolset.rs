//! What a toolset cannot be.

use crate::faults::Faults;
use crate::meant::{Tool, Toolset};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Error, Lifetime};

pub(crate) fn check(toolset: &Toolset, faults: &mut Faults) {
    if toolset.tools.is_empty() {
        let message = "this toolset has no tools; put `#[tool]` on its methods";
        faults.push(Error::new(toolset.written.self_ty.span(), message));
    }
    if let Some(lifetime) = lifetime_of(toolset) {
        let message = "a toolset lives as long as its registry; write `'static` for its lifetime";
        faults.push(Error::new(lifetime.span(), message));
    }
    for (position, tool) in toolset.tools.iter().enumerate() {
        super::check(tool, faults);
        // Of two with a `#[cfg]`, there may be one.
        let is_always = |tool: &Tool| !tool.function.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
        let is_same = |other: &&Tool| other.name.text == tool.name.text && is_always(other);
        if is_always(tool) && toolset.tools[..position].iter().any(|other| is_same(&other)) {
            let message = format!(
                "two tools are named `{}`; give one of them `#[tool(name = \"..\")]`",
                tool.name.text
            );
            faults.push(Error::new(tool.name.span, message));
        }
    }
}

/// A lifetime that the `impl` declares, or leaves open as `'_`. rustc would find that its futures are not `Send`
/// for just any.
fn lifetime_of(toolset: &Toolset) -> Option<Lifetime> {
    let declared = toolset.written.generics.lifetimes().next().map(|declared| declared.lifetime.clone());
    declared.or_else(|| open_lifetime(toolset.written.self_ty.to_token_stream()))
}

fn open_lifetime(ty: TokenStream) -> Option<Lifetime> {
    let mut after_quote = None;
    for token in ty {
        match (token, after_quote.take()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == '\'' => after_quote = Some(punct.span()),
            (TokenTree::Ident(ident), Some(span)) if ident == "_" => return Some(Lifetime::new("'_", span)),
            (TokenTree::Group(group), _) => {
                if let Some(found) = open_lifetime(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}
