//! The tool that runs programs.

use crate::declarations::{declarations, program_tools};
use crate::engine::{Engine, Program, ProgramTool};
use crate::found_tools::FoundTools;
use crate::limits::Limits;
use crate::program_run::ProgramRun;
use crate::quick_js::QuickJs;
use crate::report::report;
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use tool_runtime::registry::Annotations;
use tool_runtime::{CallContext, DynamicTool, Registry, ToolOutput};

/// A tool that runs programs of the model, which call the tools of a registry.
///
/// See the [crate documentation](crate) for an example.
#[derive(Clone)]
#[must_use = "add it to a registry: `Registry::builder().dynamic(code.tool())`"]
pub struct CodeTool {
    registry: Registry,
    engine: Arc<dyn Engine>,
    limits: Limits,
    name: String,
    max_declared: usize,
}

impl CodeTool {
    /// Programs in JavaScript ([`QuickJs`]) that call the tools of this registry.
    ///
    /// The model does not see these tools itself. To let it call some of them directly as well, [merge](Registry::merge) them into
    /// the registry of the run.
    pub fn new(registry: Registry) -> Self {
        CodeTool {
            registry,
            engine: Arc::new(QuickJs),
            limits: Limits::default(),
            name: "run_code".to_owned(),
            max_declared: 40_000,
        }
    }

    /// Sets the engine. Default: [`QuickJs`].
    pub fn engine(mut self, engine: impl Engine) -> Self {
        self.engine = Arc::new(engine);
        self
    }

    /// Sets the limits of each program. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the name of the tool. Default: `run_code`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the length of the declarations of all tools, in bytes, above which the description has only the names of the tools, and
    /// programs search the declarations. Default: 40,000, which is about 10,000 tokens.
    pub fn max_declared_bytes(mut self, bytes: usize) -> Self {
        self.max_declared = bytes;
        self
    }

    /// The tool. It is [resumable](DynamicTool::resumable), `read_only` if all tools of the registry are, and `destructive` or
    /// `open_world` if one of them is.
    #[must_use]
    pub fn tool(self) -> DynamicTool {
        let declared = declarations(&*self.engine, &self.registry);
        let description = self.description(&declared);
        let annotations = self.annotations();
        let parameters = json!({
            "type": "object",
            "properties": { "code": { "type": "string", "description": "The program." } },
            "required": ["code"],
            "additionalProperties": false,
        });
        let (name, runner) = (self.name.clone(), Arc::new(Runner::new(self, declared)));
        let run = move |arguments: Map<String, Value>, call: CallContext| {
            let runner = Arc::clone(&runner);
            async move {
                let code = arguments.get("code").and_then(Value::as_str).unwrap_or_default();
                runner.run(code, &call).await
            }
        };
        DynamicTool::with_context(name, description, parameters, run).annotations(annotations).resumable()
    }

    fn description(&self, declared: &[String]) -> String {
        let instructions = self.engine.instructions(&self.limits);
        let all = declared.join("\n");
        if all.len() <= self.max_declared {
            return format!("{instructions}\nThe tools:\n{all}");
        }
        let names = self.registry.names().join(", ");
        let search = self.engine.search_instructions();
        format!("{instructions}\n{search} The tools: {names}")
    }

    fn annotations(&self) -> Annotations {
        let tools = || self.registry.names().into_iter().filter_map(|name| self.registry.tool(name));
        let mut annotations = Annotations::default();
        annotations.read_only = tools().all(|tool| tool.annotations.is_read_only()).then_some(true);
        annotations.destructive = tools().any(|tool| tool.annotations.is_destructive()).then_some(true);
        annotations.open_world = tools().any(|tool| tool.annotations.is_open_world()).then_some(true);
        annotations
    }
}

impl fmt::Debug for CodeTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CodeTool { registry, limits, name, .. } = self;
        f.debug_struct("CodeTool")
            .field("name", name)
            .field("registry", registry)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}

/// The parts of the tool that each call uses.
struct Runner {
    registry: Registry,
    engine: Arc<dyn Engine>,
    limits: Limits,
    tools: Vec<ProgramTool>,
    found_tools: FoundTools,
}

impl Runner {
    fn new(tool: CodeTool, declared: Vec<String>) -> Self {
        let CodeTool { registry, engine, limits, .. } = tool;
        let tools = program_tools(&registry);
        let found_tools = FoundTools::new(&registry, declared);
        Runner { registry, engine, limits, tools, found_tools }
    }

    async fn run(&self, code: &str, call: &CallContext) -> Result<ToolOutput, String> {
        let Runner { registry, engine, limits, tools, found_tools } = self;
        let program = Program::new(without_fence(code), tools.clone(), limits.clone());
        let run = ProgramRun { program, engine: &**engine, registry, found_tools, call };
        let (outcome, made) = run.run().await;
        report(outcome, &made, limits.output)
    }
}

/// A program without the Markdown fence around it. Its lines keep their numbers.
fn without_fence(code: &str) -> String {
    let trimmed = code.trim_start();
    let before = &code[..code.len() - trimmed.len()];
    let fenced = trimmed.strip_prefix("```").and_then(|fenced| fenced.split_once('\n'));
    match fenced {
        Some((language, inner)) if !language.contains('`') => {
            let inner = inner.trim_end();
            format!("{before}\n{}", inner.strip_suffix("```").unwrap_or(inner))
        }
        _ => code.to_owned(),
    }
}
