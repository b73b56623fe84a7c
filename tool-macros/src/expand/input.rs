//! One parameter of the function in its shim.

use super::span::{ours_at, respanned};
use crate::meant::{Argument, Input, Role, bare};
use crate::options::DefaultValue;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Pat, Path, Type};

/// What the shim holds for a parameter: declared, lent to the decoder if the model fills it, handed to the
/// function.
pub(super) struct Place {
    pub(super) declaration: TokenStream,
    pub(super) decoded: Option<TokenStream>,
    pub(super) taken: TokenStream,
}

impl Place {
    pub(super) fn new(krate: &Path, index: usize, input: &Input) -> Self {
        let span = ours_at(input.ty().span());
        let local = local(&input.written.pat, index, span);
        match &input.role {
            Role::Argument(argument) => Place::of_argument(krate, input.ty(), argument, &local),
            Role::State => {
                let ty = match input.ty() {
                    Type::Reference(reference) => bare(&reference.elem),
                    other => other,
                };
                let name = local.to_string();
                let name = name.trim_start_matches("__");
                let ty = elided(ty.to_token_stream());
                let state = quote_spanned!(span=> .state::<#ty>(#name));
                Place {
                    declaration: quote!(let #local = __invocation #state?;),
                    decoded: None,
                    taken: quote!(#local.get()),
                }
            }
            Role::Context => Place {
                declaration: quote!(let #local = __invocation.context();),
                decoded: None,
                taken: quote_spanned!(span=> &#local),
            },
        }
    }

    fn of_argument(krate: &Path, ty: &Type, argument: &Argument, local: &Ident) -> Self {
        let written = ty.to_token_stream();
        let owned = is_surely_owned(written.clone());
        let ty = elided(written);
        let span = local.span();
        let at_type = respanned(quote!(#krate::__private), span);
        let default = argument.default.as_ref().map(|default| match default {
            DefaultValue::OfType => {
                quote_spanned!(span=> .__with_default(::core::default::Default::default))
            }
            DefaultValue::Given(value) => quote!(.__with_default(|| #value)),
        });
        let new = if owned {
            quote_spanned!(span=> #at_type::argument::<#ty>())
        } else {
            quote_spanned!(span=> #at_type::Tag::<#ty>::NEW.__passing().argument())
        };
        Place {
            declaration: quote!(let mut #local = #new #default;),
            decoded: Some(quote_spanned!(span=> &mut #local)),
            taken: quote!(#local.get()),
        }
    }
}

/// A local of the shim: named for the reader of the expansion, invisible to the user's code.
fn local(pattern: &Pat, index: usize, span: Span) -> Ident {
    match pattern {
        Pat::Ident(pattern) => format_ident!("__{}", pattern.ident.unraw(), span = span),
        _ => format_ident!("__{}", index, span = span),
    }
}

/// Whether the type has nothing in it that could borrow from the arguments. Only a shortcut past the probing
/// of `Tag`, which costs a sixth of the time to check a tool. An alias may hide that it borrows; then the
/// argument is refused, since it is not `DeserializeOwned`.
fn is_surely_owned(ty: TokenStream) -> bool {
    ty.into_iter().all(|token| match token {
        TokenTree::Punct(punct) => !matches!(punct.as_char(), '&' | '\''),
        TokenTree::Ident(ident) => ident != "Cow",
        TokenTree::Group(group) => is_surely_owned(group.stream()),
        TokenTree::Literal(_) => true,
    })
}

/// The function's own lifetimes mean nothing in the shim: `&'a str` becomes `&'_ str`.
fn elided(tokens: TokenStream) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), elided(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            TokenTree::Ident(ident) if std::mem::take(&mut after_quote) && ident != "static" => {
                Ident::new("_", ident.span()).into()
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}
