//! One parameter of the function in its shim.

use super::ours_at;
use crate::meant::{Argument, Input, Role, Tool, bare};
use crate::options::DefaultValue;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Pat, Type};

/// What the shim holds for a parameter: declared, lent to the decoder if the model fills it, handed to the
/// function.
pub(super) struct Local {
    pub(super) declaration: TokenStream,
    pub(super) decoded: Option<TokenStream>,
    pub(super) taken: TokenStream,
}

impl Local {
    pub(super) fn new(tool: &Tool, index: usize, input: &Input) -> Self {
        let span = ours_at(input.ty().span());
        let ident = ident(&input.written.pat, index, span);
        match &input.role {
            Role::Argument(argument) => Local::of_argument(tool, input.ty(), argument, &ident),
            Role::State => {
                let ty = match input.ty() {
                    Type::Reference(reference) => bare(&reference.elem),
                    other => other,
                };
                let ty = elided(tool, ty.to_token_stream());
                let name = if input.name.is_empty() { "_" } else { &input.name };
                let state = quote_spanned!(span=> .__state::<#ty>(#name));
                Local {
                    declaration: quote!(let #ident = __invocation #state?;),
                    decoded: None,
                    taken: quote!(#ident.__get()),
                }
            }
            Role::Context => Local {
                declaration: quote!(let #ident = __invocation.__context();),
                decoded: None,
                taken: quote_spanned!(span=> &#ident),
            },
        }
    }

    fn of_argument(tool: &Tool, ty: &Type, argument: &Argument, ident: &Ident) -> Self {
        let written = ty.to_token_stream();
        let owned = is_surely_owned(written.clone());
        let ty = elided(tool, written);
        let span = ident.span();
        let at_type = Ident::new("__tool_runtime", span);
        let default = argument.default.as_ref().map(|default| match default {
            DefaultValue::OfType => {
                quote_spanned!(span=> .__with_default(::core::default::Default::default))
            }
            DefaultValue::Given(value) => quote!(.__with_default(|| #value)),
        });
        let new = if owned {
            quote_spanned!(span=> #at_type::argument::<#ty>())
        } else {
            quote_spanned!(span=> #at_type::Tag::<#ty>::NEW.__mode().argument())
        };
        Local {
            declaration: quote!(let mut #ident = #new #default;),
            decoded: Some(quote_spanned!(span=> &mut #ident)),
            taken: quote!(#ident.__get()),
        }
    }
}

/// Named for the reader of the expansion, and invisible to the user's code.
fn ident(pattern: &Pat, index: usize, span: Span) -> Ident {
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

/// The function's own lifetimes are not known in the shim: `&'a str` becomes `&'_ str`.
fn elided(tool: &Tool, tokens: TokenStream) -> TokenStream {
    let is_own =
        |ident: &Ident| tool.function.signature.generics.lifetimes().any(|own| own.lifetime.ident == *ident);
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), elided(tool, group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            TokenTree::Ident(ident) if std::mem::take(&mut after_quote) && is_own(&ident) => {
                Ident::new("_", ident.span()).into()
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}
