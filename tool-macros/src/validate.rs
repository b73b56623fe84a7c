//! Validation of parsed tools: each error points to the token that causes it and suggests a correction.

mod borrows;
mod params;
mod receiver;
mod toolset;

pub(crate) use toolset::validate as validate_toolset;

use crate::errors::Errors;
use crate::model::{Name, Tool, ungroup};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Error, GenericParam, Ident, ReturnType, Safety, Type};

/// The limit of the servers:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
const MAX_NAME_LEN: usize = 64;

/// Names that the generated type must not shadow.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

pub(crate) fn validate_tool(tool: &Tool, errors: &mut Errors) {
    validate_function(tool, errors);
    receiver::validate(tool, errors);
    validate_name(&tool.name, errors);
    validate_description(tool, errors);
    validate_options(tool, errors);
    params::validate(&tool.params, errors);
}

fn validate_function(tool: &Tool, errors: &mut Errors) {
    let signature = &tool.function.signature;
    let mut reject = |token: &dyn ToTokens, message: &str| errors.push(Error::new_spanned(token, message));
    if let Some(token) = &signature.constness {
        reject(token, "a tool cannot be `const`; remove `const`");
    }
    if let Safety::Unsafe(token) = &signature.safety {
        reject(
            token,
            "a tool cannot be `unsafe`, because the model decides when it runs; wrap it in a safe function",
        );
    }
    if let Some(abi) = &signature.abi {
        reject(abi, "a tool cannot be `extern`; wrap it in a function without `extern`");
    }
    if let Some(variadic) = &signature.variadic {
        reject(&variadic.dots, "a tool cannot be variadic; take `&[T]` or `Vec<T>`");
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        if let Type::Never(_) = ungroup(ty) {
            reject(ty, "a tool must return a result; write `()` or another type instead of `!`");
        }
    }
    for generic in &signature.generics.params {
        match generic {
            GenericParam::Lifetime(_) => {}
            _ => reject(
                generic,
                "a tool cannot be generic, because it has one schema; write a concrete type or value instead",
            ),
        }
    }
    let expected = usize::from(tool.is_method);
    for attr in tool.function.tool_attrs.iter().skip(expected) {
        reject(attr, "duplicate `#[tool]`; remove one");
    }
    if !tool.is_method && is_primitive(tool.handle()) {
        reject(
            tool.handle(),
            "a tool cannot have the name of a primitive type, because its generated type would shadow it; \
             write `#[tool(handle = OtherName)]`",
        );
    }
}

pub(crate) fn is_primitive(ident: &Ident) -> bool {
    PRIMITIVES.iter().any(|primitive| ident == primitive)
}

fn validate_name(name: &Name, errors: &mut Errors) {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.text.is_empty() {
        let message = "the name of a tool cannot be empty, because the model calls the tool by its name; \
                       write a name of letters, digits, `_` and `-`";
        errors.push(Error::new(name.span, message));
    } else if !name.text.chars().all(is_allowed) {
        let message = format!(
            "`{}` cannot be the name of a tool: servers accept only ASCII letters, digits, `_` and `-`; \
             choose another name with `#[tool(name = \"..\")]`",
            name.text
        );
        errors.push(Error::new(name.span, message));
    } else if name.text.len() > MAX_NAME_LEN {
        let message = format!(
            "the name of a tool cannot have more than {MAX_NAME_LEN} characters, but this one has {}; \
             choose another name with `#[tool(name = \"..\")]`",
            name.text.len()
        );
        errors.push(Error::new(name.span, message));
    }
}

fn validate_description(tool: &Tool, errors: &mut Errors) {
    if tool.description.is_none() {
        errors.push(Error::new(
            tool.function.signature.ident.span(),
            "a tool must have a description for the model; \
             write a `///` comment, or `#[tool(description = \"\")]` for an empty one",
        ));
    }
    let arguments = tool.arguments().map(|argument| &*argument.name.text);
    let params = tool.params.iter().map(|param| &*param.name);
    let documented: Vec<&str> = params.chain(arguments).filter(|name| !name.is_empty()).collect();
    // The list of a method may document `self`, for readers of the source.
    for arg_doc in tool.unused_arg_docs.iter().filter(|arg_doc| arg_doc.name != "self") {
        let message = if documented.iter().any(|name| arg_doc.documents(name)) {
            format!("`{}` is documented twice in this list; remove one entry", arg_doc.name)
        } else {
            let arguments: Vec<&str> = tool.arguments().map(|argument| &*argument.name.text).collect();
            match arguments[..] {
                [] => format!(
                    "`{}` is not an argument of this tool, which has none; remove the entry",
                    arg_doc.name
                ),
                _ => format!(
                    "`{}` is not an argument of this tool; its arguments are `{}`",
                    arg_doc.name,
                    arguments.join("`, `")
                ),
            }
        };
        errors.push(Error::new(arg_doc.span, message));
    }
}

fn validate_options(tool: &Tool, errors: &mut Errors) {
    let options = &tool.options;
    let mut reject = |span: Span, message: &str| errors.push(Error::new(span, message));
    if let (Some(span), Some(_)) = (options.blocking, tool.function.signature.asyncness) {
        reject(
            span,
            "`blocking` applies only to a `fn`; in an `async fn`, call `tokio::task::spawn_blocking`",
        );
    }
    let is_read_only = options.read_only.is_some_and(|read_only| read_only.value);
    if let (true, Some(destructive)) = (is_read_only, options.destructive.filter(|declared| declared.value)) {
        reject(destructive.span, "a tool cannot be both `read_only` and `destructive`; remove one");
    }
    if let Some(span) = options.output_schema {
        match &tool.function.signature.output {
            ReturnType::Default => {
                reject(span, "`output_schema` needs a result; add a return type, or remove `output_schema`");
            }
            ReturnType::Type(_, ty) if has_impl_trait(ty.to_token_stream()) => reject(
                ty.span(),
                "`output_schema` needs a type with a name; write a concrete type instead of `impl Trait`",
            ),
            ReturnType::Type(..) => {}
        }
    }
    if tool.is_method {
        if let Some(handle) = &options.handle {
            reject(
                handle.span(),
                "`handle` applies only to functions, because a method has no type of its own; remove `handle`",
            );
        }
        if let Some(krate) = &options.krate {
            reject(krate.span(), "`crate` applies to all tools of a toolset; write `#[toolset(crate = ..)]`");
        }
    }
}

/// Whether the type contains `impl Trait`, which only a signature can contain.
fn has_impl_trait(ty: TokenStream) -> bool {
    ty.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "impl",
        TokenTree::Group(group) => has_impl_trait(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
