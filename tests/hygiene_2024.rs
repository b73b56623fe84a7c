//! The tools of the package `hygiene`, on edition 2024.
#![deny(missing_docs, unused, unsafe_code, warnings, clippy::pedantic, rust_2018_idioms, unreachable_pub)]

extern crate tool_runtime as runtime;

#[path = "hygiene/src/tools.rs"]
pub mod tools;

#[test]
fn a_crate_is_named_as_in_its_manifest_too() {
    for name in ["hygiene-2024", "hygiene_2024"] {
        let registry = runtime::Registry::builder().collect_from(name).build().expect("they are there");
        assert_eq!(registry.len(), 7, "{name}");
    }
}
