//! Analysis of the return type by its tokens.

use super::mixed_site_at;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{GenericArgument, PathArguments, ReturnType, Signature, Type};

/// The span of the return type, for errors about it.
pub(super) fn span(signature: &Signature) -> Span {
    mixed_site_at(match &signature.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => signature.ident.span(),
    })
}

/// Whether the error type has a lifetime or a `&` that is not `'static`. Such an error may borrow from the arguments and
/// cannot be stored for the application. Method probing cannot decide this, because it ignores lifetimes.
pub(super) fn error_may_borrow(output: &ReturnType) -> bool {
    match output {
        ReturnType::Type(_, ty) => has_lifetime(error_type(ty).unwrap_or(ty).to_token_stream()),
        ReturnType::Default => false,
    }
}

/// The `E` of a literal `Result<T, E>`.
fn error_type(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match (last.ident == "Result", arguments.args.get(1)?) {
        (true, GenericArgument::Type(error)) => Some(error),
        _ => None,
    }
}

fn has_lifetime(ty: TokenStream) -> bool {
    let mut tokens = ty.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let has = match token {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                !matches!(tokens.peek(), Some(TokenTree::Ident(name)) if name == "static")
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                !matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '\'')
            }
            TokenTree::Group(group) => has_lifetime(group.stream()),
            _ => false,
        };
        if has {
            return true;
        }
    }
    false
}
