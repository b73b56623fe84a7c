//! The keys of a tool that a provider rejects.

use crate::arguments::ArgumentsError;
use crate::schema::PropertyKeys;
use crate::validator::{Budget, Validator};
use serde_json::Value;
use std::ops::Deref;
use std::sync::Arc;

/// The keys of a tool, and the validator of arguments with their written names.
#[derive(Debug)]
pub(crate) struct ToolKeys {
    keys: Arc<PropertyKeys>,
    /// `None` if the schema cannot be compiled.
    validator: Option<Validator>,
}

impl ToolKeys {
    pub(crate) fn new(keys: &Arc<PropertyKeys>, enforced: &Value) -> Self {
        let written = keys.write_schema(enforced).schema;
        ToolKeys { keys: Arc::clone(keys), validator: Validator::new(&written).ok() }
    }

    /// The error of these arguments with written names, if there are keys and the schema rejects the arguments. An error of the
    /// decoder alone stays as it is.
    #[cold]
    pub(crate) fn written_error(
        keys: Option<&Self>,
        error: ArgumentsError,
        arguments: &str,
    ) -> ArgumentsError {
        let validator = keys.and_then(|keys| Some((keys, keys.validator.as_ref()?)));
        let (ArgumentsError::Invalid(_), Some((keys, validator))) = (&error, validator) else { return error };
        let written = keys.written_arguments(arguments);
        let arguments = written.as_deref().unwrap_or(arguments);
        let errors = validator.errors(validator.root, "", arguments, &mut Budget::new(arguments));
        if errors.is_empty() { error } else { ArgumentsError::Invalid(errors) }
    }
}

impl Deref for ToolKeys {
    type Target = PropertyKeys;

    fn deref(&self) -> &PropertyKeys {
        &self.keys
    }
}
