//! One session from its first message to the end of its script.

use crate::Tally;
use crate::program::{World, handles, is_user};
use crate::script::replies;
use crate::tools::{Texts, registry};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use tool_runtime::conversation::Request;
use tool_runtime::message::Message;
use tool_runtime::session::{Budget, Flow, RunEnd, RunError, Session};
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, ErrorKind, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};
use tool_runtime::{AssistantMessage, Registry, RunContext, ToolCall};
use tool_runtime_compaction::{Compaction, ResultStore as _, Spill, estimated_tokens};
use tool_runtime_durable::{DurableRun as _, FileJournal};
use tool_runtime_testing::{ScriptedModel, ScriptedModelError};

const RUN_ID: &str = "chat-7";
/// The sessions that share the budget at once: this one, its neighbour, and one for each of the three calls of a reply.
const MAX_RUNNING_SESSIONS: u64 = 5;

pub(crate) struct Round {
    rng: Rng,
    wire: Arc<dyn Wire>,
    streams: bool,
    upper_mark: usize,
    lower_mark: usize,
    summarises: bool,
    budget: Budget,
    token_limit: u64,
    journal: Option<FileJournal>,
    _folder: Option<tempfile::TempDir>,
    texts: Texts,
    spill: Spill,
    world: World,
    model: ScriptedModel,
}

/// How a run of the round ended.
enum Ended {
    Run(RunEnd),
    Error(RunError<ScriptedModelError>),
    Dropped,
}

