//! The list of cases, and their execution.

use crate::schemas::size;
use crate::{
    anthropic, bedrock, calls, coercions, conversions, gemini, gemini_interactions, ollama, patterns,
    products, references, responses, search, sessions, sizes, texts, unions,
};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::Wire;
use tool_runtime::{AssistantMessage, DynamicTool, Registry};

/// A named case.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) prepare: Box<dyn Fn() -> Input + Send>,
}

impl Case {
    /// A case that reads a text.
    pub(crate) fn text(
        name: &'static str,
        text: impl Fn() -> String + Send + 'static,
        run: fn(&str) -> String,
    ) -> Self {
        let prepare = move || {
            let text = text();
            Input::Text { bytes: text.len(), run: Box::new(move || run(&text)) }
        };
        Case { name, prepare: Box::new(prepare) }
    }
}

/// Reads a reply from the lines of a text, each with an event.
pub(crate) fn assemble(wire: impl Wire + 'static, lines: &str) -> Result<AssistantMessage, String> {
    let mut assembler = ReplyAssembler::new().wire(wire);
    for line in lines.lines() {
        assembler.push(line);
    }
    assembler.into_reply().map_err(|error| error.to_string())
}

/// The input of a case, ready to be measured.
pub(crate) enum Input {
    Call(Call),
    Text { bytes: usize, run: Box<dyn FnOnce() -> String> },
    Task { bytes: usize, task: Pin<Box<dyn Future<Output = String>>> },
}

/// A tool with a hostile schema, and a call with hostile arguments.
#[derive(Default)]
pub(crate) struct Call {
    pub(crate) schema: Value,
    pub(crate) arguments: String,
    pub(crate) lenient: bool,
    pub(crate) strict: bool,
    pub(crate) closed: bool,
}

impl Input {
    pub(crate) fn len(&self) -> usize {
        match self {
            Input::Call(call) => size(&call.schema) + call.arguments.len(),
            Input::Text { bytes, .. } | Input::Task { bytes, .. } => *bytes,
        }
    }

    pub(crate) fn run(self) -> Pin<Box<dyn Future<Output = String>>> {
        match self {
            Input::Call(call) => Box::pin(call.run()),
            Input::Text { run, .. } => Box::pin(async { run() }),
            Input::Task { task, .. } => task,
        }
    }
}

impl Call {
    async fn run(self) -> String {
        let tool = DynamicTool::new("take", "", self.schema, |_| async { Ok::<_, String>(()) })
            .deny_unknown_arguments(self.closed);
        let builder = Registry::builder().dynamic(tool).lenient_arguments(self.lenient);
        let registry = match builder.build() {
            Ok(registry) => registry,
            Err(error) => return error.to_string(),
        };
        if self.strict {
            let [schema] = registry.schemas() else { return "no tool".to_owned() };
            let _ = (schema.openai_strict(), schema.anthropic_strict());
        }
        let result = registry.call("take", &self.arguments).await;
        result.failure().map_or_else(|| "accepted".to_owned(), ToString::to_string)
    }
}

pub(crate) fn all() -> Vec<Case> {
    let all = [
        references::cases(),
        unions::cases(),
        products::cases(),
        patterns::cases(),
        sizes::cases(),
        coercions::cases(),
        conversions::cases(),
        texts::cases(),
        anthropic::cases(),
        bedrock::cases(),
        calls::cases(),
        gemini::cases(),
        gemini_interactions::cases(),
        ollama::cases(),
        responses::cases(),
        search::cases(),
        sessions::cases(),
    ];
    all.into_iter().flatten().collect()
}
