//! The function as it was written: its signature parsed, its body left alone.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, FnArg, Result, Signature, Token, Visibility};

/// The attributes of a parameter that are meant for `#[tool]`; rustc knows none of them there.
const OURS: [&str; 2] = ["doc", "arg"];

pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) signature: Signature,
    body: TokenStream,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let start = input.span();
        let signature = input.parse().map_err(|error| {
            if starts_function(input) { error } else { Error::new(start, NOT_A_FUNCTION) }
        })?;
        if input.peek(Token![;]) {
            return Err(Error::new(
                input.span(),
                "a tool needs a body; put `#[tool]` on the function that has it",
            ));
        }
        Ok(Function { attrs, vis, signature, body: input.parse()? })
    }
}

const NOT_A_FUNCTION: &str = "`#[tool]` belongs on a `fn` or an `async fn`";

/// Whether parsing went past the first token, which only a function lets it do.
fn starts_function(input: ParseStream) -> bool {
    !(input.peek(Token![struct])
        || input.peek(Token![enum])
        || input.peek(Token![trait])
        || input.peek(Token![impl])
        || input.peek(Token![mod])
        || input.peek(Token![use])
        || input.peek(Token![type])
        || input.peek(Token![static])
        || input.peek(syn::Ident))
}

impl ToTokens for Function {
    /// The function again, token for token, less the attributes that are ours.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let mut signature = self.signature.clone();
        for input in &mut signature.inputs {
            let attrs = match input {
                FnArg::Receiver(receiver) => &mut receiver.attrs,
                FnArg::Typed(typed) => &mut typed.attrs,
            };
            attrs.retain(|attr| !OURS.iter().any(|ours| attr.path().is_ident(ours)));
        }
        for attr in &self.attrs {
            attr.to_tokens(tokens);
        }
        self.vis.to_tokens(tokens);
        signature.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}
