//! The item as it was written: signatures parsed, bodies left alone.

mod toolset;

pub(crate) use toolset::{Item, Toolset};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Abi, Attribute, Error, FnArg, Path, Result, Signature, Token, Visibility};

/// The attributes of a parameter that are meant for `#[tool]`; rustc knows none of them there.
const OURS: [&str; 4] = ["doc", "arg", "state", "context"];

pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    /// Each `#[tool]` that stands among the attributes: of a method its own, of a function one too many.
    pub(crate) tool_attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) signature: Signature,
    body: TokenTree,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> Result<Self> {
        let (tool_attrs, attrs) =
            input.call(Attribute::parse_outer)?.into_iter().partition(|attr| is_tool(attr.path()));
        let vis = input.parse()?;
        if !is_function(input) {
            return Err(Error::new(input.span(), "`#[tool]` belongs on a `fn` or an `async fn`"));
        }
        let signature = input.parse()?;
        if input.peek(Token![;]) {
            return Err(Error::new(
                input.span(),
                "a tool needs a body; put `#[tool]` on the function that has it",
            ));
        }
        Ok(Function { attrs, tool_attrs, vis, signature, body: input.parse()? })
    }
}

/// An attribute that rustc knows only through these macros; a doc comment it knows by itself.
pub(crate) fn is_ours_alone(path: &Path) -> bool {
    is_tool(path) || !path.is_ident("doc") && OURS.iter().any(|ours| path.is_ident(ours))
}

/// `tool`, by whatever path.
fn is_tool(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "tool")
}

/// Whether `fn` comes after the words that may stand before it.
fn is_function(input: ParseStream) -> bool {
    let ahead = input.fork();
    let words = || -> Result<()> {
        ahead.parse::<Option<Token![const]>>()?;
        ahead.parse::<Option<Token![async]>>()?;
        ahead.parse::<Option<Token![unsafe]>>()?;
        ahead.parse::<Option<Abi>>()?;
        Ok(())
    };
    words().is_ok() && ahead.peek(Token![fn])
}

impl ToTokens for Function {
    /// The function again, token for token, less the attributes that are ours, and less the `...` of a variadic
    /// one, which is refused, and of which rustc would say two things more.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut signature = self.signature.clone();
        signature.variadic = None;
        for input in &mut signature.inputs {
            if let FnArg::Typed(typed) = input {
                typed.attrs.retain(|attr| !OURS.iter().any(|ours| attr.path().is_ident(ours)));
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
