//! The state of one pending call.

use crate::contained_call::ContainedCall;
use crate::context::Cause;
use crate::conversation::{InnerPending, WaitingCall};
use crate::dispatch::HandedOutCall;
use crate::fingerprint::Fingerprint;
use crate::message::{ToolCall, ToolMessage};
use crate::tool::Approval;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default)]
pub(in crate::conversation) struct CallState {
    pub(in crate::conversation) phase: Phase,
    /// `None` unless a person has replaced the arguments.
    pub(in crate::conversation) edit: Option<Edit>,
    /// Whether the call counts towards the `max_calls` of its tool, from a run that did not finish it.
    pub(in crate::conversation) is_counted: bool,
    /// The calls that its tool has made, if the call continues in a later run.
    pub(in crate::conversation) inner: Option<Box<InnerPending>>,
}

/// The phase of a pending call. `has_begun` is whether its tool began in a run that did not finish it.
#[derive(Clone, Debug, Default)]
pub(in crate::conversation) enum Phase {
    /// Nobody has decided about it, and no run has started it.
    #[default]
    Undecided,
    /// A person has approved it. No run has started it since.
    Approved {
        /// The fingerprint of the approved tool and arguments.
        fingerprint: Fingerprint,
        has_begun: bool,
    },
    /// A run has ended without its result, since a person or another system has to act.
    Waiting {
        waits_for: WaitsFor,
        has_begun: bool,
    },
    /// Its tool began in a run that did not finish it. It cannot be approved or denied: the next run repeats it or fails it.
    Begun,
    Finished(ToolMessage),
}

/// Arguments that a person gave.
#[derive(Clone, Debug, Default)]
pub(in crate::conversation) struct Edit {
    /// The arguments of the model, which the history shows again if the call never runs. `None` once the tool has begun.
    pub(in crate::conversation) replaced: Option<ReplacedArguments>,
    /// The arguments of the person for a call named `call_tool`, which is approved with them. The registry of the run knows
    /// whether they are those of the call or of the call that it contains.
    pub(in crate::conversation) arguments: Option<String>,
}

/// Arguments of the model that a person replaced.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::conversation) struct ReplacedArguments {
    arguments: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_truncated: bool,
}

/// The reason why a call has no result after a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::conversation) enum WaitsFor {
    Approval {
        /// The tool that the call runs, if it is one of `call_tool`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// The arguments that the tool would receive, if they differ from those of the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        /// The reason why the edited arguments are invalid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    Result {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        arguments: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ticket: Option<String>,
    },
    HandedOut {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        call: Box<HandedOutCall>,
    },
}

impl CallState {
    pub(in crate::conversation) fn finished(result: ToolMessage) -> Self {
        CallState { phase: Phase::Finished(result), ..CallState::default() }
    }

    /// A call whose result comes from elsewhere.
    pub(in crate::conversation) fn waiting_for_result(
        tool: Option<String>,
        arguments: Option<String>,
        ticket: Option<String>,
    ) -> Self {
        let waits_for = WaitsFor::Result { tool, arguments, ticket };
        CallState { phase: Phase::Waiting { waits_for, has_begun: false }, ..CallState::default() }
    }

    /// Waits for an approval with the arguments of the call, unless it is decided.
    pub(super) fn wait_for_approval(&mut self) {
        if matches!(self.phase, Phase::Undecided) {
            let waits_for = WaitsFor::Approval { tool: None, arguments: None, error: None };
            self.phase = Phase::Waiting { waits_for, has_begun: false };
        }
    }

    pub(in crate::conversation) fn result(&self) -> Option<&ToolMessage> {
        match &self.phase {
            Phase::Finished(result) => Some(result),
            _ => None,
        }
    }

    pub(super) fn waits_for(&self) -> Option<&WaitsFor> {
        match &self.phase {
            Phase::Waiting { waits_for, .. } => Some(waits_for),
            _ => None,
        }
    }

    /// Whether its tool began in a run that did not finish it. If the call runs again, this is kept until it has its result,
    /// also while it waits for a new approval.
    pub(in crate::conversation) fn has_begun(&self) -> bool {
        match self.phase {
            Phase::Begun => true,
            Phase::Approved { has_begun, .. } | Phase::Waiting { has_begun, .. } => has_begun,
            Phase::Undecided | Phase::Finished(_) => false,
        }
    }

    /// Whether its tool or one of the calls of the tool began in an earlier run.
    pub(in crate::conversation) fn may_have_taken_effect(&self) -> bool {
        self.has_begun() || self.inner.as_ref().is_some_and(|inner| inner.may_have_taken_effect())
    }

    /// Why the call ends now, unless it began before.
    pub(super) fn cause(&self, otherwise: Cause) -> Cause {
        if self.may_have_taken_effect() { Cause::Interrupted } else { otherwise }
    }

    pub(super) fn approval(&self, call: &ToolCall) -> Approval {
        match self.phase {
            Phase::Approved { .. } if self.edited_arguments().is_some() => Approval::Granted,
            Phase::Approved { fingerprint: approved, .. } if approved == fingerprint(call) => {
                Approval::Granted
            }
            _ => Approval::None,
        }
    }

