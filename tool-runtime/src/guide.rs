//! A guide: a chapter for each task, with programs to copy.
//!
//! New here? Read [`first_tool`], [`errors`] and [`approvals`], then the chapters that your program needs. [`tasks`] lists what the
//! crate does, with the item for each.
//!
//! | Chapter | Content |
//! | --- | --- |
//! | [`first_tool`] | dependencies, a tool, a model, what the model reads, a chat in a terminal |
//! | [`state`] | databases, users and contexts in tools |
//! | [`errors`] | what the model reads, and what the program reads |
//! | [`approvals`] | a person decides, now or days later; rules; questions; the order of effects |
//! | [`streaming`] | server-sent events of a run, on a page |
//! | [`server`] | sessions in a database, two requests at once, users who leave |
//! | [`stopping`] | Ctrl-C, time limits, graceful stop of a server |
//! | [`audit`] | one event for each call, traces |
//! | [`secrets`] | redaction, secrets in arguments, where texts go |
//! | [`middleware`] | retries, a cache, marks around untrusted text, recording |
//! | [`typed_answers`] | an answer that is a value of a type |
//! | [`long_sessions`] | limits, budgets, messages during a run, compaction, long results, sub-agents |
//! | [`many_tools`] | a search among tools, fewer tools in a request |
//! | [`testing`] | tests without a model, and of changes of definitions |
//! | [`providers`] | Anthropic, Bedrock, Gemini, Ollama, OpenAI, and clients of your own |
//! | [`from_rig`] | the concepts of rig, and the defaults that differ |
//! | [`own_loop`] | only the definitions and the results; a tool layer that is written by hand |
//! | [`mcp`] | servers and clients of the Model Context Protocol |
//! | [`crashes`] | stored sessions, a journal, at most one effect |
//! | [`many_machines`] | workers, deployments, queues |
//! | [`code_mode`] | one program of the model in place of many calls |
//! | [`tasks`] | each task with its items |
//! | [`error_messages`] | each error message for the model |
//! | [`expansion`] | the code that `#[tool]` generates, and its costs |
//!
//! # The programs
//!
//! All programs are compiled as tests. Most use [`Model`](providers#with-tool-runtime-client) of the package `tool-runtime-client`; with
//! another client, replace `.model(&model)` by `.complete(|request| ..)`: see [`providers`]. Programs that check their results use a
//! `ScriptedModel` of `tool-runtime-testing` instead, which needs no server. A chapter names the dependencies that are not these:
//!
//! ```toml
//! [dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of each path.
//! tool-runtime = { path = "../tool-runtime/tool-runtime" }
//! tool-runtime-client = { path = "../tool-runtime/tool-client" }
//! tool-runtime-testing = { path = "../tool-runtime/tool-testing" } # in your program: below [dev-dependencies]
//! anyhow = "1"
//! schemars = "1"
//! serde = { version = "1", features = ["derive"] }
//! serde_json = "1"
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! | Package | Folder | Minimum Rust | Content |
//! | --- | --- | --- | --- |
//! | `tool-runtime-client` | `tool-client` | 1.85 | an HTTP client for every wire, with retries |
//! | `tool-runtime-mcp` | `tool-mcp` | 1.88 | servers and clients of the Model Context Protocol |
//! | `tool-runtime-testing` | `tool-testing` | 1.85 | a scripted model, and assertions |
//! | `tool-runtime-lock` | `tool-lock` | 1.85 | a test of changes of definitions |
//! | `tool-runtime-approval` | `tool-approval` | 1.85 | rules about calls in a settings file |
//! | `tool-runtime-compaction` | `tool-compaction` | 1.85 | long results and long sessions |
//! | `tool-runtime-durable` | `tool-durable` | 1.90 | a journal in a file, for crashes |
//! | `tool-runtime-restate` | `tool-restate` | 1.90 | sessions and calls on many machines |
//! | `tool-runtime-code` | `tool-code` | 1.87 | one program of the model in place of many calls |
//! | `tool-runtime-repair` | `tool-repair` | 1.85 | valid histories from any list of messages |
//! | `tool-runtime-inspector` | `tool-inspector` | 1.85 | a page that shows tools and sessions, and runs calls |

// Their programs need other packages, which the tests in `tests/guide` have.
macro_rules! chapters {
    ($($name:ident)*) => {
        $(
            #[cfg_attr(not(doctest), doc = include_str!(concat!("guide/", stringify!($name), ".md")))]
            pub mod $name {}
        )*
    };
}

chapters! {
    first_tool state errors approvals streaming server stopping audit secrets middleware typed_answers long_sessions many_tools
    testing providers from_rig own_loop mcp crashes many_machines code_mode tasks error_messages expansion
}
