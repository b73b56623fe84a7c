//! The generated code: the function first and as it was, the tool's type last, all else in a `const`.

use crate::meant::{Parameter, Tool};
use crate::options::DefaultValue;
use crate::written::Function;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Pat, ReturnType};

pub(crate) fn tool(tool: &Tool) -> TokenStream {
    let Tool { function, krate, name, description, parameters } = tool;
    let ident = &function.signature.ident;
    let cfgs = cfgs(function);
    let handle = handle(function);
    let name = &name.text;
    let table = parameters.iter().map(|parameter| table_row(krate, parameter));
    let call = call(tool);
    quote! {
        #function

        #(#cfgs)*
        #[allow(deprecated)]
        const _: () = {
            #[automatically_derived]
            impl #krate::__private::Tool for #ident {
                const DESCRIPTOR: &'static #krate::__private::Descriptor = &#krate::__private::Descriptor {
                    name: #name,
                    description: #description,
                    identity: ::core::any::TypeId::of::<#ident>,
                    location: #krate::__private::Location {
                        module: ::core::module_path!(),
                        file: ::core::file!(),
                        line: ::core::line!(),
                    },
                    parameters: &[#(#table),*],
                    call: #call,
                };
            }
            #krate::__private::submit!(#ident);
        };

        #handle
    }
}

/// The type that brings the tool along wherever the function is imported.
pub(crate) fn handle(function: &Function) -> TokenStream {
    let Function { vis, signature, .. } = function;
    let ident = &signature.ident;
    let cfgs = cfgs(function);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
        #vis enum #ident {}
    }
}

/// What stands below `#[tool]` has not been applied yet, and holds for all that is generated.
pub(crate) fn cfgs(function: &Function) -> Vec<&Attribute> {
    function.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

fn table_row(krate: &syn::Path, parameter: &Parameter) -> TokenStream {
    let name = &parameter.name.text;
    let description = &parameter.description;
    quote!(#krate::__private::Parameter { name: #name, description: #description })
}

/// The one shim of a tool: it decodes the arguments and starts the function, or describes the parameters,
/// so that each parameter's code is generated once.
fn call(tool: &Tool) -> TokenStream {
    let Tool { function, krate, parameters, .. } = tool;
    let slots: Vec<Slot> = parameters.iter().map(|parameter| Slot::new(krate, parameter)).collect();
    let declarations = slots.iter().map(|slot| &slot.declaration);
    let borrowed = slots.iter().map(|slot| &slot.borrowed);
    let arguments = slots.iter().map(|slot| &slot.argument);

    let signature = &function.signature;
    let ident = &signature.ident;
    let dot_await = signature.asyncness.map(|_| quote!(.await));
    // Where the future is not `Send`, the error stands on `async`; where the result cannot be sent, on its type.
    let future_span = ours_at(signature.asyncness.map_or(ident.span(), |token| token.span));
    let output_span = ours_at(match &signature.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => ident.span(),
    });
    let at_future = respanned(quote!(#krate::__private), future_span);
    let at_output = respanned(quote!(#krate::__private), output_span);
    let settle = quote_spanned!(output_span=> #at_output::Returned(&__returned).__kind().settle(__returned));
    let write = quote_spanned!(output_span=> #at_output::Sent(&__sent).__kind().write(__sent));
    let start = quote_spanned! {future_span=>
        #at_future::start(async move {
            let __returned = #ident(#(#arguments),*) #dot_await;
            let __sent = #settle?;
            #write
        })
    };
    quote! {
        |mut __invocation| {
            #[allow(unused_imports)]
            use #krate::__private::{ArgumentOfAnyType as _, DefaultUnseen as _, ReturnsValue as _, SendsJson as _};
            #(#declarations)*
            __invocation.decode(&mut [#(#borrowed),*])?;
            #start
        }
    }
}

/// The slot of one argument: declared, lent to the decoder, handed to the function.
struct Slot {
    declaration: TokenStream,
    borrowed: TokenStream,
    argument: TokenStream,
}

impl Slot {
    fn new(krate: &syn::Path, parameter: &Parameter) -> Self {
        let written = parameter.ty.to_token_stream();
        let owned = is_surely_owned(written.clone());
        let ty = elided(written);
        let span = ours_at(parameter.ty.span());
        let local = local(&parameter.written.pat, span);
        let at_type = respanned(quote!(#krate::__private), span);
        let default = parameter.default.as_ref().map(|default| match default {
            DefaultValue::OfType => {
                quote_spanned!(span=> .__with_default(|| ::core::default::Default::default()))
            }
            DefaultValue::Given(value) => quote!(.__with_default(|| #value)),
        });
        let new = if owned {
            quote_spanned!(span=> #at_type::argument::<#ty>())
        } else {
            quote_spanned!(span=> #at_type::Tag::<#ty>::NEW.__argument())
        };
        Slot {
            declaration: quote!(let mut #local = #new #default;),
            borrowed: quote_spanned!(span=> &mut #local),
            argument: quote!(#local.get()),
        }
    }
}

/// A local of the shim: named for the reader of the expansion, invisible to the user's code.
fn local(pattern: &Pat, span: Span) -> Ident {
    match pattern {
        Pat::Ident(pattern) => format_ident!("__{}", pattern.ident.unraw(), span = span),
        _ => Ident::new("__unnamed", span),
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

/// Generated code that an error shows at a place of the user's; no lint takes it for the user's own.
fn ours_at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}

fn respanned(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
