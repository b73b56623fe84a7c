//! The forms of a tool's definition that requests contain.

use super::strict::{AnthropicStrict, NotStrict, anthropic_strict, openai_strict};
use serde_json::value::RawValue;
use std::sync::OnceLock;

/// The published parameters of a tool, and their other forms, each created when it is first asked for. Shared by a
/// registry, its subsets and the clones of a definition.
#[derive(Debug)]
pub(crate) struct Forms {
    pub(super) parameters: Box<RawValue>,
    /// The entry of the `tools` array of Chat Completions.
    pub(crate) definition: OnceLock<Box<RawValue>>,
    openai: OnceLock<Result<Box<RawValue>, Vec<NotStrict>>>,
    // Boxed, since most programs use one provider.
    anthropic: OnceLock<Box<Result<AnthropicStrict, Vec<NotStrict>>>>,
}

impl Forms {
    pub(super) fn new(parameters: Box<RawValue>) -> Self {
        Forms { parameters, definition: OnceLock::new(), openai: OnceLock::new(), anthropic: OnceLock::new() }
    }

    pub(super) fn openai_strict(&self) -> Result<&RawValue, &[NotStrict]> {
        match self.openai.get_or_init(|| openai_strict(&self.parameters)) {
            Ok(parameters) => Ok(parameters),
            Err(reasons) => Err(reasons),
        }
    }

    pub(super) fn anthropic_strict(&self) -> Result<&AnthropicStrict, &[NotStrict]> {
        match &**self.anthropic.get_or_init(|| anthropic_strict(&self.parameters).into()) {
            Ok(form) => Ok(form),
            Err(reasons) => Err(reasons),
        }
    }

    /// Whether a model may have received a form in which every argument is required, so that it sends null for an absent
    /// one.
    pub(crate) fn may_require_all(&self) -> bool {
        self.openai.get().is_some()
    }
}
