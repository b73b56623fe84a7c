//! The keys of a tool that a provider rejects.

use crate::arguments::ArgumentsError;
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

    /// The error with written names, for a model that received them: the arguments are validated again under these names.
    /// Without keys, the same error.
    #[cold]
    pub(crate) fn written_error(
        keys: Option<&Self>,
        error: ArgumentsError,
        arguments: &str,
    ) -> ArgumentsError {
        let (ArgumentsError::Invalid(_), Some(keys)) = (&error, keys) else { return error };
        let written = keys.names.written_arguments(arguments);
        let arguments = written.as_deref().unwrap_or(arguments);
        let errors = keys.validator.as_ref().map_or_else(Vec::new, |validator| {
            validator.errors(validator.root, "", arguments, &mut Budget::new(arguments))
        });
        match error {
            // Only the decoder rejects the arguments.
            ArgumentsError::Invalid(own) if errors.is_empty() => {
                let written =
                    own.into_iter().map(|error| error.map_path(|path| keys.names.written_path(&path)));
                ArgumentsError::Invalid(written.collect())
            }
            _ => ArgumentsError::Invalid(errors),
        }
    }
}
