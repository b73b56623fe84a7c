//! Syntax of a toolset: the tools of the `impl` are parsed as functions, its other items are kept.

use super::{Function, is_tool_attr};
use proc_macro2::TokenStream;
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, Generics, ImplItem, Result, Token, Type, braced, token};

pub(crate) struct Toolset {
    pub(crate) attrs: Vec<Attribute>,
    impl_token: Token![impl],
    pub(crate) generics: Generics,
    pub(crate) self_ty: Type,
    brace_token: token::Brace,
    inner_attrs: Vec<Attribute>,
    pub(crate) items: Vec<Item>,
}

pub(crate) enum Item {
    Tool(Box<Function>),
    Other(Box<ImplItem>),
}

impl Parse for Toolset {
    fn parse(input: ParseStream) -> Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        if !input.peek(Token![impl]) {
            return Err(Error::new(input.span(), "`#[toolset]` can only be applied to an inherent `impl`"));
        }
        let impl_token = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let self_ty = input.parse()?;
        if let Some(token) = input.parse::<Option<Token![for]>>()? {
            let message = "`#[toolset]` cannot be applied to the `impl` of a trait; \
                           apply it to an inherent `impl` whose methods call those of the trait";
            return Err(Error::new(token.span, message));
        }
        generics.where_clause = input.parse()?;
        let content;
        let brace_token = braced!(content in input);
        let inner_attrs = content.call(Attribute::parse_inner)?;
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(content.parse()?);
        }
        Ok(Toolset { attrs, impl_token, generics, self_ty, brace_token, inner_attrs, items })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream) -> Result<Self> {
        let attrs = input.fork().call(Attribute::parse_outer)?;
        if attrs.iter().any(|attr| is_tool_attr(attr.path())) {
            input.parse().map(Item::Tool)
        } else {
            input.parse().map(Item::Other)
        }
    }
}

impl ToTokens for Toolset {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.impl_token.to_tokens(tokens);
        self.generics.to_tokens(tokens);
        self.self_ty.to_tokens(tokens);
        self.generics.where_clause.to_tokens(tokens);
        self.brace_token.surround(tokens, |tokens| {
            tokens.append_all(&self.inner_attrs);
            for item in &self.items {
                match item {
                    Item::Tool(function) => function.to_tokens(tokens),
                    Item::Other(item) => item.to_tokens(tokens),
                }
            }
        });
    }
}
