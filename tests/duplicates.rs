//! Two tools of one name are an error at start that says where both stand.

use tool_runtime::{BuildFault, Registry, tool, tools};

/// The time of day.
#[tool]
fn now() {}

mod other {
    /// Another time of day.
    #[tool_runtime::tool(name = "now")]
    pub(crate) fn other_now() {}

    /// A third.
    #[tool_runtime::tool(name = "now")]
    pub(crate) fn third_now() {}
}

#[test]
fn a_collected_registry_with_a_duplicate_name_is_not_built() {
    let error = Registry::collect().expect_err("three tools have one name");
    assert_eq!(error.faults().len(), 2);
    let BuildFault::DuplicateName { name, first, second, .. } = &error.faults()[0] else {
        panic!("expected a duplicate, got {error}")
    };
    assert_eq!(name, "now");
    assert!(first.ends_with("duplicates.rs:6 (in `duplicates`)"), "{first}");
    assert!(second.ends_with("duplicates.rs:11 (in `duplicates::other`)"), "{second}");
    let text = error.to_string();
    assert!(
        text.contains("two tools are named `now`, one at ") && text.contains("duplicates.rs:15"),
        "{text}"
    );
}

#[test]
fn two_lists_with_a_duplicate_name_are_not_built() {
    let built = Registry::builder().tools(tools![now]).tools(tools![other::other_now]).build();
    assert!(matches!(
        built.expect_err("two tools have one name").faults(),
        [BuildFault::DuplicateName { .. }]
    ));
}
