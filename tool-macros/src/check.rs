//! Everything that can be read and is still refused, each on the token at fault, in words that say what to write instead.

mod borrowed;

use crate::faults::Faults;
use crate::meant::{Argument, Input, Name, Role, Tool, Toolset};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{Error, FnArg, GenericParam, Ident, Meta, Receiver, ReceiverKind, Safety, Type};

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
    check_receiver(tool, faults);
    check_name(&tool.name, faults);
    check_description(tool, faults);
    check_options(tool, faults);
    check_inputs(&tool.inputs, faults);
}

pub(crate) fn check_toolset(toolset: &Toolset, faults: &mut Faults) {
    if toolset.tools.is_empty() {
        let message = "a toolset without tools; put `#[tool]` on the methods that are some";
        faults.push(Error::new(toolset.written.self_ty.span(), message));
    }
    for (position, tool) in toolset.tools.iter().enumerate() {
        check(tool, faults);
        if toolset.tools[..position].iter().any(|other| other.name.text == tool.name.text) {
            let message = format!(
                "two tools are named `{}`; give one of them `#[tool(name = \"..\")]`",
                tool.name.text
            );
            faults.push(Error::new(tool.name.span, message));
        }
    }
}

fn check_function(tool: &Tool, faults: &mut Faults) {
    let signature = &tool.function.signature;
    let mut refuse = |token: &dyn ToTokens, message: &str| faults.push(Error::new_spanned(token, message));
    if let Some(token) = &signature.constness {
        refuse(token, "a tool cannot be `const`; take the word away");
    }
    if let Safety::Unsafe(token) = &signature.safety {
        refuse(token, "a tool cannot be `unsafe`: a model decides when it runs; wrap it in a safe function");
    }
    if let Some(abi) = &signature.abi {
        refuse(abi, "a tool cannot be `extern`; wrap it in an ordinary function");
    }
    if let Some(variadic) = &signature.variadic {
        refuse(&variadic.dots, "a tool cannot be variadic; take a `Vec<T>`");
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

fn check_receiver(tool: &Tool, faults: &mut Faults) {
    let Some(FnArg::Receiver(receiver)) = tool.function.signature.inputs.first() else { return };
    if !tool.is_method {
        let message = "a tool has no `self` outside a toolset; put `#[toolset]` on the `impl`";
        faults.push(Error::new(receiver.self_token.span, message));
    } else if !is_shared(receiver) {
        let message =
            "the tools of a toolset run side by side; take `&self`, and keep what changes behind a lock";
        faults.push(Error::new(receiver.self_token.span, message));
    }
}

/// `&self` or `self: &Self`
fn is_shared(receiver: &Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, ty) => match &**ty {
            Type::Reference(reference) => {
                let is_self = matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("Self"));
                reference.mutability.is_none() && is_self
            }
            _ => false,
        },
        _ => false,
    }
}

fn check_name(name: &Name, faults: &mut Faults) {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.text.is_empty() {
        faults.push(Error::new(name.span, "a tool needs a name, since the model calls it by it"));
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
    for listed in &tool.listed {
        let names: Vec<&str> = tool.arguments().map(|argument| &*argument.name.text).collect();
        let message = match names[..] {
            [] => format!("`{}` is no parameter: the function has none", listed.name),
            _ => format!("`{}` is no parameter; the parameters are `{}`", listed.name, names.join("`, `")),
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
    if let (Some(handle), true) = (&options.handle, tool.is_method) {
        refuse(handle.span(), "a method has no type of its own to be named; leave `handle` away");
    }
}

fn check_inputs(inputs: &[Input], faults: &mut Faults) {
    let mut before: Vec<&str> = Vec::new();
    let mut has_context = false;
    for input in inputs {
        check_attributes(input, faults);
        match &input.role {
            Role::Argument(argument) => {
                check_argument(input, argument, faults);
                let name = &*argument.name.text;
                if !name.is_empty() && before.contains(&name) {
                    let message = format!("two arguments are named `{name}`; rename one of them");
                    faults.push(Error::new(argument.name.span, message));
                }
                before.push(name);
            }
            Role::State => {
                check_lent(input, "state", "write `&T`, where `T` is the type of the state", faults);
            }
            Role::Context => {
                check_lent(input, "context", "write `&CallContext`", faults);
                if std::mem::replace(&mut has_context, true) {
                    let message = "a call has one context; leave this parameter away";
                    faults.push(Error::new_spanned(&input.written.pat, message));
                }
            }
        }
    }
}

fn check_attributes(input: &Input, faults: &mut Faults) {
    for attr in ["cfg", "cfg_attr"].iter().flat_map(|name| input.attributes(name)) {
        let message =
            "a tool has the same parameters in every build; put `#[cfg(..)]` on two functions instead";
        faults.push(Error::new_spanned(attr, message));
    }
    for attr in ["state", "context"].iter().flat_map(|name| input.attributes(name)) {
        if !matches!(attr.meta, Meta::Path(_)) {
            faults.push(Error::new_spanned(
                &attr.meta,
                "this attribute is one word; leave away what follows it",
            ));
        }
    }
    let owner = match input.role {
        Role::Argument(_) => return,
        Role::State => "state",
        Role::Context => "context",
    };
    for attr in input.attributes("arg") {
        let message = format!("the model knows nothing of a `#[{owner}]`; leave `#[arg(..)]` away");
        faults.push(Error::new_spanned(attr, message));
    }
    for attr in input.attributes("context").filter(|_| owner == "state") {
        let message = "a parameter is a `#[state]` or the `#[context]`; keep one of them";
        faults.push(Error::new_spanned(attr, message));
    }
    for attr in input.attributes(owner).skip(1) {
        faults.push(Error::new_spanned(attr, "this attribute stands here twice; keep one of them"));
    }
}

/// A state and a context are references: the function can then be called with any, in a test for example.
fn check_lent(input: &Input, owner: &str, instead: &str, faults: &mut Faults) {
    match input.ty() {
        Type::Reference(reference) => {
            if let Some(token) = &reference.mutability {
                let message = format!("`#[{owner}]` is lent to many calls at once; take `&`, not `&mut`");
                faults.push(Error::new(token.span(), message));
            }
        }
        other => {
            let message = format!("`#[{owner}]` is lent, not given away; {instead}");
            faults.push(Error::new_spanned(other, message));
        }
    }
}

fn check_argument(input: &Input, argument: &Argument, faults: &mut Faults) {
    if argument.name.text.is_empty() {
        let message = "this argument has no name; write `#[arg(name = \"..\")]`";
        faults.push(Error::new(argument.name.span, message));
    }
    match input.ty() {
        Type::ImplTrait(ty) => {
            let message = "a tool's argument needs one type, not `impl Trait`; name the type";
            faults.push(Error::new_spanned(ty, message));
        }
        Type::Reference(reference) => {
            if let Some(token) = &reference.mutability {
                let message = "a tool's argument cannot be `&mut`; take it by value";
                faults.push(Error::new(token.span(), message));
            }
            let lifetime = reference.lifetime.as_ref();
            if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
                let message = "a tool's argument lives as long as its call; leave `'static` away";
                faults.push(Error::new(lifetime.span(), message));
            }
        }
        _ => {}
    }
    if let Some(token) = borrowed::inside(input.ty()) {
        let message =
            "only an argument as a whole can be borrowed; write `String` for `&str` in here, `T` for `&T`";
        faults.push(Error::new(token.span, message));
    }
}
