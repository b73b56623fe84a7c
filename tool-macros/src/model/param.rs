//! A parameter of a tool's function.

use super::Name;
use crate::attr::{ArgAttr, DefaultValue, Keyword};
use crate::docs::{ArgDoc, Doc};
use crate::errors::Errors;
use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Pat, PatType, Type, TypeGroup, TypeParen};

pub(crate) struct Param<'a> {
    pub(crate) ast: &'a PatType,
    /// The identifier without leading underscores; empty for any other pattern.
    pub(crate) name: String,
    pub(crate) kind: ParamKind,
}

pub(crate) enum ParamKind {
    Argument(Box<Argument>),
    /// `#[state]`
    State,
    /// `#[context]`
    Context,
}

/// A parameter that the model fills in.
pub(crate) struct Argument {
    pub(crate) name: Name,
    /// A string expression, which may be empty.
    pub(crate) description: TokenStream,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) keywords: Vec<Keyword>,
}

impl<'a> Param<'a> {
    /// Removes the item of this parameter from `arg_docs`.
    pub(super) fn new(ast: &'a PatType, arg_docs: &mut Vec<ArgDoc>, errors: &mut Errors) -> Self {
        let has = |name| ast.attrs.iter().any(|attr| attr.path().is_ident(name));
        let name = pattern_name(&ast.pat);
        // The list may document a state too; the item is then only for readers of the source.
        let arg_doc = take_arg_doc(arg_docs, &name);
        let kind = if has("state") {
            ParamKind::State
        } else if has("context") {
            ParamKind::Context
        } else {
            ParamKind::Argument(Box::new(Argument::new(ast, &name, arg_doc, arg_docs, errors)))
        };
        Param { ast, name, kind }
    }

    pub(crate) fn ty(&self) -> &'a Type {
        ungroup(&self.ast.ty)
    }

    pub(crate) fn attributes<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'a Attribute> + 'b {
        self.ast.attrs.iter().filter(move |attr| attr.path().is_ident(name))
    }
}

impl Argument {
    fn new(
        ast: &PatType,
        name: &str,
        mut arg_doc: Option<ArgDoc>,
        arg_docs: &mut Vec<ArgDoc>,
        errors: &mut Errors,
    ) -> Self {
        let attr = ArgAttr::parse(&ast.attrs, errors);
        if let Some(name) = &attr.name {
            arg_doc = arg_doc.or_else(|| take_arg_doc(arg_docs, &name.value()));
        }
        let description = attr.description.map(|description| description.to_token_stream());
        let description = description.or_else(|| Doc::from_attrs(&ast.attrs).into_expression());
        Argument {
            name: match &attr.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: name.to_owned(), span: ast.pat.span() },
            },
            description: description
                .unwrap_or_else(|| arg_doc.map(|arg_doc| arg_doc.text).unwrap_or_default().to_token_stream()),
            default: attr.default,
            keywords: attr.keywords,
        }
    }
}

/// The type without parentheses and the invisible groups of `macro_rules!`.
pub(crate) fn ungroup(mut ty: &Type) -> &Type {
    while let Type::Group(TypeGroup { elem, .. }) | Type::Paren(TypeParen { elem, .. }) = ty {
        ty = elem;
    }
    ty
}

/// The name of `_unused` is `unused`, that of `r#type` is `type`; other patterns have none.
fn pattern_name(pattern: &Pat) -> String {
    match pattern {
        Pat::Ident(pattern) => pattern.ident.unraw().to_string().trim_start_matches('_').to_owned(),
        _ => String::new(),
    }
}

fn take_arg_doc(arg_docs: &mut Vec<ArgDoc>, name: &str) -> Option<ArgDoc> {
    arg_docs.iter().position(|arg_doc| arg_doc.documents(name)).map(|index| arg_docs.remove(index))
}
