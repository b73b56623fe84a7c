//! Validation of toolsets.

use crate::errors::Errors;
use crate::model::{Tool, Toolset};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{Error, Lifetime};

pub(crate) fn validate(toolset: &Toolset, errors: &mut Errors) {
    if toolset.tools.is_empty() {
        let message = "a toolset must have at least one tool; apply `#[tool]` to its methods";
        errors.push(Error::new(toolset.ast.self_ty.span(), message));
    }
    if let Some(lifetime) = impl_lifetime(toolset) {
        let message = "a toolset must be `'static`, because the registry owns it; write `'static` instead of this lifetime";
        errors.push(Error::new(lifetime.span(), message));
    }
    for (position, tool) in toolset.tools.iter().enumerate() {
        super::validate_tool(tool, errors);
        // A `#[cfg]` may remove one of the two.
        let is_always = |tool: &Tool| !tool.function.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
        let is_same = |other: &&Tool| other.name.text == tool.name.text && is_always(other);
        if is_always(tool) && toolset.tools[..position].iter().any(|other| is_same(&other)) {
            let message = format!(
                "two tools are named `{}`; rename one of them with `#[tool(name = \"..\")]`",
                tool.name.text
            );
            errors.push(Error::new(tool.name.span, message));
        }
    }
}

/// A lifetime that the `impl` declares or elides as `'_`. rustc would report instead that the futures are not `Send`
/// for every lifetime.
fn impl_lifetime(toolset: &Toolset) -> Option<Lifetime> {
    let declared = toolset.ast.generics.lifetimes().next().map(|declared| declared.lifetime.clone());
    declared.or_else(|| elided_lifetime(toolset.ast.self_ty.to_token_stream()))
}

fn elided_lifetime(ty: TokenStream) -> Option<Lifetime> {
    let mut after_quote = None;
    for token in ty {
        match (token, after_quote.take()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == '\'' => after_quote = Some(punct.span()),
            (TokenTree::Ident(ident), Some(span)) if ident == "_" => return Some(Lifetime::new("'_", span)),
            (TokenTree::Group(group), _) => {
                if let Some(found) = elided_lifetime(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}
