//! The expansions of six shapes of tool, as files to read: `tests/expansion/`.
//!
//! `EXPANSIONS=overwrite cargo test -p tool-macros` writes them anew.

use crate::{tool_of, toolset_of};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::path::Path;
use syn::{Attribute, File, Item, Meta};

const SHAPES: [&str; 6] = ["arguments", "lent", "methods", "nothing", "options", "scalars"];

#[test]
fn each_shape_expands_as_it_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/expansion");
    let mut changed = Vec::new();
    for shape in SHAPES {
        let source =
            std::fs::read_to_string(folder.join(shape).with_extension("rs")).expect("the file is there");
        let expanded = expanded(&syn::parse_str(&source).expect("the file is Rust"));
        let kept = folder.join(shape).with_extension("expanded.rs");
        if std::env::var_os("EXPANSIONS").is_some_and(|wish| wish == "overwrite") {
            std::fs::write(kept, expanded).expect("the folder can be written to");
        } else if std::fs::read_to_string(kept).unwrap_or_default() != expanded {
            changed.push(format!("{shape} expands to\n{expanded}"));
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn a_tool_of_three_parameters_adds_less_than_sixty_lines() {
    let source = quote! {
        /// Look up the weather of a city.
        #[tool]
        async fn get_weather(
            /// City name, for example "Beijing".
            city: &str,
            /// How many days ahead; 0 is today.
            #[arg(default = 0)]
            days: u8,
            /// Whether to tell of the wind as well.
            detail: bool,
        ) -> Result<String, Error> {
            Ok(format!("{city} {days} {detail}"))
        }
    };
    let source: File = syn::parse2(source).expect("the source is Rust");
    let lines = |text: String| text.lines().count();
    let added = lines(expanded(&source)) - lines(prettyplease::unparse(&source));
    assert!(added < 60, "{added} lines");
}

#[test]
fn the_function_comes_first_and_as_it_was() {
    // A body that is no Rust: it is passed on, not read.
    let function = quote! {
        #[inline]
        pub(crate) async fn add<'a>(a: &'a str, r#type: Option<u8>) -> Result<u8, String> where 'a: 'static {
            any tokens, (at [all]) => #! { "in" braces } $
        }
    };
    let documented = quote!(#[doc = " Adds."] #function);
    let expanded = tool_of(TokenStream::new(), documented.clone()).to_string();
    assert!(expanded.starts_with(&documented.to_string()), "{expanded}");

    let (_, rest) = expanded.split_at(documented.to_string().len());
    assert!(rest.trim_start().starts_with("# [allow (deprecated)] const _"), "{rest}");
}

#[test]
fn an_impl_comes_first_and_as_it_was_less_the_attributes_that_are_ours() {
    let methods = |tool: TokenStream| {
        quote! {
            #[derive_nothing]
            impl<T: Copy> Clock<T> where T: Send {
                const ZERO: [u8; { 0 }] = [];
                #tool
                fn now(&self) -> u8 { any tokens }
                pub fn untouched<U>(&self, u: U) -> U { u }
            }
        }
    };
    let expanded =
        toolset_of(TokenStream::new(), methods(quote!(#[tool(description = "The time.")]))).to_string();
    assert!(expanded.starts_with(&methods(TokenStream::new()).to_string()), "{expanded}");
}

fn expanded(file: &File) -> String {
    let mut tokens = TokenStream::new();
    for item in &file.items {
        match item {
            Item::Fn(function) => expand(&function.attrs, "tool", item, tool_of, &mut tokens),
            Item::Impl(methods) => expand(&methods.attrs, "toolset", item, toolset_of, &mut tokens),
            _ => item.to_tokens(&mut tokens),
        }
    }
    prettyplease::unparse(&syn::parse2(tokens).expect("an expansion is Rust"))
}

/// As rustc does it: the macro's own attribute is taken off, and what stands in it is handed over.
fn expand(
    attrs: &[Attribute],
    name: &str,
    item: &Item,
    by: fn(TokenStream, TokenStream) -> TokenStream,
    tokens: &mut TokenStream,
) {
    let Some(position) = attrs.iter().position(|attr| attr.path().is_ident(name)) else {
        return item.to_tokens(tokens);
    };
    let options = match &attrs[position].meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let mut item = item.clone();
    match &mut item {
        Item::Fn(function) => drop(function.attrs.remove(position)),
        Item::Impl(methods) => drop(methods.attrs.remove(position)),
        _ => {}
    }
    by(options, item.to_token_stream()).to_tokens(tokens);
}
