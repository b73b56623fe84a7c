//! The client that is tested with servers of other projects: lists the tools of a server, and sends the calls that it reads.
//!
//! `judged_client COMMAND ..` or `judged_client URL` reads a JSON array of `{"name": .., "arguments": {..}}`, `{"uri": ..}` and
//! `{"prompt": .., "arguments": {..}}` from standard input, and prints a JSON object per line: the tools, the resources and
//! prompts, the content of resources and prompts, log messages, events of calls, and one result per call.
//!
//! With `MCP_CONFORMANCE_CONTEXT`, the context of a scenario of the conformance suite, it signs in at servers that require it. The
//! field `store` names the file of its tokens, and `redirect_uri` and `scopes` replace those of this program.

use serde_json::{Value, json};
use std::error::Error;
use std::path::PathBuf;
use tokio::process::Command;
use tool_runtime::dispatch::{CallStatus, Question, UserAnswer};
use tool_runtime::{RunContext, ToolCall};
use tool_runtime_mcp::rmcp::transport::auth::{
    AuthError, CredentialStore, JwtSigningAlgorithm, StoredCredentials,
};
use tool_runtime_mcp::{Client, ClientError, LogLevel, LogMessage, OAuth};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let first = arguments.first().ok_or("usage: judged_client COMMAND .., or judged_client URL")?.clone();
    let builder = if first.starts_with("http") {
        match std::env::var("MCP_CONFORMANCE_CONTEXT").or_else(|_| scenario_context()) {
            Ok(context) => Client::http(first).oauth(oauth(&serde_json::from_str(&context)?)),
            Err(_) => Client::http(first),
        }
    } else {
        Client::child_process(move || {
            let mut command = Command::new(&first);
            command.args(&arguments[1..]);
            command
        })
    };
    let on_log =
        |message: LogMessage| println!("{}", json!({"log": {"level": message.level, "data": message.data}}));
    let client = builder.prefix("s_").resource_tools(true).on_log(LogLevel::Debug, on_log).connect().await?;
    let context = RunContext::new().on_question(async |question| Ok::<_, String>(answer(&question)));
    let context = context.on_event(|event| {
        if let CallStatus::Progress { done, total, text, .. } = &event.status {
            println!(
                "{}",
                json!({"progress": {"tool": event.tool, "done": done, "total": total, "text": text}})
            );
        }
    });
    let registry = client.registry().await?;
    let tool = |name: &str| json!({"name": name, "title": registry.tool(name).and_then(|tool| tool.title), "hints": hints(&registry, name)});
    let skipped: Vec<String> = registry.skipped_tools().iter().map(ToString::to_string).collect();
    let tools: Vec<Value> = registry.names().into_iter().map(tool).collect();
    println!("{}", json!({"tools": tools, "skipped": skipped}));
    let resources = client.resources().await?;
    let templates = client.resource_templates().await?;
    let prompts = client.prompts().await?;
    println!("{}", json!({"resources": resources, "templates": templates, "prompts": prompts}));
    let requests: Vec<Value> = serde_json::from_reader(std::io::stdin())?;
    let (calls, others): (Vec<Value>, Vec<Value>) =
        requests.into_iter().partition(|request| request.get("name").is_some());
    for request in &others {
        println!("{}", read(&client, request).await);
    }
    let call = |(index, call): (usize, &Value)| {
        let name = call["name"].as_str().unwrap_or_default();
        ToolCall::new(format!("call_{index}"), format!("s_{name}"), call["arguments"].to_string())
    };
    let calls: Vec<ToolCall> = calls.iter().enumerate().map(call).collect();
    for (call, message) in calls.iter().zip(registry.with(&context).dispatch(&calls).await) {
        let parts = message.content.parts().map(|parts| json!(parts));
        println!(
            "{}",
            json!({
                "tool": call.name, "id": message.tool_call_id, "text": message.text(), "parts": parts,
                "error": message.error_kind(), "json": message.content.is_json(),
            })
        );
    }
    client.close().await;
    Ok(())
}

