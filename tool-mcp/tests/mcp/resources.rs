//! Resources of a server, as a client sees them.

use crate::peer::{Peer, connect_to_script, definition, meta};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tool_runtime::dispatch::CallStatus;
use tool_runtime::message::{Content, Part};
use tool_runtime::{CallContext, Registry, RunContext, ToolCall, ToolOutput, tool, tools};
use tool_runtime_mcp::rmcp::model::{Reference, Resource, ResourceContents, ResourceTemplate};
use tool_runtime_mcp::{Client, ClientBuilder, ClientError, Completion, LogLevel, LogMessage, Server, serve};
use tower_service::Service as _;

struct User(&'static str);

/// Panics before there is a future.
fn panics() -> Result<&'static str, &'static str> {
    panic!("a secret")
}

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
        .resource(Resource::new("shop://panics", "panics"), |_| std::future::ready(panics()))
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
async fn bytes_of_a_text_are_sent_as_text() {
    let mut server = serve(Registry::new(tools![]).expect("valid"));
    for (uri, mime_type, bytes) in [
        ("a://text", "text/markdown", b"caf\xC3\xA9".to_vec()),
        ("a://json", "application/json", b"{}".to_vec()),
        ("a://latin", "text/plain", b"caf\xE9".to_vec()),
        ("a://archive", "application/zip", b"PK".to_vec()),
    ] {
        let resource = Resource::new(uri, uri).with_mime_type(mime_type);
        server = server.resource(resource, move |_| {
            let bytes = bytes.clone();
            async { Ok::<_, &str>(bytes) }
        });
    }
    let mut client = Peer::connect_to(server).await;
    for (uri, expected) in [
        ("a://text", json!({"uri": "a://text", "mimeType": "text/markdown", "text": "café"})),
        ("a://json", json!({"uri": "a://json", "mimeType": "application/json", "text": "{}"})),
        ("a://latin", json!({"uri": "a://latin", "mimeType": "text/plain", "blob": "Y2Fm6Q=="})),
        ("a://archive", json!({"uri": "a://archive", "mimeType": "application/zip", "blob": "UEs="})),
    ] {
        assert_eq!(read(&mut client, 1, uri).await["result"]["contents"][0], expected);
    }
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
    let wanted: Vec<String> = (0..100_000).map(|id| format!("shop://orders/{id}")).collect();
    let params = json!({"notifications": {"resourceSubscriptions": wanted}, "_meta": meta()});
    modern.send(json!({"jsonrpc": "2.0", "id": 3, "method": "subscriptions/listen", "params": params})).await;
    let accepted = modern.receive("method", "notifications/subscriptions/acknowledged").await;
    assert_eq!(accepted["params"]["notifications"], json!({}), "too many");
}

/// Subscribes to the resources of two users as one of them, over each kind of protocol.
#[tokio::test]
async fn a_client_subscribes_only_to_resources_that_it_may_read() {
    struct Name(String);
    let server = serve(Registry::new(tools![]).expect("valid")).context_per_request(|request| {
        let name = request.meta().unwrap_or_default().get("user").cloned().unwrap_or_default();
        RunContext::new().state(Name(name.as_str().unwrap_or_default().to_owned()))
    });
    let orders = ResourceTemplate::new("shop://{user}/orders", "orders");
    let server = server.resource_template(orders, |request| async move {
        let name = request.run_context().get::<Name>().map(|name| name.0.as_str());
        if name == request.variable("user") { Ok("orders") } else { Err("these are orders of another user") }
    });
    let server = server.expect("the template is valid");
    let handle = server.handle();
    let update = || ["shop://bob/orders", "shop://ada/orders"].map(|uri| handle.resource_updated(uri));
    let mut client = Peer::connect_to(server.clone()).await;
    let mut subscribe = async |id: u64, uri: &str| {
        client.request(id, "resources/subscribe", json!({"uri": uri, "_meta": {"user": "ada"}})).await
    };
    let rejected = subscribe(1, "shop://bob/orders").await;
    assert_eq!(rejected["error"]["message"], "these are orders of another user");
    assert!(subscribe(2, "shop://ada/orders").await["error"].is_null());
    update();
    let first = client.receive("method", "notifications/resources/updated").await;
    assert_eq!(first["params"]["uri"], "shop://ada/orders");

    let mut modern = Peer::connect_without_initialize(server).await;
    let mut meta = meta();
    meta["user"] = "ada".into();
    let filter = json!({"resourceSubscriptions": ["shop://bob/orders", "shop://ada/orders"]});
    let params = json!({"notifications": filter, "_meta": meta});
    modern.send(json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})).await;
    modern.receive("method", "notifications/subscriptions/acknowledged").await;
    update();
    let first = modern.receive("method", "notifications/resources/updated").await;
    assert_eq!(first["params"]["uri"], "shop://ada/orders");
}

