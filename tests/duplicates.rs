//! Two tools with one name are a build error with both locations.

use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{Registry, tool, tools};

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
    assert_eq!(error.errors().len(), 3, "{error}");
    let BuildErrorKind::DuplicateName { name, first, second, .. } = &error.errors()[1] else {
        panic!("expected a duplicate, got {error}")
    };
    assert_eq!(name, "now");
    assert!(first.ends_with("duplicates.rs:8 (in `duplicates`)"), "{first}");
    assert!(second.ends_with("duplicates.rs:13 (in `duplicates::other`)"), "{second}");
    let text = error.to_string();
    assert_eq!(format!("{error:?}"), text, "`main` prints an error with `Debug`");
    assert!(
        text.contains("two tools are named `now`, one at ") && text.contains("duplicates.rs:17"),
        "{text}"
    );
}

/// Two functions, each with a tool of the same name, from one line of source.
macro_rules! two_lists {
    ($($list:ident),*) => {$(
        fn $list() -> tool_runtime::registry::ToolList {
            /// The time of day somewhere.
            #[tool(name = "local_now")]
            fn local_now() {}
            local_now();
            tools![local_now]
        }
    )*};
}
two_lists!(first_list, second_list);

#[test]
fn two_tools_from_one_source_line_are_two_tools() {
    let built = Registry::builder().tools(first_list()).tools(second_list()).build();
    assert!(matches!(
        built.expect_err("two tools have one name").errors(),
        [BuildErrorKind::DuplicateName { .. }]
    ));
    let once = Registry::builder().tools(first_list()).tools(first_list()).build();
    assert_eq!(once.expect("it is one tool").names(), ["local_now"]);
}

#[test]
fn two_lists_with_a_duplicate_name_are_not_built() {
    let built = Registry::builder().tools(tools![now]).tools(tools![other::other_now]).build();
    assert!(matches!(
        built.expect_err("two tools have one name").errors(),
        [BuildErrorKind::DuplicateName { .. }]
    ));
}
