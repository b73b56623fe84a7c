//! A chat about the products and orders of a shop: an axum server, tools on a database, and one page. See README.md.

mod chat;
mod database;
mod events;
mod inspector;
mod origin;
mod request_error;
mod script;
mod server;
mod sessions;
mod tools;
mod users;
mod view;

use database::Database;
use examples::model::Model;
use sessions::Sessions;
use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tool_runtime::Registry;
use tool_runtime::dispatch::CancellationToken;
use tool_runtime_inspector::LiveRuns;

/// The time to store the sessions when the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

struct Shop {
    database: Database,
    model: Model,
    registry: Registry,
    sessions: Sessions,
    /// The tasks of all runs.
    runs: TaskTracker,
    /// The same runs on the page for developers; `None` without that page.
    live_runs: Option<LiveRuns>,
    /// Cancels all runs.
    stopping: CancellationToken,
}

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn Error>> {
    let path = env::var("SHOP_DATABASE").unwrap_or_else(|_| "shop.db".to_owned());
    let database = Database::open(&path).map_err(|error| format!("cannot open {path}: {}", error.0))?;
    let port = match env::var("SHOP_PORT") {
        Ok(port) => port.parse().map_err(|_| format!("SHOP_PORT is not a port: {port}"))?,
        Err(_) => 3000,
    };
    let shop = Arc::new(Shop {
        model: Model::from_env(script::model())?,
        registry: tools::registry(database.clone())?,
        sessions: Sessions::new(database.clone()),
        database,
        runs: TaskTracker::new(),
        live_runs: env::var_os("SHOP_INSPECTOR").map(|_| LiveRuns::new()),
        stopping: CancellationToken::new(),
    });
    // Only programs of this machine can connect, since there is no login.
    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| format!("cannot listen on port {port}: {error}; set SHOP_PORT to another one"))?;
    println!("Model: {}", shop.model);
    println!("Open http://{} and press Ctrl-C to stop.", listener.local_addr()?);
    if shop.live_runs.is_some() {
        println!("For developers: http://{}/inspector", listener.local_addr()?);
    }

    let stopping = shop.stopping.clone();
    tokio::spawn(async move {
        asked_to_stop().await;
        stopping.cancel();
    });
    let stopped = shop.stopping.clone().cancelled_owned();
    let server = axum::serve(listener, server::routes(shop.clone())).with_graceful_shutdown(stopped);
    let server = tokio::spawn(server.into_future());
    shop.stopping.cancelled().await;
    shop.runs.close();
    // A client that does not read its response must not keep the server alive.
    let _ = timeout(STOP_TIMEOUT, async { tokio::join!(server, shop.runs.wait()) }).await;
    println!("Stopped.");
    Ok(())
}

/// Waits for Ctrl-C, or for the signal with which a supervisor stops the process.
async fn asked_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = interrupted => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    let _ = interrupted.await;
}