#[tokio::test]
async fn the_uris_of_subscriptions_are_limited() {
    let mut client = Peer::connect_to(shop()).await;
    let mut accepted = 0;
    for id in 1..=40 {
        let params = json!({"uri": format!("shop://orders/{id:01986}")});
        let response = client.request(id, "resources/subscribe", params).await;
        accepted += usize::from(response["error"].is_null());
    }
    assert_eq!(accepted, 64 * 1024 / 2_000);
    let mut modern = Peer::connect_without_initialize(shop()).await;
    let wanted: Vec<String> = (1..=40).map(|id| format!("shop://orders/{id:01986}")).collect();
    let params = json!({"notifications": {"resourceSubscriptions": wanted}, "_meta": meta()});
    modern.send(json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})).await;
    let answer = modern.receive("method", "notifications/subscriptions/acknowledged").await;
    let uris = answer["params"]["notifications"]["resourceSubscriptions"].as_array().map(Vec::len);
    assert_eq!(uris, Some(accepted), "{answer}");
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

/// The requests take much memory, which does not count as long as the clients listen.
#[tokio::test]
async fn clients_that_listen_over_http_have_a_limit_and_do_not_delay_others() {
    let mut service = serve(Registry::new(tools![]).expect("valid")).max_sessions(760).http_service();
    let mut post = async |method: &str, bytes: usize| {
        let mut meta = meta();
        // A quarter of its memory counts, which is more than its text.
        meta["padding"] = vec![""; bytes * 4 / 3 / size_of::<Value>()].into();
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let request = axum::extract::Request::post("http://localhost/mcp")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        let request = request.body(axum::body::Body::from(body)).expect("valid");
        service.call(request).await.expect("a response")
    };
    let mut listening = Vec::new();
    for _ in 0..760 {
        listening.push(post("subscriptions/listen", 60_000).await);
    }
    assert!(listening.iter().all(|response| response.status() == 200));
    assert_eq!(post("subscriptions/listen", 0).await.status(), 503);
    assert_eq!(post("subscriptions/listen", 70_000).await.status(), 413);
    assert_eq!(post("tools/list", 2 << 20).await.status(), 200);
    listening.pop();
    let again = async {
        while post("subscriptions/listen", 0).await.status() != 200 {
            tokio::task::yield_now().await;
        }
    };
    let again = tokio::time::timeout(Duration::from_secs(30), again).await;
    again.expect("a client listens no longer");
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

/// A client of this server.
fn connect(server: Server) -> ClientBuilder {
    Client::transport(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(server.clone().run(theirs));
        async move { Ok::<_, std::io::Error>(ours) }
    })
}

/// A client of a server that responds to `resources/read` with these contents, and lists one resource a page without an end.
fn hostile(contents: Value) -> ClientBuilder {
    connect_to_script(move |mut peer: Peer| {
        let contents = contents.clone();
        async move {
            while let Some(message) = peer.next().await {
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"resources": {}, "tools": {}},
                        "serverInfo": {"name": "hostile", "version": "1"}})
                    }
                    Some("tools/list") => json!({"tools": []}),
                    Some("resources/templates/list") => json!({"resourceTemplates": []}),
                    Some("resources/list") => {
                        let cursor = message["params"]["cursor"].as_str().and_then(|text| text.parse().ok());
                        let next = cursor.unwrap_or(0_u64) + 1;
                        let resource = json!({"uri": format!("a://{next}"), "name": "a"});
                        json!({"resources": [resource], "nextCursor": next.to_string()})
                    }
                    Some("resources/read") => json!({"contents": contents}),
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
            }
        }
    })
}