impl Round {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let wires: [Arc<dyn Wire>; 7] = [
            Arc::new(ChatCompletions::new()),
            Arc::new(Anthropic::new()),
            Arc::new(Responses::new()),
            Arc::new(Gemini::new()),
            Arc::new(GeminiInteractions::new()),
            Arc::new(Bedrock::new()),
            Arc::new(Ollama::new()),
        ];
        let wire = Arc::clone(&wires[rng.usize(..wires.len())]);
        let upper_mark = rng.usize(300..4_000);
        let (reply_tokens, token_limit) = (1_000, rng.u64(5_000..60_000));
        let folder = rng.bool().then(|| tempfile::tempdir().expect("a folder"));
        let journal = folder
            .as_ref()
            .map(|folder| FileJournal::open(folder.path().join("round.journal")).expect("a journal"));
        let texts = Texts::default();
        let count = rng.usize(5..60);
        let script = replies(&mut rng, count, reply_tokens);
        Round {
            streams: rng.bool(),
            upper_mark,
            lower_mark: rng.usize(100..upper_mark),
            summarises: rng.bool(),
            budget: Budget::new().tokens(token_limit),
            token_limit,
            journal,
            _folder: folder,
            spill: Spill::store(texts.clone()).above(rng.usize(2_000..4_000)),
            texts,
            world: World::new(rng.fork(), reply_tokens),
            model: ScriptedModel::new(script).wire(Arc::clone(&wire)),
            wire,
            rng,
        }
    }

    pub(crate) async fn play(mut self, tally: &mut Tally) -> Result<(), String> {
        let played = self.steps(tally).await;
        let events = std::mem::take(&mut self.world.known().events);
        for event in events {
            tally.add(event);
        }
        played.map_err(|violation| {
            format!("{violation}\nwire: {:?}, journal: {}", self.wire, self.journal.is_some())
        })
    }

    async fn steps(&mut self, tally: &mut Tally) -> Result<(), String> {
        let registry = registry(&self.world, &self.spill).with(&RunContext::new().run_id(RUN_ID));
        let mut session = Session::new().system("Be brief.").user(self.world.message());
        let mut known_handles = BTreeSet::new();
        for _ in 0..80 {
            self.world.known().inbox = session.inbox();
            let claimed = session.claim();
            let stored = Mutex::new(to_text(&claimed)?);
            let ended = self.run(&mut session, &registry, &stored).await;
            let restarts = match &ended {
                Ended::Dropped => self.journal.is_some(),
                Ended::Run(_) => self.rng.u32(0..4) == 0,
                Ended::Error(RunError::Client(ScriptedModelError::Rejected(error))) => {
                    return Err(error.to_string());
                }
                Ended::Error(RunError::Client(ScriptedModelError::ScriptEnded { .. })) => break,
                Ended::Error(RunError::Client(ScriptedModelError::Server { .. }) | RunError::Stream(_)) => {
                    false
                }
                Ended::Error(error) => return Err(format!("{error}")),
            };
            self.check(&session, &mut known_handles).await?;
            // A run that ends with its budget may not have repeated all that was recorded.
            if let (Ended::Run(end), Some(journal)) = (&ended, &self.journal)
                && *end != RunEnd::TokenBudget
            {
                tally.add("journal");
                check_repeated(claimed, &session, &registry, journal)
                    .await
                    .map_err(|error| format!("after {end}: {error}"))?;
            }
            if restarts {
                tally.add("restart");
                if matches!(ended, Ended::Dropped) {
                    session = from_text(&stored.into_inner().unwrap_or_else(PoisonError::into_inner))?;
                    self.restart(&session);
                    known_handles = shown_handles(&session);
                } else {
                    session = from_text(&to_text(&session)?)?;
                    self.check(&session, &mut known_handles).await?;
                }
            }
            match ended {
                Ended::Dropped => tally.add("dropped run"),
                Ended::Run(RunEnd::TokenBudget) => {
                    tally.add("budget");
                    break;
                }
                Ended::Run(RunEnd::Stopped) => tally.add("stop"),
                Ended::Run(RunEnd::NeedsApproval) => self.decide(&mut session),
                Ended::Run(RunEnd::Answered) => session.push_user(self.world.message()),
                _ => {}
            }
        }
        tally.add(if known_handles.is_empty() { "no handle" } else { "handle" });
        let reads = session.messages().iter().filter(
            |message| matches!(message, Message::Tool(result) if result.tool() == Some("read_result") && !result.is_error()),
        );
        reads.for_each(|_| tally.add("read"));
        let summaries = session.messages().iter().filter(|message| message.text().contains("Removed: "));
        summaries.for_each(|_| tally.add("summary"));
        self.spill.remove_run(RUN_ID).await.map_err(|error| error.to_string())?;
        if self.texts.is_empty() { Ok(()) } else { Err("texts are left in the store".to_owned()) }
    }

    /// Runs the session, with a neighbour that shares the budget. The run may be dropped.
    async fn run(&mut self, session: &mut Session, registry: &Registry, stored: &Mutex<String>) -> Ended {
        let mut rng = self.rng.fork();
        let (world, model) = (&self.world, &self.model);
        let polls = if rng.u32(0..3) == 0 { rng.usize(1..60) } else { usize::MAX };
        let mut compaction = Compaction::above(self.upper_mark, estimated_tokens)
            .down_to(self.lower_mark)
            .keep_replies(rng.usize(0..4))
            .on_compacted(|trimmed| world.compacted(trimmed));
        if self.summarises {
            compaction = compaction.summarise(|removed: Vec<Message>| async move {
                tokio::task::yield_now().await;
                Ok::<_, std::io::Error>(format!("Removed: {}.", removed.len()))
            });
        }
        let kind = |error: &ScriptedModelError| {
            world.add("overflow");
            ErrorKind::from_response(400, &error.to_string())
        };
        let run = session.run(registry).wire(Arc::clone(&self.wire)).budget(&self.budget).max_replies(200);
        let run = run.compact(compaction).classify_error(kind);
        let run = if rng.bool() { run.continue_with_inbox() } else { run };
        let run = match &self.journal {
            Some(journal) => run.journal(journal),
            None => run,
        };
        let run = run.between_replies(|mut session| {
            let (stops, sends) = (rng.u32(0..20) == 0, rng.u32(0..20) == 0);
            Box::pin(async move {
                if sends
                    && session.pending().is_none()
                    && !matches!(session.messages().last(), Some(Message::Assistant(_)))
                {
                    session.push_user(world.message());
                }
                *stored.lock().unwrap_or_else(PoisonError::into_inner) = to_text(&session)?;
                Ok(if stops { Flow::Stop } else { Flow::Continue })
            })
        });
        let neighbour = run_neighbour(&self.budget, self.rng.u32(0..4) == 0, world.reply_tokens());
        let ended = if self.streams {
            futures_util::future::join(at_most(polls, run.stream(|request| model.stream(request))), neighbour)
                .await
                .0
        } else {
            futures_util::future::join(
                at_most(polls, run.complete(|request| model.complete(request))),
                neighbour,
            )
            .await
            .0
        };
        match ended {
            None => Ended::Dropped,
            Some(Ok(end)) => Ended::Run(end),
            Some(Err(error)) => Ended::Error(error),
        }
    }

    /// After a crash, the program knows the messages that were stored, and the user sends the others again, if at all.
    fn restart(&self, session: &Session) {
        let mut known = self.world.known();
        let stored = to_text(session).unwrap_or_default();
        let removed = known.removed.clone();
        known.sent.retain(|message| stored.contains(message.as_str()) || removed.contains(message));
    }

    fn decide(&mut self, session: &mut Session) {
        for call in session.awaiting_approval() {
            let decided =
                if self.rng.bool() { session.approve(&call.id) } else { session.deny(&call.id, "not now") };
            decided.expect("the call waits");
        }
    }

    async fn check(&self, session: &Session, known_handles: &mut BTreeSet<String>) -> Result<(), String> {
        let loaded = from_text(&to_text(session)?)?;
        if loaded.messages() != session.messages() {
            return Err("the stored session differs".to_owned());
        }
        // Handles.
        let shown = shown_handles(session);
        if let Some(lost) = known_handles.difference(&shown).next() {
            return Err(format!(
                "the handle {lost} is lost in {:#?}",
                session
                    .messages()
                    .iter()
                    .map(|message| message.text().chars().take(300).collect::<String>())
                    .collect::<Vec<_>>()
            ));
        }
        for handle in &shown {
            let text = self.texts.read(RUN_ID, handle).await.map_err(|error| error.to_string())?;
            let other = self.texts.read("chat-8", handle).await.map_err(|error| error.to_string())?;
            if text.is_none() || other.is_some() {
                return Err(format!(
                    "the handle {handle} is {:?} and {other:?} in {:#?}",
                    text.is_some(),
                    session
                        .messages()
                        .iter()
                        .filter(|message| message.text().contains(handle.as_str()))
                        .map(|message| message.text().to_owned())
                        .collect::<Vec<_>>()
                ));
            }
        }
        *known_handles = shown;
        // Messages of the user.
        let known = self.world.known();
        let in_session: Vec<&str> =
            session.messages().iter().filter(|message| is_user(message)).map(Message::text).collect();
        let waiting = session.inbox().len();
        let all: BTreeSet<&str> = in_session.iter().copied().collect();
        if all.len() != in_session.len() {
            return Err(format!("a message of the user is there twice: {in_session:?}"));
        }
        let missing = known
            .sent
            .iter()
            .filter(|text| !all.contains(text.as_str()) && !known.removed.contains(*text))
            .count();
        if missing > waiting {
            return Err(format!("{missing} messages are missing, and {waiting} wait: {:?}", known.sent));
        }
        // Effects and budget.
        if let Some((order, times)) = known.charges.iter().find(|(_, times)| **times > 1) {
            return Err(format!("order {order} was charged {times} times"));
        }
        let (spent, most) =
            (self.budget.spent().tokens, self.token_limit + MAX_RUNNING_SESSIONS * known.reply_tokens);
        if spent > most {
            Err(format!("{spent} tokens are spent, and the limit is {}", self.token_limit))
        } else {
            Ok(())
        }
    }
}

