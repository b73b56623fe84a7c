//! What is borrowed in the type of an argument, as far as that is plain to see.
//!
//! Only for clearer words: rustc refuses the same, but says that an implementation "is not general enough".

use crate::meant::bare;
use syn::{GenericArgument, Lifetime, PathArguments, Token, Type, TypePath};

/// These are decoded by decoding what they hold.
const CONTAINERS: [&str; 8] =
    ["Option", "Vec", "VecDeque", "Box", "HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// The lifetime of what is borrowed from the call: of `&'a T`, `Option<&'a T>` and `Cow<'a, str>`.
pub(super) fn lifetime(ty: &Type) -> Option<&Lifetime> {
    match bare(ty) {
        Type::Reference(reference) => reference.lifetime.as_ref(),
        Type::Path(path) if is_named(path, &["Cow"]) => match &arguments(path)[..] {
            [GenericArgument::Lifetime(lifetime), GenericArgument::Type(Type::Path(text))]
                if is_named(text, &["str"]) =>
            {
                Some(lifetime)
            }
            _ => None,
        },
        Type::Path(path) if is_named(path, &["Option"]) => parts(ty).into_iter().find_map(lifetime),
        _ => None,
    }
}

/// The `&` of what would have to be borrowed from the inside of an argument, whose strings may hold escapes.
pub(super) fn inside(ty: &Type) -> Option<&Token![&]> {
    match bare(ty) {
        Type::Reference(reference) => anywhere(&reference.elem),
        Type::Path(path) if is_named(path, &["Option"]) => match parts(ty)[..] {
            [Type::Reference(reference)] => anywhere(&reference.elem),
            _ => parts(ty).into_iter().find_map(anywhere),
        },
        _ => parts(ty).into_iter().find_map(anywhere),
    }
}

fn anywhere(ty: &Type) -> Option<&Token![&]> {
    match bare(ty) {
        Type::Reference(reference) => Some(&reference.and_token),
        _ => parts(ty).into_iter().find_map(anywhere),
    }
}

fn parts(ty: &Type) -> Vec<&Type> {
    match bare(ty) {
        Type::Array(array) => vec![bare(&array.elem)],
        Type::Slice(slice) => vec![bare(&slice.elem)],
        Type::Tuple(tuple) => tuple.elems.iter().map(bare).collect(),
        Type::Path(path) if is_named(path, &CONTAINERS) => {
            let types = arguments(path).into_iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(bare(ty)),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

fn arguments(path: &TypePath) -> Vec<&GenericArgument> {
    match path.path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => arguments.args.iter().collect(),
        _ => Vec::new(),
    }
}

fn is_named(path: &TypePath, names: &[&str]) -> bool {
    path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}