async fn text_of(client: &Client, uri: &str) -> String {
    let parts = client.read_resource(uri).await.expect("it can be read");
    Content::from_parts(parts).as_str().to_owned()
}

#[tokio::test]
async fn a_client_lists_and_reads_resources() {
    let client = connect(shop()).connect().await.expect("connected");
    let resources = client.resources().await.expect("listed");
    assert_eq!((resources.len(), &*resources[1].uri), (5, "shop://logo"));
    assert_eq!(client.resource_templates().await.expect("listed")[0].uri_template, "shop://orders/{id}");
    assert!(client.prompts().await.expect("listed").is_empty(), "the server has none");
    assert_eq!(text_of(&client, "shop://terms").await, "[shop://terms]\nNo returns, Ada.");
    let logo = client.read_resource("shop://logo").await.expect("it can be read");
    assert_eq!(logo, [Part::image("image/png", [0x89, b'P', b'N', b'G'])]);
    let logo = client.resource_contents("shop://logo").await.expect("it can be read");
    assert_eq!(logo, [ResourceContents::blob("iVBORw==", "shop://logo").with_mime_type("image/png")]);
    let rejected = client.read_resource("shop://x").await.expect_err("it is unknown");
    assert!(matches!(rejected, ClientError::Protocol { code: -32002, .. }), "{rejected}");
    let long = client.read_resource("a".repeat(3_000)).await.expect_err("it is too long");
    assert!(matches!(long, ClientError::UriTooLong { limit: 2048, .. }), "{long}");
}

#[tokio::test]
async fn resources_of_a_hostile_server_are_limited() {
    let client = hostile(json!([])).max_resources(100).connect().await.expect("connected");
    let endless = client.resources().await.expect_err("the list has no end");
    assert_eq!(
        endless.to_string(),
        "the MCP server has more than 100 resources; raise `max_resources` to use it"
    );
    let odd = json!([
        {"uri": "file:///etc/passwd", "text": "another URI"},
        {"uri": "a://1", "blob": "not base64!", "mimeType": "image/png"},
        {"uri": "a://2", "blob": "AAEC", "mimeType": "application/x-unknown"},
        {"uri": "a://3", "video": 1},
        7,
    ]);
    let client = hostile(odd).connect().await.expect("connected");
    let expected = "[file:///etc/passwd]\nanother URI[a://1: image/png that is not valid base64]\
        [a://2: 3 bytes of application/x-unknown][a resource of an unknown form][a resource of an unknown form]";
    assert_eq!(text_of(&client, "a://1").await, expected);
    let unexpected = client.resource_contents("a://1").await.expect_err("some are no contents");
    assert!(matches!(unexpected, ClientError::UnexpectedResponse), "{unexpected}");
    let bytes = json!([{"uri": "a://2", "blob": "AAEC", "mimeType": "application/x-unknown"}]);
    let client = hostile(bytes).connect().await.expect("connected");
    let contents = client.resource_contents("a://2").await.expect("it can be read");
    assert_eq!(contents, [ResourceContents::blob("AAEC", "a://2").with_mime_type("application/x-unknown")]);
    let huge = json!([{"uri": "a://1", "text": "x".repeat(100_000)}]);
    let client = hostile(huge).max_result_bytes(1_000).connect().await.expect("connected");
    let text = text_of(&client, "a://1").await;
    assert!(text.len() < 1_200 && text.contains("bytes of the result are left out"), "{} bytes", text.len());
    let client = hostile(json!("text")).connect().await.expect("connected");
    let unexpected = client.read_resource("a://1").await.expect_err("it is no list");
    assert!(matches!(unexpected, ClientError::UnexpectedResponse), "{unexpected}");
}

/// A client of a server that has resources only in its first connection, and the number of connections. `respond` returns the
/// fields of the response to a method.
fn scripted(respond: fn(&str) -> Value) -> (ClientBuilder, Arc<AtomicUsize>) {
    let connections = Arc::new(AtomicUsize::new(0));
    let of_server = Arc::clone(&connections);
    let builder = connect_to_script(move |mut peer: Peer| {
        let is_first = of_server.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            while let Some(message) = peer.next().await {
                let (Some(method), id) = (message["method"].as_str(), message["id"].clone()) else {
                    continue;
                };
                let mut response = respond(method);
                if method == "initialize" {
                    let mut capabilities = json!({"tools": {}, "prompts": {}, "resources": {}});
                    if !is_first {
                        capabilities["resources"].take();
                    }
                    response = json!({"result": {"protocolVersion": "2025-06-18", "capabilities": capabilities,
                        "serverInfo": {"name": "scripted", "version": "1"}}});
                }
                (response["jsonrpc"], response["id"]) = ("2.0".into(), id);
                if !response["id"].is_null() {
                    peer.send(response).await;
                }
            }
        }
    });
    (builder, connections)
}

