//! Answers with a type: on each wire, as a response format and as a tool, complete and streamed.

mod events;
mod other_types;
mod random;
mod requests;
mod settings;

use super::{find, stored};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::conversation::ReplyWarning;
use tool_runtime::message::{Completeness, Message};
use tool_runtime::session::{RunEnd, TypedEnd};
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, UseResponseFormat,
    Wire,
};
use tool_runtime::{AssistantMessage, Registry, Session, ToolCall, tools};
use tool_runtime_testing::{ScriptedModel, ScriptedReply, assert_called, assert_valid};

/// An invoice.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
struct Invoice {
    number: String,
    /// In cents.
    total: u64,
    lines: Vec<Line>,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
struct Line {
    product: String,
    #[schemars(range(min = 1))]
    quantity: u8,
}

fn invoice() -> Invoice {
    let line = Line { product: "tea".to_owned(), quantity: 2 };
    Invoice { number: "A-7".to_owned(), total: 420, lines: vec![line], note: None }
}

const VALID: &str = r#"{"number":"A-7","total":420,"lines":[{"product":"tea","quantity":2}]}"#;
const INVALID: &str = r#"{"number":"A-7","total":"much","lines":[{"product":"tea","quantity":0}]}"#;
const PROBLEMS: &str = "`total`: expected an integer, got string \"much\"; `lines[0].quantity`: expected an \
                        integer from 1 to 255, got integer `0`";
const CHANGES: &str = "change `total` to an integer, and change `lines[0].quantity` to an integer \
                       from 1 to 255";

/// A wire, the way in which it asks for the answer, and whether replies are streamed.
struct Setup {
    wire: Arc<dyn Wire>,
    has_format: bool,
    is_streamed: bool,
}

fn wires(format: UseResponseFormat) -> [Arc<dyn Wire>; 7] {
    [
        Arc::new(ChatCompletions::new().response_format(format)),
        Arc::new(Anthropic::new().response_format(format)),
        Arc::new(Responses::new().response_format(format)),
        Arc::new(Gemini::new().response_format(format)),
        Arc::new(Ollama::new().response_format(format)),
        Arc::new(GeminiInteractions::new().response_format(format)),
        Arc::new(Bedrock::new()),
    ]
}

/// Whether the API has a response format.
fn has_response_format(wire: &dyn Wire) -> bool {
    wire.name() != "bedrock"
}

fn setups() -> Vec<Setup> {
    let mut setups = Vec::new();
    for (format, has_format) in [(UseResponseFormat::Always, true), (UseResponseFormat::Never, false)] {
        for is_streamed in [false, true] {
            let wires = wires(format).into_iter().filter(|wire| !has_format || has_response_format(wire));
            setups.extend(wires.map(|wire| Setup { wire, has_format, is_streamed }));
        }
    }
    setups
}

impl Setup {
    /// The name for failed assertions.
    fn name(&self) -> String {
        let form = if self.has_format { "response format" } else { "tool" };
        format!("{}, {form}, {}", self.wire.name(), if self.is_streamed { "streamed" } else { "complete" })
    }

    /// A reply with this answer, in the way in which the model is asked for it.
    fn answer(&self, json: &str) -> AssistantMessage {
        if self.has_format {
            AssistantMessage::from_text(json)
        } else {
            AssistantMessage::from_tool_calls(vec![ToolCall::new("call_0", "final_answer", json)])
        }
    }

    async fn run(&self, session: &mut Session, model: &ScriptedModel) -> TypedEnd<Invoice> {
        let registry = Registry::new(tools![find]).expect("one tool");
        let run = session.run(&registry).wire(Arc::clone(&self.wire)).max_replies(3).answer_as::<Invoice>();
        let end = if self.is_streamed {
            run.stream(|request| model.stream(request)).await.map_err(|error| error.to_string())
        } else {
            run.complete(|request| model.complete(request)).await.map_err(|error| error.to_string())
        };
        end.unwrap_or_else(|error| panic!("{}: {error}", self.name()))
    }

