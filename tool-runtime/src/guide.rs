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
//! | [`long_sessions`] | limits, budgets, messages during a run, compaction, long results |
//! | [`many_tools`] | a search among tools, fewer tools in a request |
//! | [`testing`] | tests without a model, and of changes of definitions |
//! | [`providers`] | Anthropic, Bedrock, Gemini, Ollama, OpenAI, and clients of your own |
//! | [`own_loop`] | only the definitions and the results; a tool layer that is written by hand |
//! | [`mcp`] | servers and clients of the Model Context Protocol |
//! | [`crashes`] | stored sessions, a journal, at most one effect |
//! | [`many_machines`] | workers, deployments, queues |
//! | [`code_mode`] | one program of the model in place of many calls |
//! | [`tasks`] | each task with its items |
//! | [`error_messages`] | each error message for the model |
//! | [`expansion`] | the code that `#[tool]` generates, and its costs |
//!
//! The programs use [`Model`](providers#with-tool-runtime-client) of the package `tool-runtime-client`. A program with a client of its
//! own replaces `.model(&model)` by `.complete(|request| ..)`: see [`providers`]. Where the text of the model matters, a `ScriptedModel` of
//! `tool-runtime-testing` takes its place. All programs are compiled as tests.

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
    testing providers own_loop mcp crashes many_machines code_mode tasks error_messages expansion
}
