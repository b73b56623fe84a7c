//! Code generation: the unchanged item, then a `const` with the implementations, then the type of the tool.

mod options;
mod output;
mod param;

use crate::attr::KeywordValue;
use crate::model::{Argument, Tool, Toolset};
use param::ParamBinding;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, FnArg, Path};

pub(crate) fn tool(tool: &Tool) -> TokenStream {
    let Tool { function, krate, .. } = tool;
    let handle = tool.handle();
    let cfg_attrs = cfg_attrs(&function.attrs);
    let imports = imports(krate);
    let descriptor = descriptor(tool);
    let handle_type = handle_type(tool);
    quote! {
        #function

        #(#cfg_attrs)*
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

/// The type that represents the tool in `tools![..]`. It has the name of the function, so that it is imported with it.
pub(crate) fn handle_type(tool: &Tool) -> TokenStream {
    let vis = &tool.function.vis;
    let handle = tool.handle();
    let cfg_attrs = cfg_attrs(&tool.function.attrs);
    quote! {
        #(#cfg_attrs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
        #vis enum #handle {}
    }
}

pub(crate) fn toolset(toolset: &Toolset) -> TokenStream {
    let ast = toolset.ast;
    let tools = toolset.tools.iter().map(|tool| {
        let cfg_attrs = cfg_attrs(&tool.function.attrs);
        let descriptor = descriptor(tool);
        quote!(#(#cfg_attrs)* #descriptor)
    });
    let implementation = toolset_implementation(toolset, &quote!(&[#(#tools),*]));
    quote! {
        #ast

        #implementation
    }
}

/// The `Toolset` implementation, with the bounds of the `impl`.
pub(crate) fn toolset_implementation(toolset: &Toolset, tools: &TokenStream) -> TokenStream {
    let Toolset { ast, krate, .. } = toolset;
    let self_ty = &ast.self_ty;
    let cfg_attrs = cfg_attrs(&ast.attrs);
    let imports = imports(krate);
    let (generics, _, bounds) = ast.generics.split_for_impl();
    // A registry requires these bounds; the types of a generic `impl` may lack them.
    let shared = quote_spanned! {mixed_site_at(self_ty.span())=>
        Self: ::core::marker::Send + ::core::marker::Sync + 'static
    };
    let bounds = match bounds {
        Some(bounds) if bounds.predicates.trailing_punct() => quote!(#bounds #shared),
        Some(bounds) if !bounds.predicates.is_empty() => quote!(#bounds, #shared),
        _ => quote!(where #shared),
    };
    quote! {
        #(#cfg_attrs)*
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

/// The only use of the user's path to the runtime, to limit the errors for a wrong path.
fn imports(krate: &Path) -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use #krate::__private::{
            self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _, ReturnsValue as _, SendsJson as _,
        };
    }
}

/// The `#[cfg]` attributes after the macro's own. rustc has not evaluated them yet, so all generated items repeat them.
pub(crate) fn cfg_attrs(attrs: &[Attribute]) -> Vec<&Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).collect()
}

fn descriptor(tool: &Tool) -> TokenStream {
    let description = &tool.description;
    let name = &tool.name.text;
    let identity = if tool.is_method { quote!(Self) } else { tool.handle().to_token_stream() };
    // With another span, `line!()` in a method would be the line of the `#[toolset]`.
    let line = quote_spanned!(tool.function.signature.ident.span()=> ::core::line!());
    let options = options::calls(tool);
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

fn parameter(argument: &Argument) -> TokenStream {
    let name = &argument.name.text;
    let description = &argument.description;
    let keywords = argument.keywords.iter().map(|keyword| {
        let name = &keyword.name;
        let value = keyword_value(&keyword.value);
        quote!((#name, #value))
    });
    quote! {
        __tool_runtime::Parameter { name: #name, description: #description, keywords: &[#(#keywords),*] }
    }
}

fn keyword_value(value: &KeywordValue) -> TokenStream {
    let (variant, value) = match value {
        KeywordValue::Integer(integer) => {
            (quote!(Integer), Literal::i128_unsuffixed(*integer).into_token_stream())
        }
        KeywordValue::Float(float) => (quote!(Float), Literal::f64_unsuffixed(*float).into_token_stream()),
        KeywordValue::Boolean(boolean) => (quote!(Boolean), boolean.into_token_stream()),
        KeywordValue::String(string) => (quote!(Text), string.into_token_stream()),
        KeywordValue::Array(array) => {
            let array = array.iter().map(keyword_value);
            (quote!(List), quote!(&[#(#array),*]))
        }
    };
    quote!(__tool_runtime::Literal::#variant(#value))
}

/// The shim of a tool: it takes state and context, decodes the arguments and starts the function. The runtime also
/// runs it to get the schemas of the arguments, so that the code for each parameter is generated once.
fn call(tool: &Tool) -> TokenStream {
    let function = tool.function;
    let bindings: Vec<ParamBinding> =
        tool.params.iter().enumerate().map(|(index, param)| ParamBinding::new(tool, index, param)).collect();
    let declarations = bindings.iter().map(|binding| &binding.declaration);
    let slots = bindings.iter().filter_map(|binding| binding.slot.as_ref());
    let taken = bindings.iter().filter_map(|binding| binding.taken.as_ref());
    let values = bindings.iter().map(|binding| &binding.value);

    let signature = &function.signature;
    let ident = &signature.ident;
    let has_receiver = matches!(signature.inputs.first(), Some(FnArg::Receiver(_)));
    let instance = has_receiver.then(|| quote!(let __self = __invocation.__instance::<Self>()?;));
    let values = has_receiver.then(|| quote!(__self.__get())).into_iter().chain(values.cloned());
    let path = tool.is_method.then(|| quote!(Self::));
    let dot_await = signature.asyncness.map(|_| quote!(.await));

    // The error of a future that is not `Send` points to `async`; that of an unsupported result, to its type.
    let future_span = mixed_site_at(signature.asyncness.map_or(ident.span(), |token| token.span));
    let output_span = output::span(signature);
    let at_future = Ident::new("__tool_runtime", future_span);
    let at_output = Ident::new("__tool_runtime", output_span);
    let returned = if output::error_may_borrow(&signature.output) {
        quote_spanned!(output_span=> #at_output::BorrowingProbe(&__returned))
    } else {
        quote_spanned!(output_span=> #at_output::ReturnProbe(&__returned))
    };
    let settle = quote_spanned!(output_span=> #returned.__kind().into_result(__returned));
    let write = quote_spanned!(output_span=> #at_output::OutputProbe(&__sent).__kind().write(__sent));
    let start = quote_spanned! {future_span=>
        #at_future::start(async move {
            let __returned = #path #ident(#(#values),*) #dot_await;
            let __sent = #settle?;
            #write
        })
    };
    quote! {
        |__invocation| {
            #instance
            #(#declarations)*
            __invocation.__decode(&mut [#(#slots),*])?;
            #(#taken)*
            #start
        }
    }
}

/// A span for generated code whose errors point to the user's code. Lints treat it as generated.
fn mixed_site_at(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}
