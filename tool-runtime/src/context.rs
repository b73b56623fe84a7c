//! The context of a call and of a run, and the events of calls.

mod allowed_tools;
mod begun_calls;
mod budget;
mod call;
mod event;
mod event_queue;
mod inherit;
mod inner_calls;
mod key;
mod order;
mod pauses;
mod question;
mod record;
mod run;
mod start_gate;

pub(crate) use allowed_tools::AllowedTools;
pub(crate) use begun_calls::BegunCalls;
pub use budget::{Budget, BudgetLimit, Spent};
pub use call::CallContext;
pub(crate) use event::CallEvents;
pub use event::{CallEvent, CallStatus, Cause, HookArguments};
pub(crate) use event_queue::{EventQueue, Queued};
pub(crate) use inner_calls::{
    InnerCalls, InnerRecord, LoggedInnerCall, MAY_HAVE_EFFECT, inner_call_line, note_of_inner_calls,
};
pub use key::CallKey;
pub(crate) use order::{Order, OrderedCall, Progress};
pub(crate) use pauses::Pauses;
pub use question::{Question, UserAnswer};
pub(crate) use record::CallRecord;
pub use run::RunContext;
pub(crate) use start_gate::StartGate;
