//! The forms of a tool's definition that requests contain.

use super::written::{Convert, WrittenDefinition};
use super::{AnthropicStrict, NotStrict, PropertyKeys};
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The published parameters of a tool, and their other forms, each created when it is first asked for. Shared by a
/// registry, its subsets and the clones of a definition.
#[derive(Debug, Default)]
pub(crate) struct Forms {
    pub(super) parameters: Box<RawValue>,
    /// The parameters of the strict forms, if they are others.
    pub(super) strict_parameters: Option<Box<RawValue>>,
    /// The conversion of a foreign definition.
    convert: Option<Convert>,
    /// The definition in the form of each wire that has asked for it.
    written: Mutex<Vec<(&'static str, Arc<WrittenDefinition>)>>,
    /// The keys of the parameters that a provider rejects, if there are any.
    property_keys: Option<Arc<PropertyKeys>>,
    /// The entry of the `tools` array of Chat Completions.
    pub(crate) definition: OnceLock<Box<RawValue>>,
    openai: OnceLock<Result<Box<RawValue>, Vec<NotStrict>>>,
    // Boxed, since most programs use one provider.
    anthropic: OnceLock<Box<Result<AnthropicStrict, Vec<NotStrict>>>>,
}

impl Forms {
    pub(super) fn new(
        parameters: Box<RawValue>,
        keys: Option<PropertyKeys>,
        convert: Option<Convert>,
    ) -> Self {
        Forms { parameters, convert, property_keys: keys.map(Arc::new), ..Forms::default() }
    }

    /// The definition in the form of a wire, which `write` creates.
    pub(super) fn written(
        &self,
        wire: &'static str,
        write: impl FnOnce(Option<Convert>) -> WrittenDefinition,
    ) -> Arc<WrittenDefinition> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, definition)) = written.iter().find(|(known, _)| *known == wire) {
            return Arc::clone(definition);
        }
        let new = Arc::new(write(self.convert));
        written.push((wire, Arc::clone(&new)));
        new
    }

    pub(crate) fn property_keys(&self) -> Option<&Arc<PropertyKeys>> {
        self.property_keys.as_ref()
    }

    /// The parameters for a strict form of a wire whose parameters are these.
    pub(crate) fn strict_parameters<'a>(&'a self, written: &'a RawValue) -> &'a RawValue {
        self.strict_parameters.as_deref().unwrap_or(written)
    }

    /// OpenAI's strict form, which `convert` creates.
    pub(crate) fn openai_strict(
        &self,
        convert: impl FnOnce() -> Result<Box<RawValue>, Vec<NotStrict>>,
    ) -> Result<&RawValue, &[NotStrict]> {
        let form = self.openai.get_or_init(convert);
        form.as_deref().map_err(Vec::as_slice)
    }

    /// Anthropic's strict form, which `convert` creates.
    pub(crate) fn anthropic_strict(
        &self,
        convert: impl FnOnce() -> Result<AnthropicStrict, Vec<NotStrict>>,
    ) -> Result<&AnthropicStrict, &[NotStrict]> {
        let form = self.anthropic.get_or_init(|| convert().into());
        form.as_ref().as_ref().map_err(Vec::as_slice)
    }
}
