//! Questions of tools, as elicitations: requests of the server before protocol 2026-07-28, and results of the call since then.
//! <https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation>

use super::elicitation::Form;
use rmcp::RoleServer;
use rmcp::model::{
    ElicitRequest, InputRequest, InputRequests, InputRequiredResult, InputResponses, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::{Peer, RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tool_runtime::dispatch::{Question, UserAnswer};
use tool_runtime::{Registry, RunContext, ToolCall};

/// The answers with which a client continues a call, and the state of the call that it returns.
#[derive(Default)]
pub(super) struct Continued {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

/// A question, and its answer if a client has given it.
#[derive(Clone, Serialize, Deserialize)]
struct Asked {
    text: String,
    schema: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<UserAnswer>,
}

/// The questions of a call, by their ids without that of the call. The client keeps them between its requests, as the
/// `requestState`. It could change them, which gives it nothing: it gives the answers, which are validated in each request.
type AskedQuestions = BTreeMap<String, Asked>;

/// The questions that have no answer, for the result of the call.
pub(super) struct OpenQuestions {
    asked: AskedQuestions,
    questions: UnboundedReceiver<(String, Asked)>,
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
        let peer = context.peer.clone();
        return Ok((run.on_question(move |question| elicit(peer.clone(), question)), None));
    }
    let mut asked: AskedQuestions = match &continued.state {
        Some(state) => {
            serde_json::from_str(state).map_err(|_| "`requestState` is not that of the last result")?
        }
        None => AskedQuestions::new(),
    };
    for (key, response) in continued.responses.into_iter().flatten() {
        if let Some(question) = asked.get_mut(&key).filter(|question| question.answer.is_none()) {
            let form = Form::new(&question.text, &question.schema)?;
            question.answer = Some(form.answer(response)?);
        }
    }
    let is_resumable = registry.tool(&call.name).is_some_and(|tool| tool.policy.resumable);
    let (sender, questions) = unbounded_channel();
    let (known, prefix) = (Arc::new(asked.clone()), format!("{}/", call.id));
    let run = run.on_question(move |question| {
        let answer = if is_resumable {
            answer_of(&known, &prefix, question, &sender)
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

const NOT_RESUMABLE: &str =
    "its tool is not `resumable`. From protocol 2026-07-28 on, a tool that asks runs again with the answer";

/// The answer of the client. `None` if it has none, and the question is sent.
fn answer_of(
    known: &AskedQuestions,
    prefix: &str,
    question: Question,
    sender: &UnboundedSender<(String, Asked)>,
) -> Result<Option<UserAnswer>, String> {
    let key = question.id.strip_prefix(prefix).unwrap_or(&question.id).to_owned();
    let asked = Asked { text: question.text, schema: question.schema, answer: None };
    match known.get(&key) {
        Some(known) if (&known.text, &known.schema) != (&asked.text, &asked.schema) => {
            Err("the tool has asked another question in its earlier run".to_owned())
        }
        Some(Asked { answer: Some(answer), .. }) => Ok(Some(answer.clone())),
        _ => {
            Form::new(&asked.text, &asked.schema)?;
            // The receiver lives as long as the call.
            sender.send((key, asked)).ok();
            Ok(None)
        }
    }
}

impl OpenQuestions {
    /// Waits for questions, and returns the result that asks them.
    pub(super) async fn result(&mut self) -> InputRequiredResult {
        let mut requests = InputRequests::new();
        let Some(first) = self.questions.recv().await else { return std::future::pending().await };
        // The tool may ask several questions at once.
        let more = std::iter::from_fn(|| self.questions.try_recv().ok());
        for (key, asked) in std::iter::once(first).chain(more) {
            if let Ok(form) = Form::new(&asked.text, &asked.schema) {
                requests
                    .insert(key.clone(), InputRequest::Elicitation(ElicitRequest::new(form.into_params())));
            }
            self.asked.insert(key, asked);
        }
        // It has only texts and JSON values.
        let state = serde_json::to_string(&self.asked).unwrap_or_default();
        InputRequiredResult::new(Some(requests), Some(state))
    }
}

/// Asks the client, and waits for its response. If the call ends meanwhile, the client is notified.
async fn elicit(peer: Peer<RoleServer>, question: Question) -> Result<UserAnswer, String> {
    let form = Form::new(&question.text, &question.schema)?;
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form.clone().into_params()));
    let response = peer.send_request(request).await.map_err(|error| error.to_string())?;
    form.answer(serde_json::to_value(response).map_err(|error| error.to_string())?)
}
