//! The keys of a tool that a provider rejects.

use crate::arguments::ArgumentsError;
use crate::outcome::{ArgumentError, CallError};
use crate::schema::PropertyKeys;
use crate::validator::{Budget, Validator};
use serde_json::Value;
use std::sync::Arc;

/// The keys of a tool, and the validator of arguments with their written names.
#[derive(Debug)]
pub(crate) struct ToolKeys {
    pub(crate) names: Arc<PropertyKeys>,
    /// `None` if the schema cannot be compiled.
    validator: Option<Validator>,
}

impl ToolKeys {
    pub(crate) fn new(keys: &Arc<PropertyKeys>, enforced: &Value) -> Self {
        let mut written = enforced.clone();
        if let Value::Object(root) = &mut written {
            keys.write_schema(root);
        }
        ToolKeys { names: Arc::clone(keys), validator: Validator::new(&written).ok() }
    }

    /// The error of a call, with written names for a model that received them: the arguments are validated again under
    /// these names.
    #[cold]
    pub(crate) fn call_error(&self, tool: &str, error: ArgumentsError, arguments: &str) -> CallError {
        let written = self.names.written_arguments(arguments);
        let arguments = written.as_deref().unwrap_or(arguments);
        let validator = self.validator.as_ref();
        let error = match error {
            ArgumentsError::Invalid(own) => {
                let errors = validator.map_or_else(Vec::new, |validator| {
                    validator.errors(validator.root, "", arguments, &mut Budget::new(arguments))
                });
                let written = |error: ArgumentError| error.map_path(|path| self.names.written_path(&path));
                let own = own.into_iter().map(written).collect();
                // If there are none, only the decoder rejects the arguments.
                ArgumentsError::Invalid(if errors.is_empty() { own } else { errors })
            }
            error => error,
        };
        error.into_call_error(tool, arguments, validator)
    }
}