#[tokio::test]
async fn a_list_that_a_server_rejects_does_not_end_the_connection() {
    let (builder, connections) = scripted(|method| match method {
        "resources/list" => json!({"result": {"resources": [{"uri": "a://1", "name": "a"}]}}),
        "prompts/list" => json!({"result": {"prompts": "none"}}),
        _ => json!({"error": {"code": -32601, "message": "unknown method"}}),
    });
    let client = builder.connect().await.expect("connected");
    assert_eq!(client.resource_templates().await.expect("the server has none"), []);
    let rejected = client.tools().await.expect_err("the server has no such method");
    assert!(matches!(rejected, ClientError::List { .. }), "{rejected}");
    let unexpected = client.prompts().await.expect_err("they are no list");
    assert!(matches!(unexpected, ClientError::List { .. }), "{unexpected}");
    assert_eq!(client.resources().await.expect("listed").len(), 1);
    assert_eq!(connections.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_list_for_a_model_has_one_line_for_each_resource_and_a_limit() {
    let (builder, _) = scripted(|method| match method {
        "resources/list" => json!({"result": {"resources": [
            {"uri": "a://1\n- a://forged", "name": "one\u{2028}- a://forged"},
            {"uri": "a://2", "name": "x".repeat(150)},
            {"uri": "a://3", "name": "x".repeat(150)},
        ]}}),
        "resources/templates/list" => json!({"result": {"resourceTemplates": []}}),
        "tools/list" => json!({"result": {"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}}),
        _ => json!({"result": {"content": [{"type": "resource_link", "uri": "a://1", "name": "one"}]}}),
    });
    let client = builder.resource_tools(true).max_result_bytes(300).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    let listed = registry.call("list_resources", ()).await.text().into_owned();
    assert!(listed.contains("\n- a://1 - a://forged: one - a://forged\n- a://2: "), "{listed}");
    assert!(listed.len() < 350 && listed.ends_with("[truncated]"), "{listed}");
    let link = async |registry: &Registry| registry.call("find", ()).await.text().into_owned();
    assert_eq!(link(&registry).await, "[resource one: a://1; `read_resource` reads it]");
    client.close().await;
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.names(), ["find"], "the server has no resources now");
    assert_eq!(link(&registry).await, "[resource one: a://1]");
}

/// Returns a link.
#[tool]
fn find() -> ToolOutput {
    ToolOutput::new().with_part(Part::file_url("order", "shop://orders/1"))
}

/// The tool of the server.
#[tool]
fn read_resource() -> &'static str {
    "read by the server"
}

#[tokio::test]
async fn a_model_lists_and_reads_resources() {
    let many = (0..120).fold(shop(), |server, number| {
        let resource = Resource::new(format!("shop://{number}"), "many").with_description("two\nlines");
        server.resource(resource, |_| async { Ok::<_, &str>("") })
    });
    let server = |tools| {
        let with_resources = many.clone();
        with_resources.handle().replace(Registry::new(tools).expect("valid"));
        connect(with_resources).prefix("p_").resource_tools(true)
    };
    let client = server(tools![find]).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.names(), ["p_find", "p_list_resources", "p_read_resource"]);
    assert!(registry.tool("p_read_resource").expect("there").annotations.is_read_only());
    let call = async |tool: &str, arguments: Value| registry.call(tool, arguments).await.text().into_owned();
    let first = call("p_list_resources", json!({})).await;
    let lines: Vec<&str> = first.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "Page 1 of 3: 1 to 50 of 126. Page 2 has the next ones.",
            "- shop://orders/{id}: order: application/json (a template: replace the braces)",
            "- shop://terms: terms",
        ]
    );
    assert_eq!((lines.len(), lines[7]), (51, "- shop://0: many: two lines"));
    let last = call("p_list_resources", json!({"page": 13, "limit": 10})).await;
    assert!(last.starts_with("Page 13 of 13: 121 to 126 of 126.\n") && last.lines().count() == 7, "{last}");
    let beyond = call("p_list_resources", json!({"page": 4})).await;
    assert_eq!(beyond, "Error: there are 3 pages; choose one from 1 to 3");
    let link = call("p_find", json!({})).await;
    assert_eq!(link, "[resource order: shop://orders/1; `p_read_resource` reads it]");
    let read = call("p_read_resource", json!({"uri": "shop://orders/1"})).await;
    assert_eq!(read, "[shop://orders/1]\n{\"order\":\"1\"}");
    let unknown = call("p_read_resource", json!({"uri": "shop://x"})).await;
    assert!(unknown.starts_with("Error: there is no resource `shop://x`"), "{unknown}");
    assert!(unknown.ends_with("`p_list_resources` lists the resources."), "{unknown}");
    let too_long = call("p_read_resource", json!({"uri": "a".repeat(3_000)})).await;
    assert!(too_long.starts_with("Error: invalid arguments"), "{too_long}");

    // The tool of the server wins, and a link does not name it.
    let client = server(tools![find, read_resource]).connect().await.expect("connected");
    let registry = client.registry().await.expect("listed");
    assert_eq!(registry.names(), ["p_find", "p_list_resources", "p_read_resource"]);
    assert_eq!(registry.call("p_read_resource", ()).await.text(), "read by the server");
    assert_eq!(registry.call("p_find", ()).await.text(), "[resource order: shop://orders/1]");
    // Without resources, and without the setting, there are no such tools.
    let without = connect(serve(Registry::new(tools![find]).expect("valid"))).resource_tools(true);
    let client = without.connect().await.expect("connected");
    assert_eq!(client.registry().await.expect("listed").names(), ["find"]);
    let client = connect(shop()).connect().await.expect("connected");
    assert!(client.registry().await.expect("listed").names().is_empty());
}

