//! Everything that can be read and is still refused, each on the token at fault, in words that say what to write instead.

use crate::faults::Faults;
use crate::meant::{Name, Parameter, Tool};
use crate::written::Function;
use syn::spanned::Spanned as _;
use syn::{Error, FnArg, GenericParam, Ident, Pat, Safety, Type};

/// What servers take as the name of a function:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
const LONGEST_NAME: usize = 64;

/// The tool's type would take these names away from the code around it.
const PRIMITIVES: [&str; 17] = [
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

pub(crate) fn check(tool: &Tool, faults: &mut Faults) {
    check_function(tool.function, faults);
    check_name(&tool.name, faults);
    check_description(tool, faults);
    for (position, parameter) in tool.parameters.iter().enumerate() {
        check_parameter(parameter, &tool.parameters[..position], faults);
    }
}

fn check_function(function: &Function, faults: &mut Faults) {
    let signature = &function.signature;
    let mut refuse =
        |token: &dyn quote::ToTokens, message: &str| faults.push(Error::new_spanned(token, message));
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
    if let Some(FnArg::Receiver(receiver)) = signature.inputs.first() {
        refuse(&receiver.self_token, "a tool has no `self`; make it a free function");
    }
    let ident = &signature.ident;
    if is_primitive(ident) {
        refuse(
            ident,
            "a tool cannot be named like a primitive type; rename the function and say `name = \"..\"`",
        );
    }
}

pub(crate) fn is_primitive(ident: &Ident) -> bool {
    PRIMITIVES.iter().any(|primitive| ident == primitive)
}

fn check_name(name: &Name, faults: &mut Faults) {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.text.is_empty() || !name.text.chars().all(allowed) {
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
}

fn check_parameter(parameter: &Parameter, before: &[Parameter], faults: &mut Faults) {
    if !matches!(&*parameter.written.pat, Pat::Ident(_)) {
        let message = "a tool's parameter needs a plain name, which is the argument's name";
        faults.push(Error::new_spanned(&parameter.written.pat, message));
    } else if parameter.name.text.is_empty() {
        let message = "this argument has no name; write `#[arg(name = \"..\")]`";
        faults.push(Error::new(parameter.name.span, message));
    } else if before.iter().any(|other| other.name.text == parameter.name.text) {
        let message = format!("two arguments are named `{}`; rename one of them", parameter.name.text);
        faults.push(Error::new(parameter.name.span, message));
    }
    match parameter.ty {
        Type::ImplTrait(ty) => {
            let message = "a tool's argument needs one type, not `impl Trait`; name the type";
            faults.push(Error::new(ty.span(), message));
        }
        Type::Reference(reference) => {
            if let Some(token) = &reference.mutability {
                let message = "a tool's argument cannot be `&mut`; take it by value";
                faults.push(Error::new(token.span(), message));
            }
            if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static")
            {
                let message = "a tool's argument lives as long as its call; leave `'static` away";
                faults.push(Error::new(lifetime.span(), message));
            }
        }
        _ => {}
    }
}
