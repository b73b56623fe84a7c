//! The output after an error: the item and placeholders, so that other code that uses the item still compiles.

use crate::ast::is_helper_attr;
use crate::expand;
use crate::model::{Tool, Toolset};
use crate::validate::is_primitive;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{TokenStreamExt as _, quote};
use syn::{Error, FnArg, Meta};

/// The item that could not be parsed, without the attributes that rustc would reject too, and the error.
pub(crate) fn unparsed(item: TokenStream, error: &Error) -> TokenStream {
    let item = strip_helper_attrs(item);
    let error = error.to_compile_error();
    quote!(#item #error)
}

/// The function, the errors, and a placeholder of the tool for `tools![..]`.
pub(crate) fn tool(tool: &Tool, error: &Error) -> TokenStream {
    let Tool { function, krate, .. } = tool;
    let error = error.to_compile_error();
    let handle = tool.handle();
    let name = handle.to_string();
    // A function with `self` is inside an `impl`, which cannot contain types.
    let has_self = matches!(function.signature.inputs.first(), Some(FnArg::Receiver(_)));
    let placeholder = (!has_self && !is_primitive(handle)).then(|| {
        let cfg_attrs = expand::cfg_attrs(&function.attrs);
        let handle_type = expand::handle_type(tool);
        quote! {
            #(#cfg_attrs)*
            impl #krate::__private::Tool for #handle {
                const DESCRIPTOR: &'static #krate::__private::Descriptor =
                    &#krate::__private::Descriptor::placeholder(#name, ::core::any::TypeId::of::<#handle>);
            }
            #handle_type
        }
    });
    quote!(#function #error #placeholder)
}

/// The `impl`, the errors, and a toolset without tools for `.toolset(..)`.
pub(crate) fn toolset(toolset: &Toolset, error: &Error) -> TokenStream {
    let ast = toolset.ast;
    let error = error.to_compile_error();
    let implementation = expand::toolset_implementation(toolset, &quote!(&[]));
    quote!(#ast #error #implementation)
}

fn strip_helper_attrs(item: TokenStream) -> TokenStream {
    let mut tokens = item.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        if is_hash && tokens.peek().is_some_and(is_bracketed_helper_attr) {
            tokens.next();
            continue;
        }
        kept.append(match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), strip_helper_attrs(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        });
    }
    kept
}

fn is_bracketed_helper_attr(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let is_helper = |meta: Meta| is_helper_attr(meta.path());
    group.delimiter() == Delimiter::Bracket && syn::parse2(group.stream()).is_ok_and(is_helper)
}
