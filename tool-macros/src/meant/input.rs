//! A parameter of the function as it was meant.

use super::Name;
use crate::docs::{Doc, Listed};
use crate::faults::Faults;
use crate::options::{ArgOptions, DefaultValue, Keyword};
use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Pat, PatType, Type, TypeGroup, TypeParen};

/// A parameter of the function, in its order.
pub(crate) struct Input<'a> {
    pub(crate) written: &'a PatType,
    /// What the function calls it, without leading underscores; empty for a pattern.
    pub(crate) name: String,
    pub(crate) role: Role,
}

pub(crate) enum Role {
    Argument(Box<Argument>),
    /// `#[state]`
    State,
    /// `#[context]`
    Context,
}

/// What the model fills in.
pub(crate) struct Argument {
    pub(crate) name: Name,
    /// An expression for a text, which may be empty.
    pub(crate) description: TokenStream,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) keywords: Vec<Keyword>,
}

impl<'a> Input<'a> {
    /// What `listed` says of it is taken from there.
    pub(super) fn new(written: &'a PatType, listed: &mut Vec<Listed>, faults: &mut Faults) -> Self {
        let has = |name| written.attrs.iter().any(|attr| attr.path().is_ident(name));
        let name = pattern_name(&written.pat);
        // A function may list its state, too, for its readers.
        let described = take_listed(listed, &name);
        let role = if has("state") {
            Role::State
        } else if has("context") {
            Role::Context
        } else {
            Role::Argument(Box::new(Argument::new(written, &name, described, listed, faults)))
        };
        Input { written, name, role }
    }

    /// Its type, without the parentheses and groups that macros leave.
    pub(crate) fn ty(&self) -> &'a Type {
        bare(&self.written.ty)
    }

    pub(crate) fn attributes<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'a Attribute> + 'b {
        self.written.attrs.iter().filter(move |attr| attr.path().is_ident(name))
    }
}

impl Argument {
    fn new(
        written: &PatType,
        name: &str,
        mut described: Option<Listed>,
        listed: &mut Vec<Listed>,
        faults: &mut Faults,
    ) -> Self {
        let options = ArgOptions::parse(&written.attrs, faults);
        if let Some(name) = &options.name {
            described = described.or_else(|| take_listed(listed, &name.value()));
        }
        let given = options.description.map(|given| given.to_token_stream());
        let description = given.or_else(|| Doc::of(&written.attrs).into_expression());
        Argument {
            name: match &options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: name.to_owned(), span: written.pat.span() },
            },
            description: description
                .unwrap_or_else(|| described.map(|listed| listed.text).unwrap_or_default().to_token_stream()),
            default: options.default,
            keywords: options.keywords,
        }
    }
}

/// The type, without the parentheses and groups that macros leave.
pub(crate) fn bare(mut ty: &Type) -> &Type {
    while let Type::Group(TypeGroup { elem, .. }) | Type::Paren(TypeParen { elem, .. }) = ty {
        ty = elem;
    }
    ty
}

/// `_unused` is the argument `unused`, `r#type` is `type`; any other pattern has no name.
fn pattern_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(pattern) => pattern.ident.unraw().to_string().trim_start_matches('_').to_owned(),
        _ => String::new(),
    }
}

fn take_listed(listed: &mut Vec<Listed>, name: &str) -> Option<Listed> {
    listed.iter().position(|listed| listed.is_of(name)).map(|index| listed.remove(index))
}
