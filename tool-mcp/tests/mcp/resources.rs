//! Resources of a server, as a client sees them.

use crate::peer::{Peer, meta};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime::message::Part;
use tool_runtime::{CallContext, Registry, RunContext, tool, tools};
use tool_runtime_mcp::rmcp::model::{Reference, Resource, ResourceTemplate};
use tool_runtime_mcp::{Completion, Server, serve};

struct User(&'static str);

/// A server with a resource of every kind.
fn shop() -> Server {
    let order = ResourceTemplate::new("shop://orders/{id}", "order").with_mime_type("application/json");
    let binary = Resource::new("shop://logo", "logo").with_mime_type("image/png");
    serve(Registry::new(tools![]).expect("valid"))
        .context_per_request(|_| RunContext::new().state(User("Ada")))
        .resource(Resource::new("shop://terms", "terms"), |request| async move {
            let user = request.run_context().get::<User>().map_or("nobody", |user| user.0);
            Ok::<_, &str>(format!("No returns, {user}."))
        })
        .resource(binary, |_| async { Ok::<_, &str>(vec![0x89_u8, b'P', b'N', b'G']) })
        .resource(Resource::new("shop://parts", "parts"), |_| async {
            Ok::<_, &str>(vec![
                Part::text("a"),
                Part::json(json!({"b": 1})),
                Part::image("image/gif", b"GIF89a"),
            ])
        })
        .resource(Resource::new("shop://fails", "fails"), |_| async { Err::<&str, _>("the shop is closed") })
        .resource(Resource::new("shop://panics", "panics"), |_| async {
            if true {
                panic!("a secret");
            }
            Ok::<_, &str>("")
        })
        .resource_template(order, |request| async move {
            let id = request.variable("id").unwrap_or_default();
            Ok::<_, &str>((id != "0").then(|| format!(r#"{{"order":"{id}"}}"#)))
        })
        .expect("the template is valid")
        .completion(
            Reference::for_resource("shop://orders/{id}"),
            "id",
            Completion::values(["A-1", "a-2", "B"]),
        )
}

async fn read(client: &mut Peer, id: u64, uri: &str) -> Value {
    client.request(id, "resources/read", json!({"uri": uri})).await
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let mut client = Peer::connect_to(shop()).await;
    let listed = client.request(1, "resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][0], json!({"uri": "shop://terms", "name": "terms"}));
    assert_eq!(listed["result"]["resources"].as_array().map(Vec::len), Some(5));
    let listed = client.request(2, "resources/templates/list", json!({})).await;
    let template =
        json!([{"uriTemplate": "shop://orders/{id}", "name": "order", "mimeType": "application/json"}]);
    assert_eq!(listed["result"]["resourceTemplates"], template);
    for (uri, expected) in [
        (
            "shop://terms",
            json!([{"uri": "shop://terms", "mimeType": "text/plain", "text": "No returns, Ada."}]),
        ),
        ("shop://logo", json!([{"uri": "shop://logo", "mimeType": "image/png", "blob": "iVBORw=="}])),
        (
            "shop://parts",
            json!([
                {"uri": "shop://parts", "mimeType": "text/plain", "text": "a"},
                {"uri": "shop://parts", "mimeType": "application/json", "text": r#"{"b":1}"#},
                {"uri": "shop://parts", "mimeType": "image/gif", "blob": "R0lGODlh"},
            ]),
        ),
        (
            "shop://orders/A%201",
            json!([{"uri": "shop://orders/A%201", "mimeType": "application/json", "text": r#"{"order":"A 1"}"#}]),
        ),
    ] {
        assert_eq!(read(&mut client, 3, uri).await["result"]["contents"], expected, "{uri}");
    }
    let params = json!({"ref": {"type": "ref/resource", "uri": "shop://orders/{id}"}, "argument": {"name": "id", "value": "a"}});
    let completed = client.request(4, "completion/complete", params).await;
    assert_eq!(
        completed["result"]["completion"],
        json!({"values": ["A-1", "a-2"], "total": 2, "hasMore": false})
    );
}

#[tokio::test]
async fn a_resource_that_is_missing_or_fails_is_an_error_of_its_request() {
    let mut client = Peer::connect_to(shop()).await;
    let long = format!("shop://orders/{}", "a".repeat(100_000));
    let unknown =
        ["shop://term", "shop://orders/0", "shop://orders/..", "shop://orders/%2e%2e%2fterms", &long];
    for uri in unknown {
        let error = read(&mut client, 1, uri).await["error"].take();
        assert_eq!(error["code"], -32002, "{error}");
        assert!(error.to_string().len() < 5_000);
    }
    assert_eq!(read(&mut client, 2, "shop://fails").await["error"]["message"], "the shop is closed");
    let panicked = read(&mut client, 3, "shop://panics").await;
    assert_eq!(panicked["error"]["message"], "the request failed unexpectedly");
    let unread = client.request(4, "resources/read", json!({"uri": 7})).await;
    assert_eq!(unread["error"]["code"], -32602, "{unread}");
    assert!(read(&mut client, 5, "shop://terms").await["error"].is_null(), "the connection has not ended");
}

#[tokio::test]
async fn only_a_server_with_resources_has_the_capability() {
    let mut client = Peer::connect_to(serve(Registry::new(tools![]).expect("valid"))).await;
    for method in ["resources/list", "resources/templates/list", "prompts/list"] {
        assert_eq!(client.request(1, method, json!({})).await["error"]["code"], -32601, "{method}");
    }
    for (server, expected) in
        [(serve(Registry::new(tools![]).expect("valid")), Value::Null), (shop(), json!({"subscribe": true}))]
    {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(server.run(theirs));
        let discovered = Peer::new(ours).request_with_meta(1, "server/discover", json!({})).await;
        assert_eq!(discovered["result"]["capabilities"]["resources"], expected);
        assert_eq!(discovered["result"]["capabilities"]["prompts"], Value::Null);
    }
}

/// Notifies when it is dropped.
struct Dropped(Arc<Notify>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_takes_too_long_is_dropped() {
    let dropped = Arc::new(Notify::new());
    let started = Arc::new(Notify::new());
    let (of_server, starts) = (Arc::clone(&dropped), Arc::clone(&started));
    let server = serve(Registry::new(tools![]).expect("valid")).resource(
        Resource::new("a://slow", "slow"),
        move |_| {
            let (dropped, starts) = (Dropped(Arc::clone(&of_server)), Arc::clone(&starts));
            async move {
                starts.notify_one();
                std::future::pending::<()>().await;
                drop(dropped);
                Ok::<_, &str>("")
            }
        },
    );
    let mut client = Peer::connect_to(server).await;
    let response = read(&mut client, 1, "a://slow").await;
    assert_eq!(response["error"]["message"], "there is no result within 60s");
    dropped.notified().await;
    started.notified().await;
    let params = json!({"uri": "a://slow"});
    client.send(json!({"jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": params})).await;
    started.notified().await;
    let params = json!({"requestId": 2});
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    let is_dropped = tokio::time::timeout(Duration::from_secs(10), dropped.notified()).await;
    assert!(is_dropped.is_ok(), "before its time limit");
}

#[tokio::test]
async fn subscribed_clients_are_notified_of_updates() {
    let server = shop();
    let handle = server.handle();
    let mut client = Peer::connect_to(server.clone()).await;
    for (id, uri) in [(1, "shop://terms"), (2, "shop://orders/1"), (3, "shop://logo")] {
        assert!(client.request(id, "resources/subscribe", json!({"uri": uri})).await["error"].is_null());
    }
    client.request(4, "resources/unsubscribe", json!({"uri": "shop://logo"})).await;
    let unknown = client.request(5, "resources/subscribe", json!({"uri": "shop://unknown"})).await;
    assert_eq!(unknown["error"]["code"], -32002);
    for uri in ["shop://logo", "shop://parts", "shop://orders/1"] {
        handle.resource_updated(uri);
    }
    let updated = client.receive("method", "notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "shop://orders/1");

    let mut modern = Peer::connect_without_initialize(server).await;
    let wanted: Vec<String> = ["shop://unknown".to_owned(), "shop://terms".to_owned()]
        .into_iter()
        .chain((0..1_000).map(|id| format!("shop://orders/{id}")))
        .collect();
    let params = json!({"notifications": {"resourceSubscriptions": wanted}, "_meta": meta()});
    modern.send(json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})).await;
    let accepted = modern.receive("method", "notifications/subscriptions/acknowledged").await;
    let uris = accepted["params"]["notifications"]["resourceSubscriptions"].as_array().map(Vec::len);
    assert_eq!(uris, Some(256), "{accepted}");
    handle.resource_updated("shop://logo");
    handle.resource_updated("shop://terms");
    let updated = modern.receive("method", "notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "shop://terms");
    let missing = modern.request_with_meta(2, "resources/read", json!({"uri": "shop://unknown"})).await;
    assert_eq!(missing["error"]["code"], -32602, "the code of this version");
}

#[tokio::test]
async fn the_subscriptions_of_a_connection_are_limited() {
    let mut client = Peer::connect_to(shop()).await;
    let mut errors = 0;
    for id in 1..=1_000 {
        let params = json!({"uri": format!("shop://orders/{id}")});
        let response = client.request(id, "resources/subscribe", params).await;
        errors += usize::from(!response["error"].is_null());
    }
    assert_eq!(errors, 1_000 - 256);
}

/// Logs at two levels, and reports progress between.
#[tool]
fn logs(#[context] call: &CallContext) {
    call.emit(json!({"log": {"level": "debug", "data": "hidden"}}));
    call.emit(json!({"log": {"level": "warning", "logger": "shop", "data": {"stock": 1}}}));
    call.progress(1, 2, "");
    call.emit(json!({"log": {"data": "text"}}));
    call.emit(json!({"log": {"data": "other data of the program"}, "more": 1}));
    call.emit(json!({"log": {"level": "unknown"}}));
}

/// The notifications of a call, in short.
async fn logged(client: &mut Peer, id: u64, meta: Value) -> Vec<String> {
    let params = json!({"name": "logs", "_meta": meta});
    client.send(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
    let mut messages = Vec::new();
    loop {
        let message = client.next().await.expect("the connection is open");
        if message["id"] == id {
            return messages;
        }
        let params = &message["params"];
        messages.push(match message["method"].as_str() {
            Some("notifications/message") => {
                format!("{} {} {}", params["level"], params["logger"], params["data"])
            }
            method => method.unwrap_or_default().to_owned(),
        });
    }
}

#[tokio::test]
async fn log_messages_are_sent_from_the_level_of_the_client_on() {
    let server = serve(Registry::new(tools![logs]).expect("valid"));
    let mut client = Peer::connect_to(server.clone()).await;
    let expected = [r#""warning" "shop" {"stock":1}"#, "notifications/progress", r#""info" null "text""#];
    assert_eq!(logged(&mut client, 1, json!({"progressToken": 1})).await, expected);
    assert!(client.request(2, "logging/setLevel", json!({"level": "error"})).await["error"].is_null());
    assert_eq!(logged(&mut client, 3, json!({})).await, Vec::<String>::new());
    client.request(4, "logging/setLevel", json!({"level": "debug"})).await;
    assert_eq!(logged(&mut client, 5, json!({})).await.len(), 3);
    let wrong = client.request(6, "logging/setLevel", json!({"level": "loud"})).await;
    assert_eq!(wrong["error"]["code"], -32602);
    // From protocol 2026-07-28 on, each request has its level.
    let mut modern = Peer::connect_without_initialize(server).await;
    assert_eq!(logged(&mut modern, 1, meta()).await, Vec::<String>::new());
    let mut with_level = meta();
    with_level["io.modelcontextprotocol/logLevel"] = "warning".into();
    assert_eq!(logged(&mut modern, 2, with_level).await, expected[..1]);
}
