//! The tools of the package `hygiene`, on edition 2024.
#![deny(missing_docs, unused, unsafe_code, warnings, clippy::pedantic, rust_2018_idioms, unreachable_pub)]

extern crate tool_runtime as runtime;

#[path = "hygiene/src/tools.rs"]
pub mod tools;

#[test]
fn collect_from_accepts_the_name_of_a_crate_with_hyphens_or_underscores() {
    for name in ["hygiene-2024", "hygiene_2024"] {
        let registry = runtime::Registry::builder().collect_from(name).build().expect("they are there");
        assert_eq!(registry.names().len(), 7, "{name}");
    }
}
