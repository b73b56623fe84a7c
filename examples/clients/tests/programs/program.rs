//! The programs.

/// One of the programs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// The path of the executable.
    pub(crate) path: &'static str,
    pub(crate) source: &'static str,
    /// The crate of its client.
    pub(crate) client: &'static str,
    /// The prefix of its environment variables.
    pub(crate) variables: &'static str,
    /// The path of its base URL.
    pub(crate) base: &'static str,
}

macro_rules! programs {
    ($($name:literal $client:literal $variables:literal $base:literal,)*) => {
        &[$(Program {
            name: $name,
            path: env!(concat!("CARGO_BIN_EXE_", $name)),
            source: include_str!(concat!("../../src/bin/", $name, ".rs")),
            client: $client,
            variables: $variables,
            base: $base,
        },)*]
    };
}

pub(crate) const PROGRAMS: &[Program] = programs![
    "anthropic" "reqwest" "ANTHROPIC" "",
    "async_openai" "async-openai" "OPENAI" "/v1",
    "async_openai_streamed" "async-openai" "OPENAI" "/v1",
    "bedrock" "reqwest" "BEDROCK" "",
    "gemini" "reqwest" "GEMINI" "",
    "gemini_interactions" "reqwest" "GEMINI" "",
    "genai" "genai" "OPENAI" "/v1",
    "ollama" "reqwest" "OLLAMA" "",
    "openai_oxide" "openai-oxide" "OPENAI" "/v1",
    "reqwest" "reqwest" "OPENAI" "/v1",
    "reqwest_streamed" "reqwest" "OPENAI" "/v1",
    "responses" "reqwest" "OPENAI" "/v1",
    "tool_runtime_client" "tool-runtime-client" "OPENAI" "/v1",
    "ureq" "ureq" "OPENAI" "/v1",
];
