//! The expansion of six tools. Each file of `expansion/` has its expansion next to it. The unit tests of
//! `tool-runtime-macros` compare them; this test compiles both and checks that they behave the same.

#![allow(
    missing_docs,
    unused,
    unreachable_pub,
    clippy::all,
    clippy::pedantic,
    reason = "lints do not recognize expanded code in a file as generated"
)]

use tool_runtime::{Registry, ToolCall, ToolMessage, tools};

#[path = "expansion"]
mod source {
    #[path = "arguments.rs"]
    pub mod arguments;
    #[path = "injected.rs"]
    pub mod injected;
    #[path = "methods.rs"]
    pub mod methods;
    #[path = "nothing.rs"]
    pub mod nothing;
    #[path = "options.rs"]
    pub mod options;
    #[path = "scalars.rs"]
    pub mod scalars;
}

// `include!` keeps rustfmt, which follows modules, from formatting these files.
mod expanded {
    pub mod arguments {
        include!("expansion/arguments.expanded.rs");
    }
    pub mod injected {
        include!("expansion/injected.expanded.rs");
    }
    pub mod methods {
        include!("expansion/methods.expanded.rs");
    }
    pub mod nothing {
        include!("expansion/nothing.expanded.rs");
    }
    pub mod options {
        include!("expansion/options.expanded.rs");
    }
    pub mod scalars {
        include!("expansion/scalars.expanded.rs");
    }
}

#[derive(Clone)]
struct Ten;

macro_rules! backend {
    ($of:ident) => {
        impl $of::methods::Backend for Ten {
            fn load(&self) -> i64 {
                10
            }
        }
    };
}
backend!(source);
backend!(expanded);

macro_rules! registry {
    ($of:ident) => {
        Registry::builder()
            .tools(tools![
                $of::arguments::list,
                $of::injected::open_ticket,
                $of::nothing::ring,
                $of::options::DeleteFile,
                $of::scalars::get_weather,
            ])
            .toolset($of::methods::Calculator { backend: Ten })
            .state($of::injected::Shop { name: "Kiosk".to_owned() })
            .build()
            .expect("a registry")
    };
}

#[tokio::test]
async fn a_tool_and_its_expansion_behave_the_same() {
    let (source, expanded) = (registry!(source), registry!(expanded));
    let text = |registry: &Registry| serde_json::to_string(registry.schemas()).expect("schemas are written");
    assert_eq!(text(&source), text(&expanded));
    assert_eq!(
        source.tool("delete-file").map(|tool| tool.annotations),
        expanded.tool("delete-file").map(|tool| tool.annotations)
    );
    assert_eq!(
        source.tool("delete-file").map(|tool| tool.policy),
        expanded.tool("delete-file").map(|tool| tool.policy)
    );

    let calls = [
        ("ring", "", "ok"),
        ("get_weather", r#"{"city":"Beijing"}"#, "Beijing in 0 days: sunny"),
        (
            "get_weather",
            "{}",
            "Error: invalid arguments for `get_weather`: `city` is missing. Call it again, but add `city`.",
        ),
        ("list", r#"{"tags":["a"],"text":"bc","area":[2,3],"unused":true,"mod":7}"#, "10"),
        (
            "delete-file",
            r#"{"path":"a"}"#,
            "Error: the tool `delete-file` needs approval, which was not given.",
        ),
        ("open_ticket", r#"{"title":"Rain"}"#, "Rain at Kiosk by open_ticket"),
        ("add", r#"{"a":1}"#, "11"),
        ("twice", r#"{"n":4}"#, "8"),
    ];
    let expected = calls.map(|(_, _, expected)| expected.to_owned());
    let calls = calls.map(|(name, arguments, _)| ToolCall::new(name, name, arguments));
    let contents =
        |answers: Vec<ToolMessage>| answers.iter().map(|one| one.content.to_string()).collect::<Vec<_>>();
    assert_eq!(contents(source.dispatch(&calls).await), expected);
    assert_eq!(contents(expanded.dispatch(&calls).await), expected);
}
