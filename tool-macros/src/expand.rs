//! The generated code: the item first and as it was, the tool's type last, all else in a `const`.

mod input;
mod output;

use crate::meant::{Argument, Tool, Toolset};
use crate::options::{Literal, ToolOptions};
use input::Local;
use proc_macro2::{Ident, Literal as Token, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, FnArg, Path, ReturnType};

pub(crate) fn tool(tool: &Tool) -> TokenStream {
    let Tool { function, krate, .. } = tool;
    let handle = tool.handle();
    let cfgs = cfgs(&function.attrs);
    let imports = imports(krate);
    let descriptor = descriptor(tool);
    let handle_type = handle_type(tool);
    quote! {
        #function

        #(#cfgs)*
        #[allow(deprecated)]
        const _: () = {
            #imports
            #[automatically_derived]
            impl __tool_runtime::Tool for #handle {
                const DESCRIPTOR: &'static __tool_runtime::Descriptor = &#descriptor;
            }
            __tool_runtime::submit!(#handle);
        };

        #handle_type
    }
}

/// The type that brings the tool along wherever the function is imported.
pub(crate) fn handle_type(tool: &Tool) -> TokenStream {
    let vis = &tool.function.vis;
    let handle = tool.handle();
    let cfgs = cfgs(&tool.function.attrs);
    quote! {
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
        #vis enum #handle {}
    }
}

