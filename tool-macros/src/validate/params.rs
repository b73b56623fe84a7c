//! Validation of parameters.

use super::borrows;
use crate::errors::Errors;
use crate::model::{Argument, Param, ParamKind};
use syn::spanned::Spanned as _;
use syn::{Error, Lifetime, Meta, Type, TypeReference};

pub(super) fn validate(params: &[Param], errors: &mut Errors) {
    let mut names: Vec<&str> = Vec::new();
    let mut has_context = false;
    for param in params {
        validate_attributes(param, errors);
        match &param.kind {
            ParamKind::Argument(argument) => {
                validate_argument(param, argument, errors);
                let name = &*argument.name.text;
                if !name.is_empty() && names.contains(&name) {
                    let message = format!("two arguments are named `{name}`; rename one of them");
                    errors.push(Error::new(argument.name.span, message));
                }
                names.push(name);
            }
            ParamKind::State => {
                validate_injected(param, "state", "write `&T`, where `T` is the type of the state", errors);
            }
            ParamKind::Context => {
                validate_injected(param, "context", "write `&CallContext`", errors);
                if std::mem::replace(&mut has_context, true) {
                    let message = "a tool can have only one `#[context]`; remove this parameter";
                    errors.push(Error::new_spanned(&param.ast.pat, message));
                }
            }
        }
    }
}

fn validate_attributes(param: &Param, errors: &mut Errors) {
    for attr in ["cfg", "cfg_attr"].iter().flat_map(|name| param.attributes(name)) {
        let message = "a tool must have the same parameters in every build; write two functions, each with `#[cfg(..)]`";
        errors.push(Error::new_spanned(attr, message));
    }
    for name in ["state", "context"] {
        for attr in param.attributes(name).filter(|attr| !matches!(attr.meta, Meta::Path(_))) {
            let message = format!("`{name}` takes no options; write `#[{name}]`");
            errors.push(Error::new_spanned(&attr.meta, message));
        }
    }
    let name = match param.kind {
        ParamKind::Argument(_) => return,
        ParamKind::State => "state",
        ParamKind::Context => "context",
    };
    for attr in param.attributes("arg") {
        let message = format!("the model does not fill in a `#[{name}]` parameter; remove `#[arg(..)]`");
        errors.push(Error::new_spanned(attr, message));
    }
    for attr in param.attributes("context").filter(|_| name == "state") {
        let message = "a parameter cannot be both `#[state]` and `#[context]`; remove one";
        errors.push(Error::new_spanned(attr, message));
    }
    for attr in param.attributes(name).skip(1) {
        errors.push(Error::new_spanned(attr, format!("duplicate `#[{name}]`; remove one")));
    }
}

/// State and context are references, so that other code, such as a test, can call the function with any value.
fn validate_injected(param: &Param, name: &str, suggestion: &str, errors: &mut Errors) {
    match param.ty() {
        Type::Reference(reference) => {
            if let Some(token) = &reference.mutability {
                let message = format!(
                    "a `#[{name}]` parameter cannot be `&mut`, because calls run concurrently; write `&`"
                );
                errors.push(Error::new(token.span(), message));
            }
            validate_lifetime(reference.lifetime.as_ref(), errors);
        }
        other => {
            let message = format!("a `#[{name}]` parameter must be a reference; {suggestion}");
            errors.push(Error::new_spanned(other, message));
        }
    }
}

fn validate_argument(param: &Param, argument: &Argument, errors: &mut Errors) {
    if argument.name.text.is_empty() {
        let message = "an argument must have a name; write `#[arg(name = \"..\")]`";
        errors.push(Error::new(argument.name.span, message));
    }
    match param.ty() {
        Type::ImplTrait(ty) => {
            let message = "an argument cannot be `impl Trait`, because its schema needs a concrete type; \
                           write the type";
            errors.push(Error::new_spanned(ty, message));
        }
        Type::Reference(TypeReference { mutability: Some(token), .. }) => {
            let message = "an argument cannot be `&mut`; take it by value";
            errors.push(Error::new(token.span(), message));
        }
        _ => {}
    }
    validate_lifetime(borrows::lifetime(param.ty()), errors);
    if let Some(token) = borrows::nested_reference(param.ty()) {
        let message = "a reference cannot be nested in the type of an argument; \
                       write `String` instead of `&str`, or `T` instead of `&T`";
        errors.push(Error::new(token.span, message));
    }
}

pub(super) fn validate_lifetime(lifetime: Option<&Lifetime>, errors: &mut Errors) {
    if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
        let message = "a reference in a parameter is valid only during the call; \
                       remove `'static`, or write `'_`";
        errors.push(Error::new(lifetime.span(), message));
    }
}
