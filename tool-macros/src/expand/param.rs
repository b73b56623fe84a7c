//! Bindings of the parameters in the shim.

use super::mixed_site_at;
use crate::attr::DefaultValue;
use crate::model::{Argument, Param, ParamKind, Tool, ungroup};
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Pat, Type};

/// The local variable of the shim for a parameter.
pub(super) struct ParamBinding {
    /// Its `let` statement.
    pub(super) declaration: TokenStream,
    /// The expression for the decoder; only arguments have one.
    pub(super) slot: Option<TokenStream>,
    /// The `let` statement that takes an owned argument out of its cell, so that the future of the tool has only its value.
    pub(super) taken: Option<TokenStream>,
    /// The expression that is passed to the function.
    pub(super) value: TokenStream,
}

impl ParamBinding {
    pub(super) fn new(tool: &Tool, index: usize, param: &Param) -> Self {
        let span = mixed_site_at(param.ty().span());
        let ident = binding_ident(&param.ast.pat, index, span);
        match &param.kind {
            ParamKind::Argument(argument) => ParamBinding::from_argument(tool, param.ty(), argument, &ident),
            ParamKind::State => {
                let ty = match param.ty() {
                    Type::Reference(reference) => ungroup(&reference.elem),
                    other => other,
                };
                let ty = elide_lifetimes(tool, ty.to_token_stream());
                let name = if param.name.is_empty() { "_" } else { &param.name };
                let state = quote_spanned!(span=> .__state::<#ty>(#name));
                ParamBinding {
                    declaration: quote!(let #ident = __invocation #state?;),
                    slot: None,
                    taken: None,
                    value: quote!(#ident.__get()),
                }
            }
            ParamKind::Context => ParamBinding {
                declaration: quote!(let #ident = __invocation.__context();),
                slot: None,
                taken: None,
                value: quote_spanned!(span=> &#ident),
            },
        }
    }

    fn from_argument(tool: &Tool, ty: &Type, argument: &Argument, ident: &Ident) -> Self {
        let ty = ty.to_token_stream();
        let is_owned = is_visibly_owned(ty.clone());
        let ty = elide_lifetimes(tool, ty);
        let span = ident.span();
        let at_type = Ident::new("__tool_runtime", span);
        let default = argument.default.as_ref().map(|default| match default {
            DefaultValue::TypeDefault => {
                quote_spanned!(span=> .__with_default(::core::default::Default::default))
            }
            DefaultValue::Expr(value) => quote!(.__with_default(|| #value)),
        });
        let new = if is_owned {
            quote_spanned!(span=> #at_type::argument::<#ty>())
        } else {
            quote_spanned!(span=> #at_type::Tag::<#ty>::NEW.__mode().argument())
        };
        ParamBinding {
            declaration: quote!(let mut #ident = #new #default;),
            slot: Some(quote_spanned!(span=> &mut #ident)),
            taken: is_owned.then(|| quote!(let #ident = #ident.__get();)),
            value: if is_owned { ident.into_token_stream() } else { quote!(#ident.__get()) },
        }
    }
}

/// `__` and the name of the parameter, for readers of the expansion. Its span hides it from the user's code.
fn binding_ident(pattern: &Pat, index: usize, span: Span) -> Ident {
    match pattern {
        Pat::Ident(pattern) => format_ident!("__{}", pattern.ident.unraw(), span = span),
        _ => format_ident!("__{}", index, span = span),
    }
}

/// Whether the tokens of the type show no borrow. Such a type needs no method probing with `Tag`, which takes a
/// sixth of the time of `cargo check` for a tool. An alias may hide a borrow; rustc then rejects the argument, because it is
/// not `DeserializeOwned`.
fn is_visibly_owned(ty: TokenStream) -> bool {
    ty.into_iter().all(|token| match token {
        TokenTree::Punct(punct) => !matches!(punct.as_char(), '&' | '\''),
        TokenTree::Ident(ident) => ident != "Cow",
        TokenTree::Group(group) => is_visibly_owned(group.stream()),
        TokenTree::Literal(_) => true,
    })
}

/// Replaces the lifetimes that the function declares, since the shim does not declare them: `&'a str` becomes `&'_ str`.
pub(super) fn elide_lifetimes(tool: &Tool, tokens: TokenStream) -> TokenStream {
    let is_declared = |ident: &Ident| {
        tool.function.signature.generics.lifetimes().any(|declared| declared.lifetime.ident == *ident)
    };
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), elide_lifetimes(tool, group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            TokenTree::Ident(ident) if std::mem::take(&mut after_quote) && is_declared(&ident) => {
                Ident::new("_", ident.span()).into()
            }
            other => {
                after_quote = matches!(&other, TokenTree::Punct(punct) if punct.as_char() == '\'');
                other
            }
        })
        .collect()
}
