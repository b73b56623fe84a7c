//! Where generated tokens say that they stand.

use proc_macro2::{Span, TokenStream};

/// Generated code that an error shows at a place of the user's; no lint takes it for the user's own.
pub(super) fn ours_at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

/// The tokens at another place; each means what it meant, as `$crate` must.
pub(super) fn respanned(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(token.span().located_at(span));
            token
        })
        .collect()
}
