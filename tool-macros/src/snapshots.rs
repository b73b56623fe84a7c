//! Snapshots of the expansions of six items, in `tests/expansion/`.
//!
//! `EXPANSIONS=overwrite cargo test -p tool-runtime-macros` writes them.

use crate::{expand_tool, expand_toolset};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use std::path::Path;
use syn::{Attribute, File, Item, Meta};

const SNAPSHOTS: [&str; 6] = ["arguments", "injected", "methods", "nothing", "options", "scalars"];

#[test]
fn expansions_match_their_snapshots() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/expansion");
    let mut changed = Vec::new();
    for name in SNAPSHOTS {
        let source =
            std::fs::read_to_string(folder.join(name).with_extension("rs")).expect("the file is readable");
        let expanded = expand_file(&syn::parse_str(&source).expect("the file is valid Rust"));
        let snapshot = folder.join(name).with_extension("expanded.rs");
        if std::env::var_os("EXPANSIONS").is_some_and(|mode| mode == "overwrite") {
            std::fs::write(snapshot, expanded).expect("the folder is writable");
        } else if std::fs::read_to_string(snapshot).unwrap_or_default() != expanded {
            changed.push(format!("{name} expands to\n{expanded}"));
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
            /// Whether to include the wind.
            detail: bool,
        ) -> Result<String, Error> {
            Ok(format!("{city} {days} {detail}"))
        }
    };
    let source: File = syn::parse2(source).expect("the source is valid Rust");
    let lines = |text: String| text.lines().count();
    let added = lines(expand_file(&source)) - lines(prettyplease::unparse(&source));
    assert!(added < 60, "{added} lines");
}

#[test]
fn the_function_is_emitted_first_and_unchanged() {
    // The body is not valid Rust, because the macro does not parse it.
    let function = quote! {
        #[inline]
        pub(crate) async fn add<'a>(a: &'a str, r#type: Option<u8>) -> Result<u8, String> where 'a: 'static {
            any tokens, (at [all]) => #! { "in" braces } $
        }
    };
    let documented = quote!(#[doc = " Adds."] #function);
    let expanded = expand_tool(TokenStream::new(), documented.clone()).to_string();
    assert!(expanded.starts_with(&documented.to_string()), "{expanded}");

    let (_, rest) = expanded.split_at(documented.to_string().len());
    assert!(rest.trim_start().starts_with("# [allow (deprecated)] const _"), "{rest}");
}

#[test]
fn the_impl_is_emitted_first_without_helper_attributes() {
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
        expand_toolset(TokenStream::new(), methods(quote!(#[tool(description = "The time.")]))).to_string();
    assert!(expanded.starts_with(&methods(TokenStream::new()).to_string()), "{expanded}");
}

fn expand_file(file: &File) -> String {
    let mut tokens = TokenStream::new();
    for item in &file.items {
        match item {
            Item::Fn(function) => expand_attr(&function.attrs, "tool", item, expand_tool, &mut tokens),
            Item::Impl(methods) => expand_attr(&methods.attrs, "toolset", item, expand_toolset, &mut tokens),
            _ => item.to_tokens(&mut tokens),
        }
    }
    prettyplease::unparse(&syn::parse2(tokens).expect("the expansion is valid Rust"))
}

/// Expands the attribute as rustc does: removes it from the item and passes its tokens to the macro.
fn expand_attr(
    attrs: &[Attribute],
    name: &str,
    item: &Item,
    expand: fn(TokenStream, TokenStream) -> TokenStream,
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
    expand(options, item.to_token_stream()).to_tokens(tokens);
}
