//! A server with the APIs of all providers, which checks each request.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};
use tool_runtime_testing::check_request;

mod replies;

use replies::Api;

/// How a server responds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// With two calls, then with an answer.
    Answers,
    /// With the status 500 and an error in JSON.
    Fails,
    /// With the status 502 and a page.
    FailsWithAPage,
    /// With the status 200 and a page.
    Page,
    /// With the status 200 and JSON that is not a reply.
    OtherJson,
    /// With half of a reply.
    Interrupts,
    /// With half of a reply, and then with nothing more.
    Stalls,
    /// Never.
    IsSilent,
}

/// A running server, which stops when it is dropped.
pub(crate) struct Server {
    pub(crate) url: String,
    log: Arc<Log>,
    task: JoinHandle<()>,
}

struct Log {
    behaviour: Behaviour,
    requests: Mutex<Vec<Value>>,
    rejections: Mutex<Vec<String>>,
}

impl Server {
    pub(crate) async fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("the listener has an address"));
        let log = Arc::new(Log { behaviour, requests: Mutex::default(), rejections: Mutex::default() });
        let app = Router::new().fallback(respond).with_state(Arc::clone(&log));
        let task = tokio::spawn(async move { axum::serve(listener, app).await.expect("the server runs") });
        Server { url, log, task }
    }

    pub(crate) fn requests(&self) -> Vec<Value> {
        self.log.requests.lock().expect("no test panics here").clone()
    }

    pub(crate) fn rejections(&self) -> Vec<String> {
        self.log.rejections.lock().expect("no test panics here").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn respond(State(log): State<Arc<Log>>, uri: Uri, headers: HeaderMap, body: String) -> Response {
    let request: Value = serde_json::from_str(&body).unwrap_or_default();
    let checked = check(&uri, &headers, &request);
    log.requests.lock().expect("no test panics here").push(request.clone());
    let api = match checked {
        Ok(api) => api,
        Err(rejection) => {
            log.rejections.lock().expect("no test panics here").push(rejection.clone());
            return error(StatusCode::BAD_REQUEST, &rejection);
        }
    };
    let page = "<html><body>nginx</body></html>";
    match log.behaviour {
        Behaviour::Answers => success(&request, api.reply(&request)),
        Behaviour::Fails => error(StatusCode::INTERNAL_SERVER_ERROR, "the model crashed"),
        Behaviour::FailsWithAPage => (StatusCode::BAD_GATEWAY, page).into_response(),
        Behaviour::Page => page.into_response(),
        Behaviour::OtherJson => success(&request, json!({"weather": "sunny"}).to_string()),
        Behaviour::Interrupts | Behaviour::Stalls => {
            let reply = api.reply(&request);
            let response = success(&request, String::new()).into_parts().0;
            let half = reply.get(..reply.len() / 2).unwrap_or_default().to_owned();
            let pause = if log.behaviour == Behaviour::Stalls { 600_000 } else { 50 };
            Response::from_parts(response, half_body(half, Duration::from_millis(pause)))
        }
        Behaviour::IsSilent => {
            tokio::time::sleep(Duration::from_secs(600)).await;
            StatusCode::GATEWAY_TIMEOUT.into_response()
        }
    }
}

/// A body that sends this text, and after this time ends the connection, before its end.
fn half_body(half: String, pause: Duration) -> Body {
    let end = async move {
        tokio::time::sleep(pause).await;
        Err(std::io::Error::other("the connection is lost"))
    };
    Body::from_stream(stream::once(async { Ok(half) }).chain(stream::once(end)))
}

fn success(request: &Value, body: String) -> Response {
    let kind = if request["stream"] == true { "text/event-stream" } else { "application/json" };
    ([("content-type", kind)], body).into_response()
}

fn error(status: StatusCode, message: &str) -> Response {
    let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

/// Returns the API of a valid request.
fn check(uri: &Uri, headers: &HeaderMap, request: &Value) -> Result<Api, String> {
    let api = Api::at(uri.path()).ok_or_else(|| format!("there is no {uri}"))?;
    let (header, fields): (_, &[&str]) = match api {
        Api::Bedrock => ("authorization", &["toolConfig"]),
        Api::GeminiInteractions => ("x-goog-api-key", &["model"]),
        Api::ChatCompletions | Api::Responses => ("authorization", &["model"]),
        Api::Ollama => ("content-type", &["model"]),
        Api::Anthropic => ("x-api-key", &["model", "max_tokens"]),
        Api::Gemini => ("x-goog-api-key", &[]),
    };
    if !headers.contains_key(header) {
        return Err(format!("the header {header} is missing"));
    }
    // An earlier revision has other fields.
    if api == Api::GeminiInteractions
        && headers.get("api-revision").is_none_or(|revision| revision != "2026-05-20")
    {
        return Err("the header api-revision is not 2026-05-20".to_owned());
    }
    // The model is in the path.
    if api == Api::Bedrock && !request["model"].is_null() {
        return Err("#: extraneous key [model] is not permitted".to_owned());
    }
    if let Some(field) = fields.iter().find(|field| request[**field].is_null()) {
        return Err(format!("{field}: Field required"));
    }
    // Its default is a stream.
    if api == Api::Ollama && request["stream"] != false {
        return Err("the test serves no stream of Ollama".to_owned());
    }
    let wire: Box<dyn Wire> = match api {
        Api::ChatCompletions => Box::new(ChatCompletions::new().keep_reasoning(true)),
        Api::Ollama => Box::new(Ollama::new()),
        Api::Responses => Box::new(Responses::new()),
        Api::Anthropic => Box::new(Anthropic::new()),
        Api::Bedrock => Box::new(Bedrock::new()),
        Api::Gemini => Box::new(Gemini::new()),
        Api::GeminiInteractions => Box::new(GeminiInteractions::new()),
    };
    check_request(&wire, request).map_err(|rejected| rejected.to_string())?;
    api.check_reasoning(request)?;
    Ok(api)
}
