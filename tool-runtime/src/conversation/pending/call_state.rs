//! The state of one pending call.

use crate::conversation::WaitingCall;
use crate::fingerprint::Fingerprint;
use crate::message::{ToolCall, ToolMessage};
use crate::tool::Approval;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default)]
pub(in crate::conversation) struct CallState {
    pub(in crate::conversation) result: Option<ToolMessage>,
    /// The fingerprint of the approved tool and arguments.
    pub(in crate::conversation) approved: Option<Fingerprint>,
    /// Whether a person replaced the arguments.
    pub(in crate::conversation) is_edited: bool,
    /// The arguments of the model, if a person replaced them and the tool has not begun with others.
    pub(in crate::conversation) replaced: Option<ReplacedArguments>,
    /// The arguments of a person for a call named `call_tool`, which is approved with them. The registry of the run knows whether
    /// they are those of the call or of the call that it contains.
    pub(in crate::conversation) edit: Option<String>,
    /// Whether the tool began in a run that did not finish it. If the call runs again, this is kept until it has its result, also
    /// while it waits for a new approval.
    pub(in crate::conversation) has_begun: bool,
    /// Whether the call counts towards the `max_calls` of its tool, from a run that did not finish it.
    pub(in crate::conversation) is_counted: bool,
    pub(in crate::conversation) waits_for: Option<WaitsFor>,
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
}

impl CallState {
    pub(in crate::conversation) fn with_result(result: ToolMessage) -> Self {
        CallState { result: Some(result), ..CallState::default() }
    }

    pub(super) fn approval(&self, call: &ToolCall) -> Approval {
        match &self.approved {
            _ if self.edit.is_some() => Approval::Granted,
            Some(approved) if *approved == fingerprint(call) => Approval::Granted,
            _ => Approval::None,
        }
    }

    /// Keeps the arguments of the model, which a person replaces.
    pub(super) fn keep_arguments(&mut self, call: &ToolCall) {
        let (arguments, is_truncated) = (&call.arguments, call.is_truncated);
        self.replaced.get_or_insert_with(|| ReplacedArguments { arguments: arguments.clone(), is_truncated });
    }

    /// Changes the arguments of the model that a person has replaced.
    pub(super) fn change_replaced(
        &mut self,
        call: &ToolCall,
        change: impl FnOnce(&ToolCall) -> Option<ToolCall>,
    ) {
        let Some(replaced) = &mut self.replaced else { return };
        if let Some(changed) = change(&ToolCall::new("", &call.name, &replaced.arguments)) {
            replaced.arguments = changed.arguments;
        }
    }

    /// Restores the arguments of the model in a call that does not run, unless its tool has begun with others: the history
    /// shows the call of the model.
    pub(super) fn restore_arguments(&mut self, call: &mut ToolCall) {
        if let (Some(replaced), false) = (self.replaced.take(), self.is_interrupted()) {
            call.set_arguments(replaced.arguments);
            call.is_truncated = replaced.is_truncated;
        }
    }

    /// The tool that the call runs, if it is one of `call_tool` that waits.
    pub(super) fn inner_tool(&self) -> Option<&str> {
        match self.waits_for.as_ref()? {
            WaitsFor::Approval { tool, .. } | WaitsFor::Result { tool, .. } => tool.as_deref(),
        }
    }

    /// Whether the call has begun since the last decision, so that only a run can continue it.
    pub(super) fn is_interrupted(&self) -> bool {
        self.has_begun && self.approved.is_none() && self.waits_for.is_none()
    }

    /// Whether a run must not start the call, since its result comes from elsewhere.
    pub(super) fn waits_for_result(&self) -> bool {
        matches!(self.waits_for, Some(WaitsFor::Result { .. }))
    }

    /// The call as it waits; `None` if it has a result, is approved, or has not been run yet.
    pub(super) fn waiting(&self, call: &ToolCall) -> Option<WaitingCall> {
        let (tool, arguments, ticket, error) = match self.waits_for.as_ref()? {
            WaitsFor::Approval { tool, arguments, error } => (tool, arguments, &None, error),
            WaitsFor::Result { tool, arguments, ticket } => (tool, arguments, ticket, &None),
        };
        Some(WaitingCall {
            id: call.id.clone(),
            tool: tool.as_ref().unwrap_or(&call.name).clone(),
            arguments: arguments.as_ref().unwrap_or(&call.arguments).clone(),
            ticket: ticket.clone(),
            error: error.clone(),
            may_have_taken_effect: self.has_begun,
        })
    }
}

/// The fingerprint of a tool and its arguments.
pub(super) fn fingerprint(call: &ToolCall) -> Fingerprint {
    Fingerprint::new(&[&call.name, &call.arguments])
}
