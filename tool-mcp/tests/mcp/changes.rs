//! A server that changes when a client has just begun to listen.

use crate::peer::{Peer, meta};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tool_runtime::{Registry, tools};
use tool_runtime_mcp::rmcp::model::{ClientJsonRpcMessage, Resource, ServerJsonRpcMessage};
use tool_runtime_mcp::rmcp::{RoleServer, transport::Transport};
use tool_runtime_mcp::{Server, ServerHandle, serve};
use tower_service::Service as _;

const STOCK: &str = "shop://stock";

fn server() -> Server {
    let stock = |_| async { Ok::<_, &str>("12 hammers") };
    serve(Registry::new(tools![]).expect("valid")).resource(Resource::new(STOCK, "stock"), stock)
}

/// A request to listen to all changes.
fn listen(id: u64) -> Value {
    let wanted = json!({"toolsListChanged": true, "resourceSubscriptions": [STOCK]});
    let params = json!({"notifications": wanted, "_meta": meta()});
    json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
}

fn change(server: &ServerHandle) {
    server.replace(Registry::new(tools![]).expect("valid"));
    server.resource_updated(STOCK);
}

/// Changes the server as soon as the client has the acknowledgement.
struct ChangesWhenAcknowledged {
    requests: UnboundedReceiver<ClientJsonRpcMessage>,
    sent: UnboundedSender<Value>,
    server: ServerHandle,
}

impl Transport<RoleServer> for ChangesWhenAcknowledged {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        let message = serde_json::to_value(message).expect("it is JSON");
        let is_acknowledgement = message["method"] == "notifications/subscriptions/acknowledged";
        // The test may have ended.
        self.sent.send(message).ok();
        if is_acknowledgement {
            change(&self.server);
        }
        ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.requests.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

#[tokio::test]
async fn a_client_is_notified_of_a_change_that_follows_the_acknowledgement() {
    let server = server();
    let ((requests, received), (sent, mut messages)) = (unbounded_channel(), unbounded_channel());
    let transport = ChangesWhenAcknowledged { requests: received, sent, server: server.handle() };
    tokio::spawn(server.run(transport));
    for id in 1..=2 {
        requests.send(serde_json::from_value(listen(id)).expect("a request")).expect("the server runs");
        let mut notified = Vec::new();
        while notified.len() < 3 {
            let message = tokio::time::timeout(Duration::from_secs(10), messages.recv()).await;
            let message = message.ok().flatten().unwrap_or_else(|| panic!("only {notified:?} have arrived"));
            // The subscriptions of both requests are notified.
            if message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == id {
                notified.push(message["method"].as_str().unwrap_or_default().to_owned());
            }
        }
        notified.sort();
        let changes = ["resources/updated", "subscriptions/acknowledged", "tools/list_changed"];
        assert_eq!(notified, changes.map(|change| format!("notifications/{change}")));
    }
}

#[tokio::test]
async fn a_client_that_listens_over_http_is_notified_of_changes() {
    let server = server();
    let handle = server.handle();
    let request = axum::extract::Request::post("http://localhost/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "subscriptions/listen")
        .body(axum::body::Body::from(listen(1).to_string()));
    let response = server.http_service().call(request.expect("valid")).await.expect("a response");
    let mut events = axum::body::Body::new(response.into_body()).into_data_stream();
    let mut received = String::new();
    let mut receive = async |method: &str| {
        while !received.contains(method) {
            let event = tokio::time::timeout(Duration::from_secs(10), events.next()).await;
            let event = event.ok().flatten().unwrap_or_else(|| panic!("{method} is missing: {received}"));
            received += &String::from_utf8_lossy(&event.expect("the stream is open"));
        }
    };
    receive("notifications/subscriptions/acknowledged").await;
    change(&handle);
    receive("notifications/tools/list_changed").await;
    receive("notifications/resources/updated").await;
}

#[tokio::test]
async fn a_client_is_notified_of_a_change_that_follows_its_initialization() {
    let server = server();
    let handle = server.handle();
    let mut client = Peer::connect_to(server).await;
    // The server has not read yet that the client is initialized.
    change(&handle);
    let notified = client.receive("method", "notifications/tools/list_changed");
    assert!(tokio::time::timeout(Duration::from_secs(10), notified).await.is_ok(), "it is not notified");
}