    pub(in crate::conversation) fn approve(&mut self, call: &ToolCall) {
        self.phase = Phase::Approved { fingerprint: fingerprint(call), has_begun: self.has_begun() };
    }

    fn edited_arguments(&self) -> Option<&String> {
        self.edit.as_ref()?.arguments.as_ref()
    }

    /// Keeps the arguments of the model, which a person replaces.
    pub(super) fn keep_arguments(&mut self, call: &ToolCall) -> &mut Edit {
        let (arguments, is_truncated) = (&call.arguments, call.is_truncated);
        let edit = self.edit.get_or_insert_default();
        edit.replaced.get_or_insert_with(|| ReplacedArguments { arguments: arguments.clone(), is_truncated });
        edit
    }

    /// Changes the arguments of the model that a person has replaced.
    pub(super) fn change_replaced(
        &mut self,
        call: &ToolCall,
        change: impl FnOnce(&ToolCall) -> Option<ToolCall>,
    ) {
        let Some(replaced) = self.edit.as_mut().and_then(|edit| edit.replaced.as_mut()) else { return };
        if let Some(changed) = change(&ToolCall::new("", &call.name, &replaced.arguments)) {
            replaced.arguments = changed.arguments;
        }
    }

    /// Restores the arguments of the model in a call that does not run, unless its tool has begun with others: the history
    /// shows the call of the model.
    pub(super) fn restore_arguments(&mut self, call: &mut ToolCall) {
        let replaced = self.edit.as_mut().and_then(|edit| edit.replaced.take());
        if let (Some(replaced), false) = (replaced, self.is_interrupted()) {
            call.set_arguments(replaced.arguments);
            call.is_truncated = replaced.is_truncated;
        }
    }

    /// The tool that the call runs, if it is one of `call_tool` that waits.
    pub(super) fn contained_tool(&self) -> Option<&str> {
        match self.waits_for()? {
            WaitsFor::Approval { tool, .. }
            | WaitsFor::Result { tool, .. }
            | WaitsFor::HandedOut { tool, .. } => tool.as_deref(),
        }
    }

    /// The call that would run, for its last event: with the arguments that the tool would receive, but not with those of a
    /// hook.
    pub(super) fn reported_call(&self, call: &ToolCall) -> ToolCall {
        let mut reported = reported_call(call, self.contained_tool().is_some());
        if let Some(WaitsFor::Approval { arguments: Some(arguments), .. }) = self.waits_for() {
            reported.arguments.clone_from(arguments);
        }
        reported
    }

    /// Whether the call has begun since the last decision, so that only a run can continue it.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self.phase, Phase::Begun)
    }

    /// Whether a run must not start the call, since its result comes from elsewhere.
    pub(in crate::conversation) fn waits_for_result(&self) -> bool {
        matches!(self.waits_for(), Some(WaitsFor::Result { .. } | WaitsFor::HandedOut { .. }))
    }

    /// Whether the log knows more about the call: it began there, and has no result here, or a person has denied it since.
    pub(in crate::conversation) fn may_follow_log(&self) -> bool {
        match &self.phase {
            Phase::Finished(result) => result.error_kind() == Some("denied"),
            _ => !self.waits_for_result(),
        }
    }

    /// The call that another process runs.
    pub(in crate::conversation) fn handed_out(&self) -> Option<&HandedOutCall> {
        match self.waits_for()? {
            WaitsFor::HandedOut { call, .. } => Some(call),
            _ => None,
        }
    }

    /// The call as it waits; `None` if it has a result, is approved, or has not been run yet.
    pub(super) fn waiting(&self, call: &ToolCall) -> Option<WaitingCall> {
        let (tool, arguments, ticket, error) = match self.waits_for()? {
            WaitsFor::Approval { tool, arguments, error } => (tool, arguments.as_ref(), &None, error),
            WaitsFor::Result { tool, arguments, ticket } => (tool, arguments.as_ref(), ticket, &None),
            WaitsFor::HandedOut { tool, call } => (tool, Some(&call.arguments), &None, &None),
        };
        Some(WaitingCall {
            id: call.id.clone(),
            tool: tool.as_ref().unwrap_or(&call.name).clone(),
            arguments: arguments.unwrap_or(&call.arguments).clone(),
            ticket: ticket.clone(),
            error: error.clone(),
            may_have_taken_effect: self.has_begun(),
            outer_call: None,
        })
    }
}

/// The call in the arguments of a call of `call_tool`, if it contains one, or otherwise this call.
pub(super) fn reported_call(call: &ToolCall, contains_call: bool) -> ToolCall {
    if contains_call { ContainedCall::from_call(call).or(call).clone() } else { call.clone() }
}

/// The fingerprint of a tool and its arguments: an approval is not valid for arguments that are changed in the storage.
pub(super) fn fingerprint(call: &ToolCall) -> Fingerprint {
    Fingerprint::new(&[&call.name, &call.arguments])
}
