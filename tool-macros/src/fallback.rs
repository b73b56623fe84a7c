//! What is emitted beside an error, so that nothing else in the program breaks for it.

use crate::check::is_primitive;
use crate::expand;
use crate::meant::{Tool, Toolset};
use crate::written::is_ours_alone;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{TokenStreamExt as _, quote};
use syn::{Error, FnArg, Meta};

/// What could not be read as it was, less the attributes of which rustc would complain too, and the error.
pub(crate) fn unread(item: TokenStream, error: &Error) -> TokenStream {
    let item = without_our_attributes(item);
    let error = error.to_compile_error();
    quote!(#item #error)
}

/// The function as it was, the errors, and a tool of its name that does nothing, for `tools![..]`.
pub(crate) fn tool(tool: &Tool, error: &Error) -> TokenStream {
    let Tool { function, krate, .. } = tool;
    let error = error.to_compile_error();
    let handle = tool.handle();
    let name = handle.to_string();
    // Where there is a `self`, this is an `impl`, where no type can stand.
    let has_self = matches!(function.signature.inputs.first(), Some(FnArg::Receiver(_)));
    let stand_in = (!has_self && !is_primitive(handle)).then(|| {
        let cfgs = expand::cfgs(&function.attrs);
        let handle_type = expand::handle_type(tool);
        quote! {
            #(#cfgs)*
            impl #krate::__private::Tool for #handle {
                const DESCRIPTOR: &'static #krate::__private::Descriptor =
                    &#krate::__private::Descriptor::stand_in(#name, ::core::any::TypeId::of::<#handle>);
            }
            #handle_type
        }
    });
    quote!(#function #error #stand_in)
}

/// The `impl` as it was, the errors, and a toolset without tools, for `.toolset(..)`.
pub(crate) fn toolset(toolset: &Toolset, error: &Error) -> TokenStream {
    let written = toolset.written;
    let error = error.to_compile_error();
    let implementation = expand::toolset_implementation(toolset, &quote!(&[]));
    quote!(#written #error #implementation)
}

fn without_our_attributes(item: TokenStream) -> TokenStream {
    let mut tokens = item.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        if is_hash && tokens.peek().is_some_and(is_ours_in_brackets) {
            tokens.next();
            continue;
        }
        kept.append(match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_our_attributes(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        });
    }
    kept
}

fn is_ours_in_brackets(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let is_ours = |meta: Meta| is_ours_alone(meta.path());
    group.delimiter() == Delimiter::Bracket && syn::parse2(group.stream()).is_ok_and(is_ours)
}