    /// Runs a session with these replies. Afterwards, it is valid, and continues on every wire without the type.
    async fn session(&self, replies: Vec<ScriptedReply>) -> (TypedEnd<Invoice>, Session, Vec<Value>) {
        let mut session = Session::new().user("Which invoice is open?");
        let model = ScriptedModel::new(replies);
        let end = self.run(&mut session, &model).await;
        assert_valid(&session);
        for wire in wires(UseResponseFormat::Always) {
            let mut session = stored(&session);
            session.push_user("Thank you.");
            let model = ScriptedModel::new([AssistantMessage::from_text("You are welcome.")]);
            let registry = Registry::new(tools![]).expect("no tools");
            let run = session.run(&registry).wire(wire);
            let end = run.complete(|request| model.complete(request)).await.expect("the request is valid");
            assert_eq!(end, RunEnd::Answered, "{}", self.name());
        }
        (end, session, model.requests())
    }
}

/// The problems that the warnings report.
fn problems(session: &Session) -> Vec<String> {
    let problem = |warning: &ReplyWarning| match warning {
        ReplyWarning::InvalidAnswer { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    session.warnings().iter().filter_map(problem).collect()
}

fn texts(session: &Session) -> Vec<&str> {
    session.messages().iter().map(Message::text).collect()
}

#[tokio::test]
async fn a_valid_answer_is_the_value() {
    for setup in setups() {
        let (end, session, requests) = setup.session(vec![setup.answer(VALID).into()]).await;
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        assert_eq!(end.into_answer(), Some(invoice()));
        assert_eq!(requests.len(), 1);
        assert_eq!(texts(&session), ["Which invoice is open?", VALID], "{}", setup.name());
        assert_eq!(session.warnings(), []);
        // A program that starts again has the answer without a request.
        let (mut again, model) = (stored(&session), ScriptedModel::new([setup.answer("{}")]));
        assert_eq!(setup.run(&mut again, &model).await, TypedEnd::Answered(invoice()));
        assert_eq!(model.requests(), [] as [Value; 0]);
    }
}

#[tokio::test]
async fn after_an_invalid_answer_the_model_answers_again() {
    for setup in setups() {
        let replies = vec![setup.answer(INVALID).into(), setup.answer(VALID).into()];
        let (end, session, requests) = setup.session(replies).await;
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        assert_eq!(requests.len(), 2);
        let (error, problem) = if setup.has_format {
            let problem = format!("the answer is invalid: {PROBLEMS}");
            (format!("Error: {problem}. Send the whole answer again, but {CHANGES}."), problem)
        } else {
            let problem = format!("invalid arguments for `final_answer`: {PROBLEMS}");
            (format!("Error: {problem}. Call it again, but {CHANGES}."), problem)
        };
        assert_eq!(session.messages()[2].text(), error, "{}", setup.name());
        assert_eq!(problems(&session), [problem]);
        assert_eq!(session.final_text(), VALID);
    }
}

#[tokio::test]
async fn a_model_that_never_gives_a_valid_answer_reaches_the_limit_of_replies() {
    for setup in setups() {
        let replies = [INVALID, "{}", INVALID, VALID].map(|json| setup.answer(json).into());
        let (end, session, requests) = setup.session(replies.into()).await;
        assert_eq!(end, TypedEnd::NoAnswer(RunEnd::ReplyLimit), "{}", setup.name());
        assert_eq!(end.into_answer(), None);
        assert_eq!(requests.len(), 3);
        // With more replies, it continues.
        let mut again = stored(&session);
        let model = ScriptedModel::new([setup.answer(VALID)]);
        let registry = Registry::new(tools![find]).expect("one tool");
        let run = again.run(&registry).answer_as::<Invoice>().wire(Arc::clone(&setup.wire)).max_replies(4);
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::Answered(invoice()));
        assert_valid(&again);
        let error = again.messages().iter().rev().nth(1).map(Message::text);
        assert!(error.is_some_and(|error| error.contains(PROBLEMS)), "{error:?}");
    }
}

#[tokio::test]
async fn a_model_that_declines_ends_the_run() {
    for setup in setups() {
        let (end, session, requests) = setup.session(vec![ScriptedReply::refusal("I cannot do that.")]).await;
        assert_eq!(end, TypedEnd::NoAnswer(RunEnd::Refused), "{}", setup.name());
        assert_eq!(session.final_text(), "I cannot do that.");
        assert_eq!(requests.len(), 1);
        assert_eq!(problems(&session), [] as [String; 0]);
    }
}

#[tokio::test]
async fn a_truncated_answer_ends_the_run() {
    for setup in setups() {
        let finish_reason = match setup.wire.name() {
            "anthropic" | "bedrock" => "max_tokens",
            "responses" => "max_output_tokens",
            "gemini" => "MAX_TOKENS",
            "gemini_interactions" => "incomplete",
            _ => "length",
        };
        // Some wires have arguments that are always complete JSON.
        for json in [&VALID[..30], VALID] {
            let reply = setup.answer(json).with_finish_reason(finish_reason);
            let (end, session, requests) = setup.session(vec![reply.into()]).await;
            assert_eq!(end, TypedEnd::NoAnswer(RunEnd::Truncated), "{}", setup.name());
            assert_eq!(requests.len(), 1);
            let Some(Message::Assistant(reply)) = session.messages().last() else { panic!("a reply") };
            assert_eq!(reply.completeness(), Completeness::Truncated);
        }
    }
}

#[tokio::test]
async fn tools_run_before_the_answer() {
    for setup in setups() {
        let calls = vec![ToolCall::new("call_7", "find", r#"{"order":7}"#)];
        let replies = vec![AssistantMessage::from_tool_calls(calls).into(), setup.answer(VALID).into()];
        let (end, session, requests) = setup.session(replies).await;
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        assert_called(&session, "find", json!({"order": 7}));
        assert_eq!(texts(&session), ["Which invoice is open?", "", "order 7", VALID]);
        assert_eq!(requests.len(), 2);
    }
}

#[tokio::test]
async fn an_answer_that_is_not_json_gets_the_schema() {
    for setup in setups() {
        let replies =
            ["", "It is A-7.", VALID].map(|text| ScriptedReply::from(AssistantMessage::from_text(text)));
        let (end, session, _) = setup.session(replies.into()).await;
        assert_eq!(end, TypedEnd::Answered(invoice()), "a text is an answer as well: {}", setup.name());
        let error = session.messages()[4].text();
        let expected = "Error: the answer is not valid JSON (expected value at line 1 column 1). Answer with one JSON object \
                        that is valid under this JSON Schema, and nothing else: {\"";
        assert!(error.starts_with(expected) && error.contains("\"quantity\""), "{error}");
    }
}

#[tokio::test]
async fn an_answer_next_to_other_calls_is_rejected_and_the_other_calls_run() {
    for setup in setups().into_iter().filter(|setup| !setup.has_format) {
        let calls = vec![
            ToolCall::new("call_1", "final_answer", VALID),
            ToolCall::new("call_2", "find", r#"{"order":7}"#),
            ToolCall::new("call_3", "final_answer", INVALID),
        ];
        let replies = vec![AssistantMessage::from_tool_calls(calls).into(), setup.answer(VALID).into()];
        let (end, session, _) = setup.session(replies).await;
        assert_eq!(end, TypedEnd::Answered(invoice()), "{}", setup.name());
        assert_eq!(
            texts(&session)[2..],
            [
                "Error: `final_answer` must be the only call. Call it again after the results of the others.",
                "order 7",
                &format!(
                    "Error: invalid arguments for `final_answer`: {PROBLEMS}. Call it again, but {CHANGES}."
                ),
                VALID,
            ]
        );
    }
}
