//! The HTTP server of a worker.

use restate_sdk::prelude::{Endpoint, HttpServer};
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpSocket;

/// The connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Serves an endpoint until the process receives SIGINT or SIGTERM. Then it accepts no further requests, and returns after at most 10
/// seconds: calls that still run are interrupted.
///
/// It is [`HttpServer`](restate_sdk::http_server::HttpServer) without the delay of small packets (Nagle's algorithm), which would add up to
/// 40 ms to each step of a session, and with an error in place of a panic.
///
/// # Errors
///
/// The address is in use, or cannot be used.
pub async fn serve(endpoint: Endpoint, address: SocketAddr) -> io::Result<()> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // The connections inherit it.
    socket.set_nodelay(true)?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    let in_use = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
    socket.bind(address).map_err(in_use)?;
    HttpServer::new(endpoint).serve_with_cancel(socket.listen(BACKLOG)?, stop_signal()).await;
    Ok(())
}

#[cfg(unix)]
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};

    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

#[cfg(not(unix))]
async fn stop_signal() {
    let _ = tokio::signal::ctrl_c().await;
}
