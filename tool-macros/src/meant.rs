//! The tool as it was meant: names settled, docs read, options in their places.

use crate::docs::{Doc, Listed};
use crate::faults::Faults;
use crate::options::{ArgOptions, DefaultValue, Keyword, ToolOptions, parse_toolset};
use crate::written::{self, Function};
use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Error, FnArg, Ident, Meta, Pat, PatType, Path, Type, TypeGroup, TypeParen, parse_quote,
};

pub(crate) struct Tool<'a> {
    pub(crate) function: &'a Function,
    pub(crate) krate: Path,
    pub(crate) name: Name,
    /// An expression for a text; `None` where there is neither a doc comment nor `description = ".."`.
    pub(crate) description: Option<TokenStream>,
    pub(crate) options: ToolOptions,
    pub(crate) inputs: Vec<Input<'a>>,
    /// What `# Arguments` says, and no parameter took.
    pub(crate) listed: Vec<Listed>,
    pub(crate) is_method: bool,
}

/// A parameter of the function, in its order.
pub(crate) struct Input<'a> {
    pub(crate) written: &'a PatType,
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

/// A name that the model reads, and the token that gave it.
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl<'a> Tool<'a> {
    pub(crate) fn new(options: TokenStream, function: &'a Function, faults: &mut Faults) -> Self {
        let options = ToolOptions::parse(options, faults);
        let ident = &function.signature.ident;
        let mut doc = Doc::of(&function.attrs);
        let mut listed = doc.take_argument_list();
        let inputs = function.signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(written) => Some(Input::new(written, &mut listed, faults)),
            FnArg::Receiver(_) => None,
        });
        let inputs = inputs.collect();
        Tool {
            function,
            krate: options.krate.clone().unwrap_or_else(|| parse_quote!(::tool_runtime)),
            name: match &options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: ident.unraw().to_string(), span: ident.span() },
            },
            description: match &options.description {
                Some(given) => Some(given.to_token_stream()),
                None => doc.into_expression(),
            },
            options,
            inputs,
            listed,
            is_method: false,
        }
    }

    /// The type that brings the tool along wherever the function is imported.
    pub(crate) fn handle(&self) -> &Ident {
        self.options.handle.as_ref().unwrap_or(&self.function.signature.ident)
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.inputs.iter().filter_map(|input| match &input.role {
            Role::Argument(argument) => Some(&**argument),
            Role::State | Role::Context => None,
        })
    }
}

impl<'a> Input<'a> {
    fn new(written: &'a PatType, listed: &mut Vec<Listed>, faults: &mut Faults) -> Self {
        let has = |name| written.attrs.iter().any(|attr| attr.path().is_ident(name));
        // A function may list its state for its readers.
        let name = pattern_name(&written.pat);
        let mut described = name.as_deref().and_then(|name| take_listed(listed, name));
        let role = if has("state") {
            Role::State
        } else if has("context") {
            Role::Context
        } else {
            let options = ArgOptions::parse(&written.attrs, faults);
            if let Some(name) = &options.name {
                described = described.or_else(|| take_listed(listed, &name.value()));
            }
            let name = match &options.name {
                Some(name) => Name { text: name.value(), span: name.span() },
                None => Name { text: name.unwrap_or_default(), span: written.pat.span() },
            };
            let description = match options.description {
                Some(given) => Some(given.to_token_stream()),
                None => Doc::of(&written.attrs).into_expression(),
            };
            let description = description
                .unwrap_or_else(|| described.map(|listed| listed.text).unwrap_or_default().to_token_stream());
            Role::Argument(Box::new(Argument {
                name,
                description,
                default: options.default,
                keywords: options.keywords,
            }))
        };
        Input { written, role }
    }

    pub(crate) fn ty(&self) -> &'a Type {
        bare(&self.written.ty)
    }

    pub(crate) fn attributes<'b>(&'b self, name: &'b str) -> impl Iterator<Item = &'a Attribute> + 'b {
        self.written.attrs.iter().filter(move |attr| attr.path().is_ident(name))
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
fn pattern_name(pattern: &Pat) -> Option<String> {
    match pattern {
        Pat::Ident(pattern) => Some(pattern.ident.unraw().to_string().trim_start_matches('_').to_owned()),
        _ => None,
    }
}

fn take_listed(listed: &mut Vec<Listed>, name: &str) -> Option<Listed> {
    let is_it = |listed: &Listed| listed.name.trim_start_matches("r#").trim_start_matches('_') == name;
    listed.iter().position(is_it).map(|index| listed.remove(index))
}

/// The toolset as it was meant: its tools, in order.
pub(crate) struct Toolset<'a> {
    pub(crate) written: &'a written::Toolset,
    pub(crate) krate: Path,
    pub(crate) tools: Vec<Tool<'a>>,
}

impl<'a> Toolset<'a> {
    pub(crate) fn new(options: TokenStream, written: &'a written::Toolset, faults: &mut Faults) -> Self {
        let krate = parse_toolset(options, faults).unwrap_or_else(|| parse_quote!(::tool_runtime));
        let tools = written.items.iter().filter_map(|item| match item {
            written::Item::Tool(function) => Some(Tool::of_method(function, &krate, faults)),
            written::Item::Other(_) => None,
        });
        let tools = tools.collect();
        Toolset { written, krate, tools }
    }
}

impl<'a> Tool<'a> {
    fn of_method(function: &'a Function, krate: &Path, faults: &mut Faults) -> Self {
        let options = function.tool_attrs.first().map(|attr| match &attr.meta {
            Meta::Path(_) => TokenStream::new(),
            Meta::List(list) => list.tokens.clone(),
            Meta::NameValue(pair) => {
                faults
                    .push(Error::new_spanned(pair, "write options in parentheses: `#[tool(name = \"..\")]`"));
                TokenStream::new()
            }
        });
        let mut tool = Tool::new(options.unwrap_or_default(), function, faults);
        if tool.options.krate.is_none() {
            tool.krate = krate.clone();
        }
        tool.is_method = true;
        tool
    }
}
