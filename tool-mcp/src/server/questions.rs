//! Questions of tools, as elicitations: requests of the server before protocol 2026-07-28, and results of the call since then.
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

use super::elicitation::Form;
use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotificationParam, ElicitRequest, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ProtocolVersion, RequestId, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;
use tool_runtime::dispatch::{Question, UserAnswer};
use tool_runtime::{Registry, RunContext, ToolCall};

/// The answers with which a client continues a call, and the state of the call that it returns.
pub(super) struct Continued {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
    pub(super) question_timeout: Duration,
}

/// A question, and its answer if a client has given it.
#[derive(Clone, Serialize, Deserialize)]
struct Asked {
    text: String,
    schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<UserAnswer>,
}

/// The questions of a call, by their numbers. The client keeps them between its requests, as the
/// `requestState`. It could change them, which gives it nothing: it gives the answers, which are validated in each request.
type AskedQuestions = BTreeMap<usize, Asked>;

/// The size of the questions and answers that a client keeps. Their values take several times the memory.
const MAX_STATE_BYTES: usize = 256 * 1024;

const OTHER_STATE: &str = "`requestState` is not that of the last result of this call";

const AFTER_CALL: &str = "its tool runs again with the answer, so only the called tool itself may ask, and before the calls that it makes";

const NOT_RESUMABLE: &str =
    "its tool is not `resumable`. From protocol 2026-07-28 on, a tool that asks runs again with the answer";

/// The questions that have no answer, for the result of the call.
pub(super) struct OpenQuestions {
    asked: Arc<Mutex<AskedQuestions>>,
    /// The numbers of the questions of this run.
    questions: UnboundedReceiver<usize>,
}

/// The context in which the tools of a call can ask the client, if it supports elicitation. From protocol 2026-07-28 on, the
/// questions without answers end the call.
pub(super) fn with_questions(
    run: RunContext,
    registry: &Registry,
    call: &ToolCall,
    context: &RequestContext<RoleServer>,
    continued: Continued,
) -> Result<(RunContext, Option<OpenQuestions>), String> {
    let has_forms =
        context.client_capabilities().and_then(|client| client.elicitation).is_some_and(|modes| {
            // Older clients name no mode.
            modes.form.is_some() || modes.url.is_none()
        });
    if !has_forms {
        return Ok((run, None));
    }
    if context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28) {
        let (peer, limit) = (context.peer.clone(), continued.question_timeout);
        return Ok((run.on_question(move |question| elicit(peer.clone(), question, limit)), None));
    }
    let tool = registry.tool(&call.name);
    let is_resumable = tool.is_some_and(|tool| tool.policy.resumable);
    let mut asked = match continued.state.filter(|_| is_resumable) {
        Some(state) if state.len() > MAX_STATE_BYTES => return Err(OTHER_STATE.to_owned()),
        Some(state) => serde_json::from_str(&state).map_err(|_| OTHER_STATE)?,
        None => AskedQuestions::new(),
    };
    for (key, response) in continued.responses.into_iter().flatten() {
        let number = key.parse().ok();
        let question = number.and_then(|number: usize| asked.get_mut(&number));
        if let Some(question) = question.filter(|question| question.answer.is_none()) {
            let form = Form::new(&question.text, &question.schema)?;
            question.answer = Some(form.answer(response)?);
        }
    }
    let (sender, questions) = unbounded_channel();
    let asked = Arc::new(Mutex::new(asked));
    let (known, prefix) = (Arc::clone(&asked), format!("{}/", call.id));
    let run = run.on_question(move |question| {
        let answer = if is_resumable {
            answer_of(&mut lock(&known), &prefix, question, &sender)
        } else {
            Err(NOT_RESUMABLE.to_owned())
        };
        async move {
            match answer? {
                Some(answer) => Ok::<_, String>(answer),
                // The call is dropped.
                None => std::future::pending().await,
            }
        }
    });
    Ok((run, Some(OpenQuestions { asked, questions })))
}

fn lock(asked: &Mutex<AskedQuestions>) -> MutexGuard<'_, AskedQuestions> {
    // No code panics while it has the lock.
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The answer of the client. `None` if it has none, and the question is sent.
fn answer_of(
    asked: &mut AskedQuestions,
    prefix: &str,
    question: Question,
    sender: &UnboundedSender<usize>,
) -> Result<Option<UserAnswer>, String> {
    let number: Option<usize> = question.id.strip_prefix(prefix).and_then(|number| number.parse().ok());
    // The calls of the tool before would run again.
    let Some(number) = number.filter(|number| (0..*number).all(|earlier| asked.contains_key(&earlier)))
    else {
        return Err(AFTER_CALL.to_owned());
    };
    match asked.get(&number) {
        Some(known) if (&known.text, &known.schema) != (&question.text, &question.schema) => {
            Err("the tool has asked another question in its earlier run".to_owned())
        }
        Some(Asked { answer: Some(answer), .. }) => Ok(Some(answer.clone())),
        _ => {
            Form::new(&question.text, &question.schema)?;
            asked.insert(number, Asked { text: question.text, schema: question.schema, answer: None });
            // The receiver lives as long as the call.
            sender.send(number).ok();
            Ok(None)
        }
    }
}

impl OpenQuestions {
    /// Waits for questions, and returns the result that asks them.
    pub(super) async fn result(&mut self) -> Result<InputRequiredResult, String> {
        let Some(first) = self.questions.recv().await else { return std::future::pending().await };
        // The tool may ask several questions at once.
        let more = std::iter::from_fn(|| self.questions.try_recv().ok());
        let asked = lock(&self.asked);
        let mut requests = InputRequests::new();
        for number in std::iter::once(first).chain(more) {
            if let Some(Asked { text, schema, .. }) = asked.get(&number) {
                let request = ElicitRequest::new(Form::new(text, schema)?.into_params());
                requests.insert(number.to_string(), InputRequest::Elicitation(request));
            }
        }
        let state = serde_json::to_string(&*asked).map_err(|error| error.to_string())?;
        if state.len() > MAX_STATE_BYTES {
            return Err(format!("the questions of a tool have at most {MAX_STATE_BYTES} bytes"));
        }
        Ok(InputRequiredResult::new(Some(requests), Some(state)))
    }
}

/// Asks the client, and waits for its response. If the call ends meanwhile, the client is notified.
async fn elicit(peer: Peer<RoleServer>, question: Question, limit: Duration) -> Result<UserAnswer, String> {
    let form = Form::new(&question.text, &question.schema)?;
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form.clone().into_params()));
    let sent = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
    let handle = sent.map_err(|error| error.to_string())?;
    let mut sent = SentQuestion { peer, id: Some(handle.id.clone()) };
    let response = timeout(limit, handle.await_response()).await;
    let response = response.map_err(|_| format!("the client has not answered within {limit:?}"))?;
    sent.id = None;
    let response = response.map_err(|error| error.to_string())?;
    form.answer(serde_json::to_value(response).map_err(|error| error.to_string())?)
}

/// A question without a response. If it is dropped, the client is notified, and rmcp forgets the request.
struct SentQuestion {
    peer: Peer<RoleServer>,
    /// `None` after the response.
    id: Option<RequestId>,
}

impl Drop for SentQuestion {
    fn drop(&mut self) {
        let (Some(id), Ok(runtime)) = (self.id.take(), Handle::try_current()) else { return };
        let peer = self.peer.clone();
        let cancelled = CancelledNotificationParam::new(Some(id), Some("the call has ended".to_owned()));
        // The client may have disconnected.
        runtime.spawn(async move { peer.notify_cancelled(cancelled).await.ok() });
    }
}