/// The messages that a client has received.
type Messages = Arc<Mutex<Vec<LogMessage>>>;

fn with_log(builder: ClientBuilder, level: LogLevel) -> (ClientBuilder, Messages) {
    let messages = Messages::default();
    let received = Arc::clone(&messages);
    let builder = builder.on_log(level, move |message| {
        received.lock().expect("not poisoned").push(message);
        panic!("a listener that panics does not end the connection");
    });
    (builder, messages)
}

#[tokio::test]
async fn log_messages_arrive_at_the_program_and_as_events_of_the_call() {
    let server = serve(Registry::new(tools![logs]).expect("valid"));
    let (builder, messages) = with_log(connect(server), LogLevel::Warning);
    let registry = builder.connect().await.expect("connected").registry().await.expect("listed");
    let events = Arc::new(Mutex::new(Vec::new()));
    let received = Arc::clone(&events);
    let context = RunContext::new().on_event(move |event| {
        if let CallStatus::Emitted { data, .. } = &event.status {
            received.lock().expect("not poisoned").push(data.clone());
        }
    });
    registry.with(&context).dispatch(&[ToolCall::new("call_1", "logs", "{}")]).await;
    let messages = messages.lock().expect("not poisoned").clone();
    assert_eq!(messages.len(), 1, "the server sends no others: {messages:?}");
    assert_eq!((messages[0].level, messages[0].logger.as_deref()), (LogLevel::Warning, Some("shop")));
    let expected = json!({"log": {"level": "warning", "logger": "shop", "data": {"stock": 1}}});
    assert_eq!(*events.lock().expect("not poisoned"), [expected]);
}

