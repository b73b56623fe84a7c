//! What would have to be borrowed from the inside of an argument, and cannot be: its strings may hold escapes.
//! rustc refuses it too, but says only that an implementation "is not general enough".

use syn::{GenericArgument, PathArguments, Token, Type, TypePath};

/// These are decoded by decoding what they hold.
const CONTAINERS: [&str; 8] =
    ["Option", "Vec", "VecDeque", "Box", "HashMap", "HashSet", "BTreeMap", "BTreeSet"];

/// The `&` of a borrowed type inside the type of an argument, where that is plain to see.
pub(super) fn inside(ty: &Type) -> Option<&Token![&]> {
    match ty {
        Type::Reference(reference) => anywhere(&reference.elem),
        Type::Path(path) if is_named(path, &["Option"]) => match parts(ty)[..] {
            [Type::Reference(reference)] => anywhere(&reference.elem),
            _ => parts(ty).into_iter().find_map(anywhere),
        },
        _ => parts(ty).into_iter().find_map(anywhere),
    }
}

fn anywhere(ty: &Type) -> Option<&Token![&]> {
    match ty {
        Type::Reference(reference) => Some(&reference.and_token),
        _ => parts(ty).into_iter().find_map(anywhere),
    }
}

fn parts(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Group(group) => vec![&group.elem],
        Type::Paren(paren) => vec![&paren.elem],
        Type::Array(array) => vec![&array.elem],
        Type::Slice(slice) => vec![&slice.elem],
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        Type::Path(path) if is_named(path, &CONTAINERS) => {
            let last = path.path.segments.last().map(|last| &last.arguments);
            let Some(PathArguments::AngleBracketed(arguments)) = last else { return Vec::new() };
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            types.collect()
        }
        _ => Vec::new(),
    }
}

fn is_named(path: &TypePath, names: &[&str]) -> bool {
    path.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}
