//! What is emitted beside an error, so that nothing else in the program breaks for it.

use crate::expand;
use crate::meant::Tool;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, FnArg};

/// The item as it was, and the error.
pub(crate) fn item_unchanged(item: &TokenStream, error: &Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#item #error)
}

/// The function as it was, the errors, and a tool of its name that does nothing, for `tools![..]`.
pub(crate) fn stand_in(tool: &Tool, error: &Error) -> TokenStream {
    let Tool { function, krate, .. } = tool;
    let error = error.to_compile_error();
    let ident = &function.signature.ident;
    let name = ident.to_string();
    let is_method = matches!(function.signature.inputs.first(), Some(FnArg::Receiver(_)));
    let stand_in = (!is_method && !crate::check::is_primitive(ident)).then(|| {
        let cfgs = expand::cfgs(function);
        let handle = expand::handle(function);
        quote! {
            #(#cfgs)*
            impl #krate::__private::Tool for #ident {
                const DESCRIPTOR: &'static #krate::__private::Descriptor =
                    &#krate::__private::Descriptor::stand_in(#name, ::core::any::TypeId::of::<#ident>);
            }
            #handle
        }
    });
    quote!(#function #error #stand_in)
}
