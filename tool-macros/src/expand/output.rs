//! What the function returns, as far as its tokens tell.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ReturnType;

/// Whether something in the type may borrow from the arguments: then an error cannot be kept for the program. A method that
/// the compiler chooses cannot depend on a lifetime, so the tokens must tell: a lifetime or a `&` that is not `'static`.
pub(super) fn may_borrow(output: &ReturnType) -> bool {
    match output {
        ReturnType::Type(_, ty) => has_lifetime(ty.to_token_stream()),
        ReturnType::Default => false,
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
