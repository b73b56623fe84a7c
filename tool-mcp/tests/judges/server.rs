//! The server that clients of other projects test, and that tests kill: tools with every form of result and every end
//! of a call.
//!
//! `judged_server` serves standard input and output, `judged_server ADDRESS` HTTP. Each effect is a line in the file `LEDGER`.
//! With the variable `ISSUER`, an HTTP server requires tokens of this authorisation server, which describes them at `/introspect`.

mod offers;
mod questions;

use offers::add_offers;
use serde_json::json;
use std::error::Error;
use std::io::Write as _;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tool_runtime::dispatch::Decision;
use tool_runtime::{CallContext, Registry, RunContext, ToolOutput, tool};
use tool_runtime_mcp::rmcp::transport::StreamableHttpServerConfig;
use tool_runtime_mcp::{Access, Authorization, LogLevel, McpRequest, ServerHandle, TokenRejection, serve};

const IMAGE: &[u8] = include_bytes!("../../examples/sky.png");

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    city: String,
    celsius: f32,
}

/// Returns text.
#[tool(read_only)]
fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Returns an image.
#[tool(read_only)]
fn test_image_content() -> ToolOutput {
    ToolOutput::new().with_image("image/png", IMAGE)
}

/// Returns a sound.
#[tool(read_only)]
fn test_audio_content() -> ToolOutput {
    ToolOutput::new().with_file("silence.wav", "audio/wav", b"RIFF\x24\0\0\0WAVE")
}

/// Returns a file.
#[tool(read_only)]
fn test_embedded_resource() -> ToolOutput {
    ToolOutput::new().with_file("note.txt", "text/plain", "This is an embedded resource content.")
}

/// Returns text, an image and a file.
#[tool(read_only)]
fn test_multiple_content_types() -> ToolOutput {
    let output = ToolOutput::new().with_text("Multiple content types test:").with_image("image/png", IMAGE);
    output.with_file("data.json", "application/json", r#"{"test":"data","value":123}"#)
}

/// Reports progress.
#[tool(read_only)]
async fn test_tool_with_progress(#[context] call: &CallContext) -> &'static str {
    for done in [0, 50, 100] {
        call.progress(done, 100, "");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "done"
}

/// Logs.
#[tool(read_only)]
async fn test_tool_with_logging(#[context] call: &CallContext) -> &'static str {
    for text in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        call.emit(json!({"log": {"level": LogLevel::Info, "logger": "judged", "data": text}}));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    "done"
}

/// Announces an update of a resource.
#[tool(idempotent)]
fn update_watched() {
    if let Some((server, _)) = SMALLER.get() {
        server.resource_updated("test://watched-resource");
    }
}

/// Fails.
#[tool(read_only)]
fn test_error_handling() -> Result<(), &'static str> {
    Err("This tool intentionally returns an error for testing")
}

/// Returns an object.
#[tool(title = "Weather", read_only, output_schema)]
fn get_weather(city: String) -> Weather {
    Weather { city, celsius: 21.5 }
}

/// Panics.
#[tool(read_only)]
fn panics() {
    panic!("a secret of the server")
}

/// Waits until it is cancelled.
#[tool(read_only)]
async fn wait(#[context] call: &CallContext) -> &'static str {
    call.cancellation().cancelled().await;
    record("wait was cancelled");
    "cancelled"
}

/// Takes longer than its time limit.
#[tool(read_only, timeout = "100ms")]
async fn too_slow() {
    std::future::pending::<()>().await;
}

/// Needs approval, which this server gives to harmless calls.
#[tool(destructive, requires_approval)]
fn guarded(harmless: bool) -> &'static str {
    if harmless { "it ran" } else { "it ran without approval" }
}

/// Has an effect that must not happen twice.
#[tool(destructive)]
async fn append(line: &str, milliseconds: u64) -> String {
    tokio::time::sleep(Duration::from_millis(milliseconds / 2)).await;
    record(line);
    tokio::time::sleep(Duration::from_millis(milliseconds / 2)).await;
    format!("appended {line}")
}

/// Has an effect that may happen twice.
#[tool(idempotent)]
async fn put(line: &str, milliseconds: u64) -> String {
    record(line);
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    format!("put {line}")
}

/// Ends the process.
#[tool(destructive)]
fn exit() {
    std::process::exit(3)
}

