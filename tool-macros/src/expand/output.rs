//! What the function returns, as far as its tokens tell.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::{GenericArgument, PathArguments, ReturnType, Type};

/// Whether the error may borrow from the arguments: then it cannot be kept for the program. A method that the compiler
/// chooses cannot depend on a lifetime, so the tokens must tell: a lifetime or a `&` that is not `'static`.
pub(super) fn error_may_borrow(output: &ReturnType) -> bool {
    match output {
        ReturnType::Type(_, ty) => has_lifetime(written_error(ty).unwrap_or(ty).to_token_stream()),
        ReturnType::Default => false,
    }
}

/// `E` in `Result<T, E>`; an alias may hide it.
fn written_error(ty: &Type) -> Option<&Type> {
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
