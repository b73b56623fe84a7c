//! A program that ends at random moments until it has charged all orders. Each order is charged once.
//!
//! `cargo run -p tool-runtime-durable --example orders` starts the program as a child process again and again, and prints the
//! charges at the end. `cargo run -p tool-runtime-durable --example orders 7` repeats the random moments of the seed 7.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, abort};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tool_runtime::conversation::Request;
use tool_runtime::session::RunEnd;
use tool_runtime::{
    AssistantMessage, CallContext, Registry, RunContext, Session, ToolCall, history, tool, tools,
};
use tool_runtime_durable::{DurableRun as _, FileJournal};
use tool_runtime_testing::{ScriptedModel, ScriptedModelError, ScriptedReply};

const ORDERS: [u32; 5] = [1, 2, 3, 4, 5];
/// More than enough: a process executes eight steps on average.
const MAX_PROCESSES: u32 = 100;

/// A payment service in a file: each request adds a line with its order and its idempotency key. (A real service ignores a
/// second request with the same key.)
struct Payments(PathBuf);

impl Payments {
    /// Charges an order.
    fn charge(&self, order: u32, key: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(&self.0)?;
        file.write_all(format!("{order} {key}\n").as_bytes())
    }

    /// All charges: the order and the key.
    fn charges(&self) -> io::Result<Vec<(u32, String)>> {
        let text = match fs::read_to_string(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text?,
        };
        let charge = |line: &str| {
            let (order, key) = line.split_once(' ')?;
            Some((order.parse().ok()?, key.to_owned()))
        };
        Ok(text.lines().filter_map(charge).collect())
    }
}

/// The number of steps after which the process ends.
struct Steps(AtomicU32);

impl Steps {
    /// Prints a step, and ends the process like `kill -9` if it is the last one.
    fn step(&self, text: &str) {
        println!("  {text}");
        if self.0.fetch_sub(1, Ordering::Relaxed) == 1 {
            println!("  *** the process ends here");
            abort();
        }
    }
}

/// Charges an order.
#[tool(destructive)]
async fn charge(
    order: u32,
    #[state] payments: &Payments,
    #[state] steps: &Arc<Steps>,
    #[context] call: &CallContext,
) -> Result<(), String> {
    let key = call.idempotency_key().ok_or("the context has no run id")?;
    steps.step(&format!("order {order}: before the charge"));
    tokio::time::sleep(Duration::from_millis(5)).await;
    payments.charge(order, &key).map_err(|error| error.to_string())?;
    steps.step(&format!("order {order}: after the charge"));
    Ok(())
}

/// Finds out whether an order is charged.
#[tool(read_only)]
fn find_charge(
    order: u32,
    #[state] payments: &Payments,
    #[state] steps: &Arc<Steps>,
) -> Result<bool, String> {
    steps.step(&format!("order {order}: the search for its charge, which was interrupted"));
    let charges = payments.charges().map_err(|error| error.to_string())?;
    Ok(charges.iter().any(|charge| charge.0 == order))
}

/// The reply of the model: it charges two orders at a time. After an error, it looks for the charge before it tries again.
fn reply(request: &Request) -> AssistantMessage {
    let mut next: BTreeMap<u32, Option<&str>> =
        ORDERS.into_iter().map(|order| (order, Some("charge"))).collect();
    for (call, result) in history::pairs(request.messages()) {
        let arguments: BTreeMap<String, u32> = serde_json::from_str(&call.arguments).unwrap_or_default();
        let Some(&order) = arguments.get("order") else { continue };
        let step = match (&*call.name, result.text()) {
            ("charge", _) if result.is_error() => Some("find_charge"),
            ("find_charge", "false") => Some("charge"),
            _ => None,
        };
        next.insert(order, step);
    }
    let calls = next.into_iter().filter_map(|(order, step)| Some((order, step?))).take(2);
    // Many servers count the ids from `call_0` in each reply.
    let calls: Vec<_> = calls
        .enumerate()
        .map(|(index, (order, tool))| {
            ToolCall::new(format!("call_{index}"), tool, format!(r#"{{"order":{order}}}"#))
        })
        .collect();
    if calls.is_empty() {
        AssistantMessage::from_text("All orders are charged.")
    } else {
        AssistantMessage::from_tool_calls(calls)
    }
}

/// The program that ends after so many steps.
#[tokio::main(flavor = "current_thread")]
async fn charge_orders(folder: &Path, steps: u32) -> Result<(), Box<dyn Error>> {
    let steps = Arc::new(Steps(AtomicU32::new(steps)));
    let journal = FileJournal::open(folder.join("journal"))?;
    let registry = Registry::builder()
        .tools(tools![charge, find_charge])
        .state(Payments(folder.join("payments")))
        .state(Arc::clone(&steps))
        .build()?
        .with(&RunContext::new().run_id("orders-of-today"));
    let model = ScriptedModel::repeat(ScriptedReply::from_fn(reply));
    // A program with a database loads its stored session here.
    let mut session = Session::new().user("Charge the orders 1 to 5.");
    let run = session.run(&registry).journal(&journal);
    let end = run.complete(async |request| {
        steps.step("a request to the model");
        let reply = model.complete(request).await?;
        steps.step("a reply of the model");
        Ok::<_, ScriptedModelError>(reply)
    });
    match end.await? {
        RunEnd::Answered => println!("  {}", session.final_text()),
        end => return Err(format!("no answer: {end}").into()),
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [folder, steps] = &*arguments {
        return charge_orders(Path::new(folder), steps.parse()?);
    }
    let seed = match &*arguments {
        [seed] => seed.parse()?,
        _ => fastrand::u64(..1000),
    };
    println!("seed {seed}");
    let folder = std::env::temp_dir().join(format!("orders-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut random = fastrand::Rng::with_seed(seed);
    for number in 1..=MAX_PROCESSES {
        println!("process {number}");
        let mut child = Command::new(std::env::current_exe()?);
        match child.arg(&folder).arg(random.u32(1..16).to_string()).status()?.code() {
            Some(0) => break,
            Some(1 | 101) => return Err("the process has failed".into()),
            _ => {} // It has ended itself.
        }
    }
    let charges = Payments(folder.join("payments")).charges()?;
    println!("the charges of {} orders:", ORDERS.len());
    for (order, key) in &charges {
        println!("  order {order}, with the key {key}");
    }
    fs::remove_dir_all(&folder)?;
    let mut orders: Vec<u32> = charges.iter().map(|charge| charge.0).collect();
    orders.sort_unstable();
    if orders == ORDERS { Ok(()) } else { Err("an order is not charged once".into()) }
}
