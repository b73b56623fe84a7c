//! What a parameter cannot be.

use super::borrowed;
use crate::faults::Faults;
use crate::meant::{Argument, Input, Role};
use syn::spanned::Spanned as _;
use syn::{Error, Lifetime, Meta, Type, TypeReference};

pub(super) fn check(inputs: &[Input], faults: &mut Faults) {
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

pub(super) fn check_lifetime(lifetime: Option<&Lifetime>, faults: &mut Faults) {
    if let Some(lifetime) = lifetime.filter(|lifetime| lifetime.ident == "static") {
        let message = "what a tool takes lives as long as its call; remove `'static`, or write `'_`";
        faults.push(Error::new(lifetime.span(), message));
    }
}
