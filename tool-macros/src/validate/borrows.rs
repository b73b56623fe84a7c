//! Borrows in the type of an argument, as far as its tokens show them.
//!
//! rustc rejects the same types, but its message is "implementation is not general enough".

use crate::model::ungroup;
use syn::{GenericArgument, Lifetime, PathArguments, Token, Type, TypePath};

/// Types that decode each of their elements.
const CONTAINERS: [&str; 8] =
    ["Option", "Vec", "VecDeque", "Box", "HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// The lifetime of `&'a T`, `Option<&'a T>` and `Cow<'a, str>`.
pub(super) fn lifetime(ty: &Type) -> Option<&Lifetime> {
    match ungroup(ty) {
        Type::Reference(reference) => reference.lifetime.as_ref(),
        Type::Path(path) if is_named(path, &["Cow"]) => match &generic_arguments(path)[..] {
            [GenericArgument::Lifetime(lifetime), GenericArgument::Type(Type::Path(text))]
                if is_named(text, &["str"]) =>
            {
                Some(lifetime)
            }
            _ => None,
        },
        Type::Path(path) if is_named(path, &["Option"]) => element_types(ty).into_iter().find_map(lifetime),
        _ => None,
    }
}

/// The `&` of a reference into an argument. Strings of arguments may have escapes, so that they cannot be borrowed.
pub(super) fn nested_reference(ty: &Type) -> Option<&Token![&]> {
    match ungroup(ty) {
        Type::Reference(reference) => any_reference(&reference.elem),
        Type::Path(path) if is_named(path, &["Option"]) => match element_types(ty)[..] {
            [Type::Reference(reference)] => any_reference(&reference.elem),
            _ => element_types(ty).into_iter().find_map(any_reference),
        },
        _ => element_types(ty).into_iter().find_map(any_reference),
    }
}

fn any_reference(ty: &Type) -> Option<&Token![&]> {
    match ungroup(ty) {
        Type::Reference(reference) => Some(&reference.and_token),
        _ => element_types(ty).into_iter().find_map(any_reference),
    }
}

fn element_types(ty: &Type) -> Vec<&Type> {
    match ungroup(ty) {
        Type::Array(array) => vec![ungroup(&array.elem)],
        Type::Slice(slice) => vec![ungroup(&slice.elem)],
        Type::Tuple(tuple) => tuple.elems.iter().map(ungroup).collect(),
        Type::Path(path) if is_named(path, &CONTAINERS) => {
            let types = generic_arguments(path).into_iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ungroup(ty)),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

fn generic_arguments(path: &TypePath) -> Vec<&GenericArgument> {
    match path.path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => arguments.args.iter().collect(),
        _ => Vec::new(),
    }
}

fn is_named(path: &TypePath, names: &[&str]) -> bool {
    path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}
