//! The tools of a registry: collected, listed, and subsets.

use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{Registry, ToolCall, ToolChoice, tool, tools};

mod clock {
    /// The time.
    #[tool_runtime::tool(name = "clock_now")]
    pub(crate) fn now() -> &'static str {
        "12:00"
    }

    pub(crate) mod zones {
        /// The zone.
        #[tool_runtime::tool]
        pub(crate) fn zone() -> &'static str {
            "UTC"
        }
    }
}

mod clock_face {
    /// The time on the clock face.
    #[tool_runtime::tool(name = "face_now")]
    pub(crate) fn now() -> &'static str {
        "noon"
    }
}

#[test]
fn collect_from_ignores_modules_whose_names_only_start_with_the_path() {
    let registry =
        Registry::builder().collect_from("behaviour::registration::clock").build().expect("they are there");
    assert_eq!(registry.names(), ["clock_now", "zone"]);
    let registry = Registry::builder()
        .tools(tools![clock::now, clock_face::now])
        .collect_from("behaviour::registration::clock::zones")
        .collect_from("behaviour::registration::clock_face")
        .build()
        .expect("each tool is added once");
    assert_eq!(registry.names(), ["clock_now", "face_now", "zone"]);
}

#[test]
fn nothing_collected_is_reported_with_the_other_build_errors() {
    let error = Registry::builder()
        .collect_from("behaviour::registration::clok")
        .tools(tools![needs_state])
        .build()
        .expect_err("there is no such module");
    assert!(
        matches!(
            error.errors(),
            [BuildErrorKind::NothingCollected { .. }, BuildErrorKind::MissingState { .. }]
        ),
        "{error}"
    );
}

/// Requires state.
#[tool]
fn needs_state(#[state] name: &std::sync::Arc<str>) -> String {
    name.to_string()
}

#[tokio::test]
async fn a_subset_has_the_state_of_its_registry() {
    let registry = Registry::builder()
        .tools(tools![needs_state, add])
        .state(std::sync::Arc::<str>::from("Ada"))
        .build()
        .expect("a registry");
    let subset = registry.subset(["needs_state"]).expect("it is there");
    assert_eq!(subset.call("needs_state", "").await.text(), "Ada");
}

/// Adds.
#[tool]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

#[tokio::test]
async fn a_subset_has_only_its_tools() {
    let registry = Registry::new(tools![add, clock::now, clock_face::now]).expect("the names differ");
    let subset = registry.subset(["face_now", "add", "add"]).expect("they are there");
    assert_eq!(subset.names(), ["add", "face_now"]);
    let messages = subset
        .dispatch(&[ToolCall::new("1", "add", r#"{"a":1,"b":2}"#), ToolCall::new("2", "clock_now", "{}")])
        .await;
    assert_eq!(messages[0].content, "3");
    assert!(
        messages[1].content.as_str().starts_with("Error: there is no tool `clock_now`"),
        "{}",
        messages[1].content
    );
    assert!(subset.tool_choice("clock_now").is_err());
    assert_eq!(subset.tool_choice("add").expect("it is there"), ToolChoice::Tool("add".to_owned()));
    assert_eq!(registry.names().len(), 3, "the registry is unchanged");
    let error = registry.subset(["ad"]).expect_err("there is no such tool");
    assert!(error.to_string().contains("did you mean `add`?"), "{error}");
    assert!(registry.subset(Vec::<String>::new()).expect("none is asked for").names().is_empty());
}