/// A user who fills in what is required, and leaves out the rest.
fn answer(question: &Question) -> UserAnswer {
    println!("{}", json!({"question": question.text, "of": question.tool}));
    let properties = &question.schema["properties"];
    let required = question.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| match (&properties[name]["enum"][0], properties[name]["type"].as_str()) {
        (Value::Null, Some("boolean")) => json!(true),
        (Value::Null, Some("integer" | "number")) => json!(7),
        (Value::Null, _) => json!("Ada"),
        (first, _) => first.clone(),
    };
    UserAnswer::Accepted(required.map(|name| (name.to_owned(), value(name))).collect())
}

/// An empty context for a scenario about authorisation that has none.
fn scenario_context() -> Result<String, std::env::VarError> {
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO")?;
    if scenario.starts_with("auth/") { Ok("{}".to_owned()) } else { Err(std::env::VarError::NotPresent) }
}

/// How the client signs in.
fn oauth(context: &Value) -> OAuth {
    let text = |name: &str| context[name].as_str().map(str::to_owned);
    let oauth = match (text("client_id"), text("client_secret"), text("private_key_pem"), &context["name"]) {
        (Some(id), _, Some(key), _) => OAuth::private_key_jwt(id, key, JwtSigningAlgorithm::ES256),
        (Some(id), Some(secret), _, name) if name == "auth/client-credentials-basic" => {
            OAuth::client_credentials(id, secret)
        }
        (Some(id), secret, ..) => OAuth::new().client(id, secret),
        _ => OAuth::new().client_metadata_url("https://conformance-test.local/client-metadata.json"),
    };
    let scopes = text("scopes").unwrap_or_default();
    let oauth = oauth.scopes(scopes.split_whitespace());
    let redirect_uri = text("redirect_uri").unwrap_or_else(|| "http://127.0.0.1:8976/callback".to_owned());
    let oauth = oauth.client_name("judged").redirect_uri(redirect_uri).open(browse);
    match text("store") {
        Some(path) => oauth.store(FileStore(path.into())),
        None => oauth,
    }
}

/// A person who accepts everything: the URL to which the page redirects.
async fn browse(url: String) -> Result<String, Box<dyn Error + Send + Sync>> {
    println!("{}", json!({"opened": url}));
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let response = browser.get(url).send().await?;
    let location =
        response.headers().get("location").ok_or_else(|| format!("status {}", response.status()))?;
    Ok(location.to_str()?.to_owned())
}

/// Tokens in a file.
struct FileStore(PathBuf);

#[async_trait::async_trait]
impl CredentialStore for FileStore {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        let Ok(text) = std::fs::read(&self.0) else { return Ok(None) };
        serde_json::from_slice(&text).map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let failed = |error: std::io::Error| AuthError::CredentialStoreError(error.to_string());
        let text = serde_json::to_vec(&credentials).unwrap_or_default();
        std::fs::write(&self.0, text).map_err(failed)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        std::fs::remove_file(&self.0).map_err(|error| AuthError::CredentialStoreError(error.to_string()))
    }
}

/// The content of a resource or a prompt.
async fn read(client: &Client, request: &Value) -> Value {
    let error = |error: ClientError| json!({"read": request, "error": error.to_string()});
    if let Some(uri) = request["uri"].as_str() {
        return client
            .read_resource(uri)
            .await
            .map_or_else(error, |parts| json!({"read": uri, "parts": parts}));
    }
    let name = request["prompt"].as_str().unwrap_or_default();
    let arguments = request["arguments"].as_object();
    let arguments: Vec<(&str, &str)> = arguments
        .into_iter()
        .flatten()
        .map(|(name, value)| (&**name, value.as_str().unwrap_or_default()))
        .collect();
    let messages = client.prompt(name, &arguments).await;
    messages.map_or_else(error, |messages| json!({"read": name, "messages": messages}))
}

fn hints(registry: &tool_runtime::Registry, name: &str) -> Value {
    let annotations = registry.tool(name).map(|tool| tool.annotations).unwrap_or_default();
    json!([annotations.read_only, annotations.destructive, annotations.idempotent, annotations.open_world])
}
