//! The HTTP server of a worker.

use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::graceful::GracefulShutdown;
use restate_sdk::hyper::HyperEndpoint;
use restate_sdk::prelude::Endpoint;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// The connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// The pause after an error of the operating system, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// The time that requests have to end when the process stops.
const STOP_TIME: Duration = Duration::from_secs(10);

/// Serves an endpoint until the process receives SIGINT or SIGTERM. Then it accepts no further requests, and returns after at most 10
/// seconds: calls that still run are interrupted.
///
/// It differs from the [`HttpServer`](restate_sdk::http_server::HttpServer) of the SDK: small packets have no delay (Nagle's algorithm),
/// which would add up to 40 ms to each step of a session; an address in use is an error in place of a panic; and after an error while it
/// accepts a connection, it accepts further ones.
///
/// # Errors
///
/// The address is in use, or cannot be used.
pub async fn serve(endpoint: Endpoint, address: SocketAddr) -> io::Result<()> {
    let in_use = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
    let listener = listen(address).map_err(in_use)?;
    let endpoint = HyperEndpoint::new(endpoint);
    let connections = GracefulShutdown::new();
    let mut stop = pin!(stop_signal());
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = &mut stop => break,
        };
        let connection = http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), endpoint.clone());
        // The engine repeats the requests of a broken connection.
        tokio::spawn(connections.watch(connection));
    }
    drop(listener);
    let _ = timeout(STOP_TIME, connections.shutdown()).await;
    Ok(())
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // The connections inherit it.
    socket.set_nodelay(true)?;
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Waits for a connection, also after errors: those of a connection that has ended already, and those of the operating system.
async fn accept(listener: &TcpListener) -> TcpStream {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};

    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) => {
            }
            Err(_) => sleep(ACCEPT_PAUSE).await,
        }
    }
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
