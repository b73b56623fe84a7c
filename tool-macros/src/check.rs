//! Everything that can be read and is still refused, each on the token at fault, in words that say what to write instead.

mod borrowed;
mod inputs;
mod receiver;
mod toolset;

pub(crate) use toolset::check as check_toolset;

use crate::faults::Faults;
use crate::meant::{Name, Tool, bare};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Error, GenericParam, Ident, ReturnType, Safety, Type};

/// What servers take as the name of a function:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
const LONGEST_NAME: usize = 64;

/// The tool's type would take these names away from the code around it.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

pub(crate) fn check(tool: &Tool, faults: &mut Faults) {
    check_function(tool, faults);
    receiver::check(tool, faults);
    check_name(&tool.name, faults);
    check_description(tool, faults);
    check_options(tool, faults);
    inputs::check(&tool.inputs, faults);
}

fn check_function(tool: &Tool, faults: &mut Faults) {
    let signature = &tool.function.signature;
    let mut refuse = |token: &dyn ToTokens, message: &str| faults.push(Error::new_spanned(token, message));
    if let Some(token) = &signature.constness {
        refuse(token, "a tool cannot be `const`; remove the word");
    }
    if let Safety::Unsafe(token) = &signature.safety {
        refuse(token, "a tool cannot be `unsafe`: a model decides when it runs; wrap it in a safe function");
    }
    if let Some(abi) = &signature.abi {
        refuse(abi, "a tool cannot be `extern`; wrap it in an ordinary function");
    }
    if let Some(variadic) = &signature.variadic {
        refuse(&variadic.dots, "a tool cannot be variadic; take a list: `&[T]` or `Vec<T>`");
    }
    if let ReturnType::Type(_, ty) = &signature.output {
        if let Type::Never(_) = bare(ty) {
            refuse(ty, "a tool that never returns never answers; return `()` or a result");
        }
    }
    for generic in &signature.generics.params {
        match generic {
            GenericParam::Lifetime(_) => {}
            _ => refuse(generic, "a tool cannot be generic: its schema needs one type; name the type here"),
        }
    }
    let expected = usize::from(tool.is_method);
    for attr in tool.function.tool_attrs.iter().skip(expected) {
        refuse(attr, "`#[tool]` stands here twice; keep one of them");
    }
    if !tool.is_method && is_primitive(tool.handle()) {
        refuse(
            tool.handle(),
            "a tool cannot be named like a primitive type, which its own type would hide; \
             write `#[tool(handle = OtherName)]`",
        );
    }
}

pub(crate) fn is_primitive(ident: &Ident) -> bool {
    PRIMITIVES.iter().any(|primitive| ident == primitive)
}

fn check_name(name: &Name, faults: &mut Faults) {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.text.is_empty() {
        faults.push(Error::new(name.span, "the name must not be empty: the model calls the tool by it"));
    } else if !name.text.chars().all(allowed) {
        let message = format!(
            "`{}` cannot be the name of a tool: servers take letters, digits, `_` and `-`; write `#[tool(name = \"..\")]`",
            name.text
        );
        faults.push(Error::new(name.span, message));
    } else if name.text.len() > LONGEST_NAME {
        let message = format!(
            "the name of a tool has at most {LONGEST_NAME} characters, this one has {}; write `#[tool(name = \"..\")]`",
            name.text.len()
        );
        faults.push(Error::new(name.span, message));
    }
}

fn check_description(tool: &Tool, faults: &mut Faults) {
    if tool.description.is_none() {
        faults.push(Error::new(
            tool.function.signature.ident.span(),
            "a tool needs a description for the model; write a `///` comment above it, or say `description = \"\"`",
        ));
    }
    let arguments = tool.arguments().map(|argument| &*argument.name.text);
    let inputs = tool.inputs.iter().map(|input| &*input.name);
    let known: Vec<&str> = inputs.chain(arguments).filter(|name| !name.is_empty()).collect();
    // A method may list its `self`, for its readers.
    for listed in tool.listed.iter().filter(|listed| listed.name != "self") {
        let message = if known.iter().any(|name| listed.is_of(name)) {
            format!("`{}` is listed twice; remove one of the items", listed.name)
        } else {
            let known: Vec<&str> = tool.arguments().map(|argument| &*argument.name.text).collect();
            match known[..] {
                [] => format!("`{}` is no parameter of this function", listed.name),
                _ => {
                    format!("`{}` is no parameter; the parameters are `{}`", listed.name, known.join("`, `"))
                }
            }
        };
        faults.push(Error::new(listed.span, message));
    }
}

fn check_options(tool: &Tool, faults: &mut Faults) {
    let options = &tool.options;
    let mut refuse = |span: Span, message: &str| faults.push(Error::new(span, message));
    if let (Some(span), Some(_)) = (options.blocking, tool.function.signature.asyncness) {
        refuse(span, "`blocking` is for a `fn`; an `async fn` has `tokio::task::spawn_blocking`");
    }
    if let (Some(_), Some(span)) = (options.read_only, options.destructive) {
        refuse(span, "a tool that is `read_only` destroys nothing; keep one of them");
    }
    if tool.is_method {
        if let Some(handle) = &options.handle {
            refuse(handle.span(), "a method has no type of its own to name; remove `handle`");
        }
        if let Some(krate) = &options.krate {
            refuse(krate.span(), "this holds for all tools of a toolset; write `#[toolset(crate = ..)]`");
        }
    }
}
