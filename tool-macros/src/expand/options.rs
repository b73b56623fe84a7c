//! The options of a tool, as method calls on `Options::NONE`.

use super::output;
use super::param::elide_lifetimes;
use crate::attr::ToolAttr;
use crate::model::Tool;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ReturnType;

pub(super) fn calls(tool: &Tool) -> TokenStream {
    let ToolAttr {
        title,
        timeout_ms,
        max_concurrency,
        max_calls,
        blocking,
        requires_approval,
        exclusive,
        resumable,
        ..
    } = &tool.options;
    // A `fn` with a timeout runs on a separate thread, so that the call can end before the function does.
    let blocks = blocking.is_some() || timeout_ms.is_some() && tool.function.signature.asyncness.is_none();
    let calls = [
        blocks.then(|| quote!(.blocking())),
        requires_approval.map(|_| quote!(.requires_approval())),
        exclusive.map(|_| quote!(.exclusive())),
        resumable.map(|_| quote!(.resumable())),
        timeout_ms.map(|milliseconds| {
            let milliseconds = Literal::u64_unsuffixed(milliseconds);
            quote!(.timeout_ms(#milliseconds))
        }),
        max_concurrency.map(|calls| {
            let calls = Literal::usize_unsuffixed(calls);
            quote!(.max_concurrency(#calls))
        }),
        max_calls.map(|calls| {
            let calls = Literal::usize_unsuffixed(calls);
            quote!(.max_calls(#calls))
        }),
        title.as_ref().map(|title| quote!(.title(#title))),
    ];
    let calls = calls.into_iter().flatten();
    let annotations = annotations(&tool.options);
    let output_schema = tool.options.output_schema.map(|_| output_schema(tool));
    quote!(#(#calls)* #annotations #output_schema)
}

fn annotations(options: &ToolAttr) -> TokenStream {
    let ToolAttr { read_only, destructive, idempotent, open_world, .. } = options;
    let annotations = [
        (read_only, quote!(read_only)),
        (destructive, quote!(destructive)),
        (idempotent, quote!(idempotent)),
        (open_world, quote!(open_world)),
    ];
    let calls = annotations.into_iter().filter_map(|(declared, name)| {
        let value = (*declared)?.value;
        Some(quote!(.#name(#value)))
    });
    calls.collect()
}

/// The type of the result selects the type of its value: see `ReturnType` in the runtime.
fn output_schema(tool: &Tool) -> TokenStream {
    let signature = &tool.function.signature;
    let span = output::span(signature);
    let ty = match &signature.output {
        ReturnType::Type(_, ty) => elide_lifetimes(tool, ty.to_token_stream()),
        ReturnType::Default => quote!(()),
    };
    let at_output = Ident::new("__tool_runtime", span);
    let schema = quote_spanned!(span=> #at_output::ReturnType::<#ty>::NEW.__value().__schema());
    quote!(.output_schema(|| #schema))
}