/// The user of the request.
#[tool(read_only)]
fn who_am_i(#[state] user: &User) -> String {
    user.0.clone()
}

/// Removes the first tool from the server.
#[tool(idempotent)]
fn remove_a_tool() {
    if let Some((server, fewer)) = SMALLER.get() {
        server.replace(fewer.clone());
    }
}

/// The server, and its registry without the first tool.
static SMALLER: OnceLock<(ServerHandle, Registry)> = OnceLock::new();

struct User(String);

fn record(line: &str) {
    let Ok(path) = std::env::var("LEDGER") else { return };
    let ledger = std::fs::File::options().create(true).append(true).open(path);
    ledger
        .and_then(|mut ledger| ledger.write_all(format!("{line}\n").as_bytes()))
        .expect("the ledger can be written");
}

/// The user is in the header `user`, and `nobody` without it. `guest` may only call `who_am_i`, and `banned` is rejected.
fn context(request: &McpRequest<'_>) -> Result<RunContext, &'static str> {
    let header =
        request.http().and_then(|parts| parts.headers.get("user")).and_then(|name| name.to_str().ok());
    match header {
        Some("banned") => Err("this user is banned"),
        Some("guest") => Ok(RunContext::new().state(User("guest".to_owned())).allowed_tools(["who_am_i"])),
        name => Ok(RunContext::new().state(User(name.unwrap_or("nobody").to_owned()))),
    }
}

/// Asks the authorisation server whose token this is.
async fn introspect(issuer: String, resource: String, token: String) -> Result<Access, TokenRejection> {
    let asked = async {
        let host = issuer.strip_prefix("http://").unwrap_or_default();
        let mut stream = tokio::net::TcpStream::connect(host).await?;
        let body = format!("token={token}");
        let length = body.len();
        let request = format!(
            "POST /introspect HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut response = String::new();
        stream.read_to_string(&mut response).await?;
        Ok::<_, std::io::Error>(response)
    };
    let response = asked.await.map_err(|_| TokenRejection::Unavailable)?;
    let described = response.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    let described: serde_json::Value =
        serde_json::from_str(described).map_err(|_| TokenRejection::Unavailable)?;
    let is_for_us = described["active"] == true && described["aud"] == resource;
    let user = described["sub"].as_str().filter(|_| is_for_us).ok_or(TokenRejection::Invalid)?;
    let scopes = described["scope"].as_str().unwrap_or_default();
    if !scopes.split(' ').any(|scope| scope == "tools") {
        return Err(TokenRejection::insufficient_scope(["tools"]));
    }
    Ok(Access::new(user).with_run_context(RunContext::new().state(User(user.to_owned()))))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let registry = Registry::builder()
        .collect()
        .state_per_run::<User>()
        .before_call(|call| async move {
            let is_harmless = call.tool() == "guarded" && call.arguments().contains("true");
            if is_harmless { Decision::Run } else { Decision::Undecided }
        })
        .build()?;
    let server = add_offers(serve(registry.clone()).name("judged", "1.0.0"))?;
    let fewer = registry.subset(registry.names().into_iter().skip(1))?;
    SMALLER.get_or_init(|| (server.handle(), fewer));
    let Some(address) = std::env::args().nth(1) else {
        return Ok(server.try_context_per_request(context).stdio().await?);
    };
    let listener = tokio::net::TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let (server, router) = match std::env::var("ISSUER") {
        Ok(issuer) => {
            let resource = format!("http://{address}/mcp");
            let authorization = Authorization::new(&*resource, [&*issuer])?.scopes(["tools"]);
            let metadata = authorization.metadata_service();
            let router = axum::Router::new().route_service(&authorization.metadata_path(), metadata);
            let check = move |token: String, _: &_| introspect(issuer.clone(), resource.clone(), token);
            (server.bearer_tokens(authorization, check), router)
        }
        Err(_) => (server.try_context_per_request(context), axum::Router::new()),
    };
    // Clients notice sooner that the server has ended.
    let config = StreamableHttpServerConfig::default().with_sse_retry(Some(Duration::from_millis(100)));
    let router = router.nest_service("/mcp", server.http_service_with(config));
    println!("{address}");
    Ok(axum::serve(listener, router).await?)
}
