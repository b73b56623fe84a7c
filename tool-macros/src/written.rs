//! The item as it was written: signatures parsed, bodies left alone.

mod toolset;

pub(crate) use toolset::{Item, Toolset};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream};
use syn::{Abi, Attribute, Error, FnArg, Meta, Path, Result, Signature, Token, Visibility};

/// The attributes of a parameter that are meant for `#[tool]`; rustc knows none of them there.
const OURS: [&str; 4] = ["doc", "arg", "state", "context"];

/// An item that could not be read, less the attributes in it that are ours, of which rustc would complain too.
pub(crate) fn without_our_attributes(item: TokenStream) -> TokenStream {
    let is_ours = |token: &TokenTree| {
        let TokenTree::Group(group) = token else { return false };
        let is_ours =
            |meta: Meta| is_tool(meta.path()) || OURS[1..].iter().any(|ours| meta.path().is_ident(ours));
        group.delimiter() == Delimiter::Bracket && syn::parse2(group.stream()).is_ok_and(is_ours)
    };
    let mut tokens = item.into_iter().peekable();
    let mut kept = TokenStream::new();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#');
        if is_hash && tokens.peek().is_some_and(is_ours) {
            tokens.next();
            continue;
        }
        kept.append(match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_our_attributes(group.stream()));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        });
    }
    kept
}

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
