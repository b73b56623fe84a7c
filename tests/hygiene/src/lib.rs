//! A crate with strict lints, on edition 2021, that renames tool-runtime. `hygiene_2024.rs` has the same tools on
//! edition 2024.
#![deny(
    missing_docs,
    unused,
    unsafe_code,
    warnings,
    future_incompatible,
    nonstandard_style,
    rust_2018_idioms,
    missing_debug_implementations,
    missing_copy_implementations,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused_import_braces,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::cargo,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::shadow_unrelated,
    clippy::exhaustive_enums,
    clippy::missing_docs_in_private_items,
    clippy::std_instead_of_core,
    clippy::wildcard_enum_match_arm,
    clippy::question_mark_used,
    clippy::default_trait_access
)]
#![allow(clippy::cargo_common_metadata, clippy::multiple_crate_versions, clippy::missing_const_for_fn)]

pub mod tools;
