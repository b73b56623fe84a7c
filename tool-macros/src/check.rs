//! Everything that can be read and is still refused, each on the token at fault, in words that say what to write instead.

mod borrowed;

use crate::faults::Faults;
use crate::meant::{Argument, Input, Name, Role, Tool, Toolset, bare};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned as _;
use syn::{
    Error, FnArg, GenericParam, Ident, Lifetime, Meta, Receiver, ReceiverKind, ReturnType, Safety, Type,
    TypeReference,
};

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
        let message = "this toolset has no tools; put `#[tool]` on its methods";
        faults.push(Error::new(toolset.written.self_ty.span(), message));
    }
    if let Some(lifetime) = lifetime_of(toolset) {
        let message = "a toolset lives as long as its registry; write `'static` for its lifetime";
        faults.push(Error::new(lifetime.span(), message));
    }
    for (position, tool) in toolset.tools.iter().enumerate() {
        check(tool, faults);
        // Of two with a `#[cfg]`, there may be one.
        let is_always = |tool: &Tool| !tool.function.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
        let is_same = |other: &&Tool| other.name.text == tool.name.text && is_always(other);
        if is_always(tool) && toolset.tools[..position].iter().any(|other| is_same(&other)) {
            let message = format!(
                "two tools are named `{}`; give one of them `#[tool(name = \"..\")]`",
                tool.name.text
            );
            faults.push(Error::new(tool.name.span, message));
        }
    }
}

/// A lifetime that the `impl` declares, or leaves open as `'_`. rustc would find that its futures are not `Send`
/// for just any.
fn lifetime_of(toolset: &Toolset) -> Option<Lifetime> {
    let declared = toolset.written.generics.lifetimes().next().map(|declared| declared.lifetime.clone());
    declared.or_else(|| open_lifetime(toolset.written.self_ty.to_token_stream()))
}

fn open_lifetime(ty: TokenStream) -> Option<Lifetime> {
    let mut after_quote = None;
    for token in ty {
        match (token, after_quote.take()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == '\'' => after_quote = Some(punct.span()),
            (TokenTree::Ident(ident), Some(span)) if ident == "_" => return Some(Lifetime::new("'_", span)),
            (TokenTree::Group(group), _) => {
                if let Some(found) = open_lifetime(group.stream()) {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
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
    if let (Some(handle), true) = (&options.handle, tool.is_method) {
        refuse(handle.span(), "a method has no type of its own to name; remove `handle`");
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
                    let message = "a call has one context; remove this parameter";
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
                "this attribute takes nothing; remove what follows the word",
            ));
        }
    }
    let owner = match input.role {
        Role::Argument(_) => return,
        Role::State => "state",
        Role::Context => "context",
    };
    for attr in input.attributes("arg") {
        let message = format!("the model does not fill in a `#[{owner}]`; remove `#[arg(..)]`");
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
            check_lifetime(reference.lifetime.as_ref(), faults);
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
        Type::Reference(TypeReference { mutability: Some(token), .. }) => {
            let message = "a tool's argument cannot be `&mut`; take it by value";
            faults.push(Error::new(token.span(), message));
        }
        _ => {}
    }
    check_lifetime(borrowed::lifetime(input.ty()), faults);
    if let Some(token) = borrowed::inside(input.ty()) {
        let message = "a borrow cannot stand inside an argument's type; \
                       write `String` instead of `&str`, `T` instead of `&T`";
        faults.push(Error::new(token.span, message));
    }
}

fn check_lifetime(lifetime: Option<&Lifetime>, faults: &mut Faults) {
    if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
        let message = "what a tool takes lives as long as its call; remove `'static`, or write `'_`";
        faults.push(Error::new(lifetime.span(), message));
    }
}
