//! Syntax of the annotated items: signatures are parsed, bodies stay token trees.

mod toolset;

pub(crate) use toolset::{Item, Toolset};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Abi, Attribute, Error, FnArg, Path, Result, Signature, Token, Visibility};

/// The attributes that `#[tool]` reads from a parameter. rustc accepts none of them there, so they are removed.
const PARAM_ATTRS: [&str; 4] = ["doc", "arg", "state", "context"];

pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    /// The `#[tool]` of a method of a toolset, and duplicates.
    pub(crate) tool_attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) signature: Signature,
    body: TokenTree,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> Result<Self> {
        let (tool_attrs, attrs) =
            input.call(Attribute::parse_outer)?.into_iter().partition(|attr| is_tool_attr(attr.path()));
        let vis = input.parse()?;
        if !peek_function(input) {
            return Err(Error::new(input.span(), "`#[tool]` can only be applied to a `fn` or an `async fn`"));
        }
        let signature = input.parse()?;
        if input.peek(Token![;]) {
            return Err(Error::new(
                input.span(),
                "a tool must have a body; write it as a function, or as a method of an inherent `impl` with `#[toolset]`",
            ));
        }
        Ok(Function { attrs, tool_attrs, vis, signature, body: input.parse()? })
    }
}

/// Whether the attribute belongs to these macros only, so that rustc would reject it.
pub(crate) fn is_helper_attr(path: &Path) -> bool {
    is_tool_attr(path) || !path.is_ident("doc") && PARAM_ATTRS.iter().any(|name| path.is_ident(name))
}

/// `tool`, by any path.
fn is_tool_attr(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "tool")
}

/// Whether `fn` follows, after any qualifiers.
fn peek_function(input: ParseStream) -> bool {
    let ahead = input.fork();
    let qualifiers = || -> Result<()> {
        ahead.parse::<Option<Token![const]>>()?;
        ahead.parse::<Option<Token![async]>>()?;
        ahead.parse::<Option<Token![unsafe]>>()?;
        ahead.parse::<Option<Abi>>()?;
        Ok(())
    };
    qualifiers().is_ok() && ahead.peek(Token![fn])
}

impl ToTokens for Function {
    /// The unchanged tokens of the function without the parameter attributes, and without the `...` of a variadic
    /// function: `validate` reports it, and rustc would report two more errors.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut signature = self.signature.clone();
        signature.variadic = None;
        for input in &mut signature.inputs {
            if let FnArg::Typed(typed) = input {
                typed.attrs.retain(|attr| !PARAM_ATTRS.iter().any(|name| attr.path().is_ident(name)));
            }
        }
        for attr in &self.attrs {
            attr.to_tokens(tokens);
        }
        self.vis.to_tokens(tokens);
        signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
