//! The rewriting of JSON Schemas and of JSON text: the functions of `tool-runtime` that read and return JSON, without knowledge of
//! tools or of the types of Rust.
//!
//! [`normalise`], [`publish`] and [`close`] rewrite the schemas of a program, [`strict`] has the rules that the strict forms of
//! providers share, and [`conversion`] the rules of providers for definitions. [`schema_text`] writes a finished schema.
//! [`json_repair`] repairs text that is almost JSON, [`unparsed_calls`] finds calls of tools in the text of a model, and [`json`]
//! has the functions for JSON values.
//!
//! The package is a part of `tool-runtime`, which depends on exactly its version. Its API changes without notice, so programs do
//! not depend on it.
#![warn(clippy::disallowed_methods)]

mod close;
pub mod conversion;
mod description;
mod fingerprint;
pub mod json;
pub mod json_repair;
pub mod keywords;
mod normalise;
mod nullable;
pub mod property_names;
mod publish;
pub mod strict;
mod text;
mod unions;
pub mod unparsed_calls;

pub use close::close;
pub use description::move_keywords;
pub use fingerprint::fingerprint;
pub use normalise::{
    SIGNED_KEYS, TypeBounds, UNSIGNED_KEYS, is_closed_tuple, normalise, resolve_definitions,
};
pub use publish::publish;
pub use text::schema_text;
