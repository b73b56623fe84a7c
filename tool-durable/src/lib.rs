//! At most one effect per tool call of a language model, across crashes of the program.
//!
//! A program that calls tools can end at any moment: it is killed, it panics, or the machine fails. If it then asks the model
//! again, the model calls the tools again, and a customer is charged twice. A journal prevents this: it records each reply
//! before a call with an effect begins, each such call when it begins, and each result. After a restart, the program runs the
//! stored session, and the run continues where it ended.
//!
//! ```
//! use tool_runtime::{Registry, RunContext, Session, tool, tools};
//! use tool_runtime_durable::{DurableRun, FileJournal};
//! # use tool_runtime::conversation::Request;
//! # use tool_runtime::{AssistantMessage, ToolCall};
//! # struct Client;
//! # impl Client {
//! #     async fn complete(&self, request: Request) -> Result<AssistantMessage, std::io::Error> {
//! #         Ok(match request.messages().len() {
//! #             1 => AssistantMessage::from_tool_calls(vec![ToolCall::new("call_0", "charge", r#"{"euros":20}"#)]),
//! #             _ => AssistantMessage::from_text("Done."),
//! #         })
//! #     }
//! # }
//!
//! /// Charges the card of the customer.
//! #[tool(destructive)]
//! async fn charge(euros: u32) -> String {
//!     format!("charged {euros} euros")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let client = Client;
//! # let folder = std::env::temp_dir().join(format!("durable_{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let journal = FileJournal::open(folder.join("orders.journal"))?;
//! let registry = Registry::new(tools![charge])?;
//! let context = RunContext::new().run_id("order-7"); // one id per session, the same after a restart
//! let stored = serde_json::to_string(&Session::new().user("Charge 20 euros.").claim())?; // in the database of the program
//!
//! let mut session: Session = serde_json::from_str(&stored)?;
//! let run = session.run(&registry.with(&context)).journal(&journal);
//! let end = run.complete(|request| client.complete(request)).await?;
//! // If the program ends here, it runs the stored session again: nothing is charged, and the model is not asked.
//! let mut again: Session = serde_json::from_str(&stored)?;
//! let run = again.run(&registry.with(&context)).journal(&journal);
//! assert_eq!(run.complete(|_| async { Err("the model is not asked") }).await?, end);
//! assert_eq!(again.messages(), session.messages());
//! # drop(journal);
//! # std::fs::remove_dir_all(folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! `cargo run -p tool-runtime-durable --example orders` runs a program that ends at random moments until all orders are charged.
//!
//! An error of the journal is one of the run:
//!
//! ```
//! use tool_runtime::session::{RunEnd, RunError};
//! use tool_runtime_durable::JournalError;
//!
//! fn report(ended: Result<RunEnd, RunError<std::io::Error>>) {
//!     match ended {
//!         Ok(end) => println!("{end}"),
//!         Err(RunError::Log(error)) => match error.downcast_ref::<JournalError>() {
//!             Some(JournalError::Storage { .. }) => println!("run the session again later: {error}"),
//!             _ => println!("load the session again: {error}"),
//!         },
//!         Err(error) => println!("run the session again: {error}"),
//!     }
//! }
//! ```
//!
//! # Promises
//!
//! The program ends at some moment, and later runs the session again with the same run id and journal. The result
//! depends on the annotations of the tool (`#[tool(read_only)]`, `#[tool(idempotent)]`) in the later program:
//!
//! | The program ends | `read_only` or `idempotent` | any other tool |
//! | --- | --- | --- |
//! | before the reply is recorded | no call has begun, except `read_only` calls of a streamed reply; the model is asked again | no call has begun; the model is asked again |
//! | after the reply is recorded, before the call is | the call runs | the call runs |
//! | after the call is recorded, before its effect | the call runs again | it does not run again, and there is no effect; its result is the error below |
//! | after its effect, before its result is recorded | the call runs again: a second effect, unless the tool prevents it | it does not run again; its result is the error below |
//! | after its result is recorded | the recorded result | the recorded result |
//!
//! The error is `` Error: `charge` was interrupted. It may have taken effect: check whether it did. `` So:
//!
//! - **At most once**: the effect of a call whose tool is neither `read_only` nor `idempotent`. After the error, the model or a
//!   person checks. Give the model a tool that looks the effect up, as the example `orders` does.
//! - **At least once**: the effect of a call whose tool is `idempotent`, if the call succeeds.
//! - **Exactly once**: the effect of an `idempotent` tool that passes
//!   [`CallContext::idempotency_key`](tool_runtime::CallContext::idempotency_key) to a service that ignores a second
//!   request with the same key. The key is the same each time the call runs. Declare such a tool as
//!   `#[tool(destructive, idempotent)]`.
//! - **One result for each call, and the same conversation**: a session that runs again has the recorded replies, and
//!   the results that precede them, including those of calls that were denied, invalid or too late.
//!
//! These promises are for one call. After an error, the model may call the tool again, and the new call has a new key. To charge
//! an order once whatever the model does, make the key from the order, or look the charge up in the tool.
//!
//! # Rules for the program
//!
//! 1. Use one run id ([`RunContext::run_id`](tool_runtime::RunContext::run_id)) for each session, with the same
//!    journal in each run of it.
//! 2. Store [`session.claim()`](tool_runtime::Session::claim) before each run: after each user message, each decision,
//!    each result that the program sets, and each trim. Store the session after each run. If the program ends before an
//!    approved call begins, the claimed session needs its approval again.
//! 3. After a restart, run the stored session first. Then add messages and decisions. A recorded reply to a user
//!    message with another text is an error ([`JournalError::OtherMessages`]): take the newer message out of the
//!    session ([`Session::edit`](tool_runtime::Session::edit)), run it, and add the message again.
//! 4. Remove the records of a session only when no earlier state of it can run, and no queue can deliver a call of it again:
//!    [`Journal::remove_run`] after the session is stored safely. [`FileJournalOptions::remove_after`] is for the records that
//!    remain after crashes. Both remove the records of inner sessions with those of the outer one.
//!
//! # Details
//!
//! - A call is compared by its id, its tool and its arguments, before a hook replaces them (`Decision::RunWith`); a call that
//!   differs from its record does not run ([`JournalError::OtherCall`]). A finished call has its recorded result even if its
//!   tool is missing in the later program, its arguments are invalid there, or a hook would deny it. An
//!   [inner call](tool_runtime::CallContext::inner_call) is an exception: the hook decides about it again before its recorded
//!   result is returned, so it must decide as before.
//! - An interrupted call that runs again passes the hook and the limits again. If they stop it, its result does not
//!   report that it may have taken effect.
//! - A call that failed, or whose tool exceeded its time limit, has finished: its error is its result. A call that was
//!   cancelled or dropped is interrupted, unless its tool returns when it is cancelled: its event, the session and the journal
//!   then have this result. One that is later than
//!   [`call_timeout`](tool_runtime::RegistryBuilder::call_timeout) is interrupted until the next reply is recorded.
//! - A tool that runs an inner session with the journal is `idempotent`, so that it runs again and continues its session. If its
//!   inner run was cancelled, it does not return, since its return value would be its result: it awaits
//!   [`std::future::pending`].
//! - The journal records the result after the middleware of the registry, before
//!   [`max_result_bytes`](tool_runtime::RegistryBuilder::max_result_bytes) truncates it. Artifacts and sources of errors are
//!   not recorded.
//! - An approved call that has begun needs no other approval, even if the stored session still waits for it. It has the
//!   arguments with which it was approved.
//! - The journal is the [log](tool_runtime::session::Run::log) of the run, outside of all middleware. Calls of `read_only` tools
//!   without `max_calls` start while a streamed reply is received, and are not recorded; the others start after the reply is
//!   recorded.
//! - After an error of the journal, no further call begins; calls that run finish; the run returns
//!   [`RunError::Log`](tool_runtime::session::RunError::Log), which contains a [`JournalError`]. The session is valid, and
//!   another run continues it.
//! - Two runs of a session at once, such as two requests of one user, end with the same conversation: one of them sends each
//!   request and runs each call, and the other waits for the reply and for the result. If it is dropped or fails, the other goes
//!   on. A wait has no limit: cancel the run to end it. A call that waits for the other run holds its permit of `max_concurrency`,
//!   and its `call_timeout` counts. The exceptions are reads of a streamed reply, which start early and run in both, and work that
//!   continues after its call is dropped: the thread of a `blocking` tool, and a task that the tool or middleware has spawned.
//! - A session whose result of a call contradicts the journal is an error ([`JournalError::OtherResult`]): for example, a person has
//!   denied the call in one request, while another one has run it.
//! - Messages of the [inbox](tool_runtime::Session::inbox), changes of [hooks](tool_runtime::session::Run::between_replies) and
//!   [compaction](tool_runtime::session::Run::compact) are recorded with the reply that follows them. A run from an earlier state
//!   repeats them, and calls no hook before a recorded reply. To keep a message that arrives before a crash, and that no reply
//!   follows, store the session during the run ([`Run::store`](tool_runtime::session::Run::store)).
//! - Calls that are handed out ([`Run::hand_out_calls`](tool_runtime::session::Run::hand_out_calls)) are not recorded, and their
//!   results are recorded with the next reply. [`record_calls`] records them in the worker.
//! - A program whose calls an engine runs once per key records only its replies ([`DurableRun::journal_replies`]).
//! - [`FileJournal`] is for one process on one machine, and a local disk. [`Journal`] is a trait for other stores, also for those
//!   that several processes share; `testing::check_journal` (feature `testing`) checks whether a store keeps its rules.
//! - Without a [`Session`](tool_runtime::Session), [`record_calls`] records the calls of a dispatch.
//! - The minimum Rust version is 1.90, that of [`redb`](https://docs.rs/redb), in which [`FileJournal`] stores its records.
#![warn(clippy::disallowed_methods)]

mod call;
mod error;
mod file_journal;
mod journal;
mod log;
mod newest_user;
mod release;
mod run;
#[cfg(feature = "testing")]
pub mod testing;

pub use call::record_calls;
pub use error::JournalError;
pub use file_journal::{FileJournal, FileJournalOptions, OpenError};
pub use journal::{Journal, JournalCall, JournalFuture, JournalReply, RecordedCall};
pub use run::DurableRun;

/// The programs of the README, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
