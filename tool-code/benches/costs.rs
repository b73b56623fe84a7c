//! The costs of programs: the tokens of declarations, the tokens of one task in three ways, and the time of a call.
//!
//! `cargo bench -p tool-runtime-code`. With `TOOL_CORPORA`, a folder of recorded definitions, it also counts the tokens of 20 and 100
//! tools of MCP servers.

#[path = "../examples/report/shop.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod shop;

use serde_json::{Value, json};
use shop::{OVERDUE, Outbox};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tool_runtime::message::Message;
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, DynamicTool, Registry, Session, ToolCall, tool, tools};
use tool_runtime_code::{CodeTool, Engine, Limits, QuickJs, Worker};
use tool_runtime_testing::ScriptedModel;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    task_in_three_ways().await?;
    match std::env::var_os("TOOL_CORPORA") {
        Some(folder) => declarations(Path::new(&folder))?,
        None => println!("skipped: the tokens of recorded definitions, since TOOL_CORPORA is not set"),
    }
    times().await
}

fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

fn tokens_of(value: &impl serde::Serialize) -> Result<usize> {
    Ok(tokens(&serde_json::to_string(value)?))
}

fn with_code(tools: Registry, engine: impl Engine) -> Result<Registry> {
    let limits = Limits::default().calls(usize::MAX).compute_time(Duration::from_secs(60));
    Ok(Registry::builder().dynamic(CodeTool::new(tools).engine(engine).limits(limits).tool()).build()?)
}

/// The calls of the program, by the replies of a model that calls the tools itself.
fn calls_of_task() -> Vec<Vec<ToolCall>> {
    let mut number = 0;
    let mut call = |tool: &str, arguments: Value| {
        number += 1;
        ToolCall::new(format!("call_{number}"), tool, arguments.to_string())
    };
    let list = vec![call("list_customers", json!({}))];
    let orders = (1..=10).map(|customer| call("list_orders", json!({ "customer": customer }))).collect();
    let numbers = (1..=10)
        .filter(|customer| *customer != 4)
        .flat_map(|customer| [customer * 10 + 1, customer * 10 + 2]);
    let invoices = numbers.map(|order| call("get_invoice", json!({ "order": order }))).collect();
    vec![list, orders, invoices]
}

async fn task_in_three_ways() -> Result<()> {
    let tools = shop::registry(&Outbox::default())?;
    let calls = calls_of_task();
    let count: usize = calls.iter().map(Vec::len).sum();
    let done = || AssistantMessage::from_text("Done.");
    let one_by_one = calls.iter().flatten().map(|call| AssistantMessage::from_tool_calls([call.clone()]));
    let together = calls.iter().map(|calls| AssistantMessage::from_tool_calls(calls.clone()));
    let program = ToolCall::new(
        "call_1",
        "run_code",
        json!({ "code": format!("{OVERDUE}\nreturn overdue") }).to_string(),
    );
    let code = with_code(tools.clone(), QuickJs)?;
    println!("{count} calls | requests | input tokens | output tokens");
    for (way, registry, replies) in [
        ("one call in each reply", &tools, one_by_one.chain([done()]).collect::<Vec<_>>()),
        ("parallel calls", &tools, together.chain([done()]).collect()),
        ("one program", &code, vec![AssistantMessage::from_tool_calls([program]), done()]),
    ] {
        let model = ScriptedModel::new(replies);
        let mut session =
            Session::new().system("You help the accountant of a shop.").user("Which customers owe us money?");
        let run = session.run(registry).max_replies(100).complete(|request| model.complete(request));
        assert_eq!(run.await?, RunEnd::Answered);
        let requests = model.requests();
        let input: usize = requests.iter().map(tokens_of).sum::<Result<usize>>()?;
        let output = session.messages().iter().map(|message| match message {
            Message::Assistant(reply) => {
                tokens(reply.text())
                    + reply.tool_calls.iter().map(|call| tokens(&call.arguments) + 10).sum::<usize>()
            }
            _ => 0,
        });
        println!("{way} | {} | {input} | {}", requests.len(), output.sum::<usize>());
    }
    Ok(())
}

/// The tokens of a request's tools: their JSON Schemas, or one tool with their declarations.
fn declarations(folder: &Path) -> Result<()> {
    let text = std::fs::read_to_string(folder.join("mcp_tools.jsonl"))?;
    let rows: Vec<Value> = text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
    println!("tools | JSON Schemas | declarations");
    for range in [0..20, 200..220, 276..296, 0..100, 196..296] {
        let tools = rows[range.clone()].iter().map(|row| {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let tool =
                DynamicTool::new(text("name"), text("description"), row["inputSchema"].clone(), |_| async {
                    Ok::<_, String>("")
                });
            if row["outputSchema"].is_object() {
                tool.output_schema(row["outputSchema"].clone())
            } else {
                tool
            }
        });
        let builder = Registry::builder().rename_invalid_names(true).skip_invalid_tools(true);
        let registry = tools.fold(builder, tool_runtime::RegistryBuilder::dynamic).build()?;
        let code = CodeTool::new(registry.clone()).max_declared_bytes(usize::MAX);
        let code = Registry::builder().dynamic(code.tool()).build()?;
        println!(
            "{} | {} | {}",
            registry.names().len(),
            tokens_of(&registry.schemas())?,
            tokens_of(&code.schemas())?
        );
    }
    Ok(())
}

/// Adds.
#[tool(read_only)]
fn add(a: i64, b: i64) -> i64 {
    a + b
}

const CALLS: u32 = 200;
const EMPTY: &str = "return 1";
const ONE_BY_ONE: &str =
    "let sum = 0; for (let i = 0; i < 200; i++) sum = await tools.add({ a: sum, b: 1 }); return sum";
const TOGETHER: &str =
    "return (await Promise.all(Array.from({ length: 200 }, (_, i) => tools.add({ a: i, b: 1 })))).length";

async fn times() -> Result<()> {
    let tools = Registry::new(tools![add])?;
    let mut dispatch = Duration::MAX;
    for _ in 0..30 {
        let started = Instant::now();
        for i in 0..CALLS {
            let call = ToolCall::new("call_1", "add", format!(r#"{{"a":{i},"b":1}}"#));
            std::hint::black_box(tools.dispatch(&[call]).await);
        }
        dispatch = dispatch.min(started.elapsed() / CALLS);
    }
    println!("a dispatch takes {dispatch:.2?}; in its times:");
    println!("engine | program without calls | call, one by one | call, together");
    let worker = Worker::new(env!("CARGO_BIN_EXE_tool-runtime-code-worker"));
    for (name, engine) in
        [("in the process", Arc::new(QuickJs) as Arc<dyn Engine>), ("in a worker", Arc::new(worker))]
    {
        let registry = with_code(tools.clone(), engine)?;
        let mut least = [Duration::MAX; 3];
        for _ in 0..30 {
            for (least, code) in least.iter_mut().zip([EMPTY, ONE_BY_ONE, TOGETHER]) {
                let started = Instant::now();
                let result = registry.call("run_code", json!({ "code": code })).await;
                assert!(!result.is_error(), "{}", result.text());
                *least = (*least).min(started.elapsed());
            }
        }
        let ratio = |time: Duration| time.as_secs_f64() / dispatch.as_secs_f64();
        let [empty, one_by_one, together] = least;
        let of_call = |time: Duration| ratio(time.saturating_sub(empty)) / f64::from(CALLS);
        println!(
            "{name} | {:.0} ({empty:.2?}) | {:.1} | {:.1}",
            ratio(empty),
            of_call(one_by_one),
            of_call(together)
        );
    }
    Ok(())
}