#[tokio::test]
async fn a_log_message_that_may_be_of_another_call_is_no_event() {
    let (builder, messages) = with_log(
        connect_to_script(move |mut peer: Peer| async move {
            let mut calls = Vec::new();
            while let Some(message) = peer.next().await {
                let id = message["id"].clone();
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}, "logging": {}},
                        "serverInfo": {"name": "logs", "version": "1"}})
                    }
                    Some("tools/list") => json!({"tools": [definition("a", &json!({"readOnlyHint": true}))]}),
                    Some("tools/call") => {
                        calls.push(id);
                        if calls.len() == 2 {
                            let params = json!({"level": "error", "data": "of one user"});
                            peer.send(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params}))
                                .await;
                            for id in calls.drain(..) {
                                peer.send(json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}))
                                    .await;
                            }
                        }
                        continue;
                    }
                    Some("logging/setLevel") => json!({}),
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": id, "result": result})).await;
            }
        }),
        LogLevel::Debug,
    );
    let registry = builder.connect().await.expect("connected").registry().await.expect("listed");
    let events = Arc::new(AtomicUsize::new(0));
    let received = Arc::clone(&events);
    let context = RunContext::new().on_event(move |event| {
        if let CallStatus::Emitted { .. } = &event.status {
            received.fetch_add(1, Ordering::Relaxed);
        }
    });
    let calls = ["1", "2"].map(|id| ToolCall::new(id, "a", "{}"));
    registry.with(&context).dispatch(&calls).await;
    assert_eq!(messages.lock().expect("not poisoned").len(), 1, "the program receives it");
    assert_eq!(events.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_log_messages_arrives_in_part_and_each_request_has_a_level() {
    let (builder, messages) = with_log(
        connect_to_script(move |mut peer: Peer| async move {
            while let Some(message) = peer.next().await {
                let level = message["params"]["_meta"]["io.modelcontextprotocol/logLevel"].clone();
                let answer = match message["method"].as_str() {
                    Some("initialize") => json!({"error": {"code": -32601, "message": "unknown"}}),
                    Some("server/discover") => json!({"result": {"supportedVersions": ["2026-07-28"],
                            "capabilities": {"logging": {}, "resources": {}}, "ttlMs": 0, "cacheScope": "private", "resultType": "complete"}}),
                    Some("resources/read") => {
                        for _ in 0..500 {
                            let params = json!({"level": "error", "data": "x".repeat(10_000)});
                            peer.send(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": params})).await;
                        }
                        let text = level.as_str().unwrap_or("no level");
                        json!({"result": {"contents": [{"uri": "a://1", "text": text}]}})
                    }
                    _ => continue,
                };
                let mut answer = answer;
                (answer["jsonrpc"], answer["id"]) = ("2.0".into(), message["id"].clone());
                peer.send(answer).await;
            }
        }),
        LogLevel::Error,
    );
    let client = builder.connect().await.expect("connected");
    assert_eq!(text_of(&client, "a://1").await, "[a://1]\nerror");
    let messages = messages.lock().expect("not poisoned");
    assert_eq!(messages.len(), 100, "in the first second");
    assert!(messages[0].data.to_string().len() < 5_000);
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_requested_again_after_a_loss_and_has_a_time_limit() {
    let (connections, cancelled) = (AtomicUsize::new(0), Arc::new(Notify::new()));
    let of_server = Arc::clone(&cancelled);
    let builder = connect_to_script(move |mut peer: Peer| {
        let is_first = connections.fetch_add(1, Ordering::Relaxed) == 0;
        let cancelled = Arc::clone(&of_server);
        async move {
            while let Some(message) = peer.next().await {
                let result = match message["method"].as_str() {
                    Some("initialize") => {
                        json!({"protocolVersion": "2025-06-18", "capabilities": {"resources": {}},
                        "serverInfo": {"name": "lost", "version": "1"}})
                    }
                    Some("resources/read") if is_first => return,
                    Some("resources/read") if message["params"]["uri"] == "a://1" => {
                        json!({"contents": [{"uri": "a://1", "text": "read"}]})
                    }
                    Some("notifications/cancelled") => {
                        cancelled.notify_one();
                        continue;
                    }
                    _ => continue,
                };
                peer.send(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).await;
            }
        }
    });
    let client = builder.timeout(Duration::from_secs(5)).connect().await.expect("connected");
    assert_eq!(text_of(&client, "a://1").await, "[a://1]\nread");
    let late = client.read_resource("a://silent").await.expect_err("the server does not respond");
    assert_eq!(
        late.to_string(),
        "the MCP server did not respond within 5s; raise `timeout` if it needs longer"
    );
    let is_cancelled = tokio::time::timeout(Duration::from_secs(5), cancelled.notified()).await;
    assert!(is_cancelled.is_ok(), "the server is notified");
}