pub(crate) fn toolset(toolset: &Toolset) -> TokenStream {
    let written = toolset.written;
    let tools = toolset.tools.iter().map(|tool| {
        let cfgs = cfgs(&tool.function.attrs);
        let descriptor = descriptor(tool);
        quote!(#(#cfgs)* #descriptor)
    });
    let implementation = toolset_implementation(toolset, &quote!(&[#(#tools),*]));
    quote! {
        #written

        #implementation
    }
}

/// What makes a toolset of the type, wherever the user's own bounds hold.
pub(crate) fn toolset_implementation(toolset: &Toolset, tools: &TokenStream) -> TokenStream {
    let Toolset { written, krate, .. } = toolset;
    let self_ty = &written.self_ty;
    let cfgs = cfgs(&written.attrs);
    let imports = imports(krate);
    let (generics, _, bounds) = written.generics.split_for_impl();
    // A registry needs all three, but in a generic `impl` not every type has them.
    let shared = quote_spanned! {ours_at(self_ty.span())=>
        Self: ::core::marker::Send + ::core::marker::Sync + 'static
    };
    let bounds = match bounds {
        Some(bounds) if bounds.predicates.trailing_punct() => quote!(#bounds #shared),
        Some(bounds) if !bounds.predicates.is_empty() => quote!(#bounds, #shared),
        _ => quote!(where #shared),
    };
    quote! {
        #(#cfgs)*
        #[allow(deprecated)]
        const _: () = {
            #imports
            #[automatically_derived]
            impl #generics __tool_runtime::Toolset for #self_ty #bounds {
                const TOOLS: &'static [__tool_runtime::Descriptor] = #tools;
            }
        };
    }
}

/// All that is generated finds the runtime by this one path: a wrong one is told where it was written.
fn imports(krate: &Path) -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use #krate::__private::{
            self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _, ReturnsValue as _, SendsJson as _,
        };
    }
}

/// What stands below the macro's attribute has not been applied yet, and holds for all that is generated.
pub(crate) fn cfgs(attrs: &[Attribute]) -> Vec<&Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

fn descriptor(tool: &Tool) -> TokenStream {
    let description = &tool.description;
    let name = &tool.name.text;
    let identity = if tool.is_method { quote!(Self) } else { tool.handle().to_token_stream() };
    // With a span of its own, a method's line is not that of the `#[toolset]`.
    let line = quote_spanned!(tool.function.signature.ident.span()=> ::core::line!());
    let options = options(tool);
    let parameters = tool.arguments().map(parameter);
    let call = call(tool);
    quote! {
        __tool_runtime::Descriptor {
            name: #name,
            description: #description,
            identity: ::core::any::TypeId::of::<#identity>,
            location: __tool_runtime::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: #line,
            },
            options: __tool_runtime::Options::NONE #options,
            parameters: &[#(#parameters),*],
            call: #call,
        }
    }
}

/// What `Options::NONE` is not yet.
fn options(tool: &Tool) -> TokenStream {
    let ToolOptions { blocking, requires_approval, read_only, destructive, idempotent, timeout, .. } =
        &tool.options;
    // Nothing but a thread of its own could let a `fn` be answered before it ends.
    let blocks = blocking.is_some() || timeout.is_some() && tool.function.signature.asyncness.is_none();
    let words = [
        (blocks, quote!(.blocking())),
        (requires_approval.is_some(), quote!(.requires_approval())),
        (read_only.is_some(), quote!(.read_only())),
        (destructive.is_some(), quote!(.destructive())),
        (idempotent.is_some(), quote!(.idempotent())),
    ];
    let words = words.into_iter().filter(|(is_said, _)| *is_said).map(|(_, word)| word);
    let timeout = timeout.map(|milliseconds| {
        let milliseconds = Token::u64_unsuffixed(milliseconds);
        quote!(.timeout_ms(#milliseconds))
    });
    quote!(#(#words)* #timeout)
}

fn parameter(argument: &Argument) -> TokenStream {
    let name = &argument.name.text;
    let description = &argument.description;
    let keywords = argument.keywords.iter().map(|keyword| {
        let name = &keyword.name;
        let value = literal(&keyword.value);
        quote!((#name, #value))
    });
    quote! {
        __tool_runtime::Parameter { name: #name, description: #description, keywords: &[#(#keywords),*] }
    }
}

fn literal(value: &Literal) -> TokenStream {
    let (kind, value) = match value {
        Literal::Integer(integer) => (quote!(Integer), Token::i128_unsuffixed(*integer).into_token_stream()),
        Literal::Float(float) => (quote!(Float), Token::f64_unsuffixed(*float).into_token_stream()),
        Literal::Boolean(boolean) => (quote!(Boolean), boolean.into_token_stream()),
        Literal::Text(text) => (quote!(Text), text.into_token_stream()),
        Literal::List(list) => {
            let list = list.iter().map(literal);
            (quote!(List), quote!(&[#(#list),*]))
        }
    };
    quote!(__tool_runtime::Literal::#kind(#value))
}

/// The one shim of a tool: it takes what the call lends it, decodes the arguments and starts the function, or
/// describes itself, so that each parameter's code is generated once.
fn call(tool: &Tool) -> TokenStream {
    let function = tool.function;
    let locals: Vec<Local> =
        tool.inputs.iter().enumerate().map(|(index, input)| Local::new(tool, index, input)).collect();
    let declarations = locals.iter().map(|local| &local.declaration);
    let decoded = locals.iter().filter_map(|local| local.decoded.as_ref());
    let taken = locals.iter().map(|local| &local.taken);

    let signature = &function.signature;
    let ident = &signature.ident;
    let is_of_instance = matches!(signature.inputs.first(), Some(FnArg::Receiver(_)));
    let instance = is_of_instance.then(|| quote!(let __self = __invocation.__instance::<Self>();));
    let taken = is_of_instance.then(|| quote!(__self.__get())).into_iter().chain(taken.cloned());
    let path = tool.is_method.then(|| quote!(Self::));
    let dot_await = signature.asyncness.map(|_| quote!(.await));

    // Where the future is not `Send`, the error stands on `async`; where the result cannot be sent, on its type.
    let future_span = ours_at(signature.asyncness.map_or(ident.span(), |token| token.span));
    let output_span = ours_at(match &signature.output {
        ReturnType::Type(_, ty) => ty.span(),
        ReturnType::Default => ident.span(),
    });
    let at_future = Ident::new("__tool_runtime", future_span);
    let at_output = Ident::new("__tool_runtime", output_span);
    let returned = if output::error_may_borrow(&signature.output) {
        quote_spanned!(output_span=> #at_output::Borrowing(&__returned))
    } else {
        quote_spanned!(output_span=> #at_output::Returned(&__returned))
    };
    let settle = quote_spanned!(output_span=> #returned.__kind().settle(__returned));
    let write = quote_spanned!(output_span=> #at_output::Sent(&__sent).__kind().write(__sent));
    let start = quote_spanned! {future_span=>
        #at_future::start(async move {
            let __returned = #path #ident(#(#taken),*) #dot_await;
            let __sent = #settle?;
            #write
        })
    };
    quote! {
        |__invocation| {
            #instance
            #(#declarations)*
            __invocation.__decode(&mut [#(#decoded),*])?;
            #start
        }
    }
}

/// Generated code that an error shows at a place of the user's; no lint takes it for the user's own.
fn ours_at(place: Span) -> Span {
    Span::mixed_site().located_at(place)
}
