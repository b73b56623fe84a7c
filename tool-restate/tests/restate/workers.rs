//! Worker processes, and the balancer in front of them.

use crate::ledger::{self, LEDGER, What};
use crate::process::Process;
use crate::server::free_port;
use crate::{model, tools};
use futures_util::Stream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tool_runtime::conversation::Request;
use tool_runtime::stream::Chunk;
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_restate::{Agent, Calls, Endpoint, PermanentError, serve};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

/// The variable of the environment with the role of a process.
pub(crate) const ROLE: &str = "RESTATE_ROLE";

/// The variable with the address of a worker.
const ADDRESS: &str = "RESTATE_ADDRESS";

/// The version of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Version {
    First,
    /// With other tools.
    Next,
    /// With the model of the measurements.
    Follow,
    /// With names, a system message, a listener, streamed replies, and tools on another service.
    Shop,
    /// The other service.
    Warehouse,
}

impl Version {
    fn role(self) -> &'static str {
        match self {
            Version::First => "worker",
            Version::Next => "next worker",
            Version::Follow => "following worker",
            Version::Shop => "shop",
            Version::Warehouse => "warehouse",
        }
    }
}

/// The process of a worker; `false` if the role is another one.
pub(crate) async fn play(role: &str) -> bool {
    let agent = match role {
        "worker" => Agent::new(tools::registry().expect("the tools"), model::complete),
        "next worker" => Agent::new(tools::next::registry().expect("the tools"), model::complete),
        "following worker" => Agent::new(tools::registry().expect("the tools"), model::follow)
            .retry_requests_for(Duration::from_secs(2))
            .idempotency_retention(Duration::from_secs(1)),
        "shop" => shop(),
        "warehouse" => return serve_endpoint(warehouse().endpoint()).await,
        _ => return false,
    };
    serve_endpoint(agent.endpoint()).await
}

async fn serve_endpoint(endpoint: Endpoint) -> bool {
    let address = std::env::var(ADDRESS).expect("an address").parse().expect("an address");
    serve(endpoint, address).await.expect("the address is free");
    true
}

/// The prefix of the texts of a warehouse.
struct Shelf(String);

/// Picks an order from its shelf.
#[tool(destructive)]
fn pick(order: &str, #[state] shelf: &Shelf) -> String {
    format!("{order} from {}", shelf.0)
}

fn shop() -> Agent {
    let registry = Registry::builder().tools(tools![pick]).state_per_run::<Shelf>().build().expect("a tool");
    let calls = Calls::new(registry.clone()).name("ShopCalls").expect("a name");
    // The state is checked before a call is handed out.
    let calls = calls.context(|_| RunContext::new().state(Shelf(String::new())));
    Agent::streaming(registry, stream)
        .name("Shop")
        .expect("a name")
        .calls(calls)
        .run_on("pick", "WarehouseCalls")
        .first(|| Session::new().system("You run a shop."))
        .configure(|run| run.max_replies(3))
        .on_event(|session, event| {
            ledger::write(What::Event, session, "", &serde_json::to_string(event).expect("an event is JSON"));
        })
}

fn warehouse() -> Calls {
    let registry = Registry::builder().tools(tools![pick]).state_per_run::<Shelf>().build().expect("a tool");
    let calls = Calls::new(registry).name("WarehouseCalls").expect("a name");
    calls.context(|session| RunContext::new().state(Shelf(format!("shelf of {session}"))))
}

/// Calls `pick` until the limit of replies, unless the user asks for an error.
async fn stream(request: Request) -> Result<impl Stream<Item = Chunk> + Send, PermanentError> {
    if request.messages().last().is_some_and(|message| message.text() == "fail") {
        return Err(PermanentError::new("the key is wrong"));
    }
    let call = ToolCall::new("call_0", "pick", r#"{"order":"7"}"#);
    let model = ScriptedModel::new([ScriptedReply::from(AssistantMessage::from_tool_calls([call]))]);
    model.stream(request).await.map_err(|error| PermanentError::new(error.to_string()))
}

/// The command that starts a worker.
pub(crate) fn command(version: Version, address: &str, ledger: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.env(ROLE, version.role()).env(ADDRESS, address).env(LEDGER, ledger);
    command
}

pub(crate) struct Workers {
    pub(crate) processes: Vec<Process>,
    addresses: Vec<String>,
    ledger: PathBuf,
    /// The address of the balancer.
    pub(crate) address: String,
}

impl Workers {
    pub(crate) async fn start(count: usize, version: Version, folder: &Path) -> Self {
        let addresses: Vec<_> =
            (0..count).map(|_| format!("127.0.0.1:{}", free_port().expect("a free port"))).collect();
        let ledger = folder.join("ledger");
        let process = |address: &String| {
            let (address, ledger) = (address.clone(), ledger.clone());
            Process::start(folder.join("workers.log"), move || command(version, &address, &ledger))
        };
        let processes = addresses.iter().map(process).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(balance(listener, addresses.clone()));
        Workers { processes, addresses, ledger, address }
    }

    /// Replaces the workers by those of another version, at once.
    pub(crate) fn deploy(&mut self, version: Version) {
        for (process, address) in self.processes.iter_mut().zip(&self.addresses) {
            let (address, ledger) = (address.clone(), self.ledger.clone());
            process.replace(move || command(version, &address, &ledger));
            process.kill();
            process.restart();
        }
    }
}

/// Passes each connection to the next worker that accepts it.
async fn balance(listener: TcpListener, workers: Vec<String>) {
    let (workers, next) = (Arc::new(workers), Arc::new(AtomicUsize::new(0)));
    while let Ok((mut client, _)) = listener.accept().await {
        let (workers, next) = (Arc::clone(&workers), Arc::clone(&next));
        tokio::spawn(async move {
            for _ in 0..workers.len() {
                let worker = &workers[next.fetch_add(1, Ordering::Relaxed) % workers.len()];
                if let Ok(mut server) = TcpStream::connect(worker).await {
                    let _ = copy_bidirectional(&mut client, &mut server).await;
                    return;
                }
            }
        });
    }
}