/// A run of the claimed session with the same journal has the same replies.
async fn check_repeated(
    mut claimed: Session,
    session: &Session,
    registry: &Registry,
    journal: &FileJournal,
) -> Result<(), String> {
    let run = claimed.run(registry).max_replies(200).journal(journal);
    let ended = run.complete(|_| async { Err::<AssistantMessage, _>("the model is not asked") }).await;
    if let Err(error @ RunError::Log(_)) = &ended {
        return Err(error.to_string());
    }
    // The messages after the newest reply are recorded with the next one.
    let (repeated, all) = (up_to_newest_reply(&claimed), up_to_newest_reply(session));
    if let Some(at) = repeated.iter().zip(all).position(|(repeated, message)| repeated != message) {
        return Err(format!("the repeated run differs at {at}: {:#?}", (&repeated[at], &all[at])));
    }
    if (repeated.len(), claimed.replies()) == (all.len(), session.replies()) {
        Ok(())
    } else {
        Err(format!("the repeated run has {} messages, and the session {}", repeated.len(), all.len()))
    }
}

fn up_to_newest_reply(session: &Session) -> &[Message] {
    let newest = session.messages().iter().rposition(|message| matches!(message, Message::Assistant(_)));
    &session.messages()[..newest.map_or(0, |newest| newest + 1)]
}

/// Another session of the program.
async fn run_neighbour(budget: &Budget, runs: bool, tokens: u64) {
    if runs {
        let reply = AssistantMessage::from_tool_calls([ToolCall::new("a", "none", "{}")]);
        let reply = reply.with_usage(tool_runtime::message::Usage::new(tokens, 0));
        let model = ScriptedModel::repeat(reply);
        let registry = Registry::new(tool_runtime::tools![]).expect("no tool is valid");
        let mut session = Session::new().user("Hello!");
        let run = session.run(&registry).budget(budget).max_requests(3);
        let _ = run.complete(|request: Request| model.complete(request)).await;
    }
}

/// Polls a future so often, and drops it.
async fn at_most<F: Future>(polls: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(context).map(Some)
    })
    .await
}

fn shown_handles(session: &Session) -> BTreeSet<String> {
    session
        .messages()
        .iter()
        .filter(|message| !matches!(message, Message::Assistant(_)))
        .flat_map(|message| handles(message.text()))
        .collect()
}

fn to_text(session: &Session) -> Result<String, String> {
    serde_json::to_string(session).map_err(|error| error.to_string())
}

fn from_text(text: &str) -> Result<Session, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}
