//! Wires by name.

use super::Wire;
use super::provider::{PROVIDERS, Provider, provider};
use crate::outcome::Truncated;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// The wire of this name, with its default settings: `chat_completions`, or with the feature of the same name `anthropic`,
/// `gemini_interactions`, `responses`, `gemini`, `ollama` or `bedrock`.
///
/// A program that needs other settings, such as `strict`, creates the wire itself:
///
/// ```
/// use std::sync::Arc;
/// use tool_runtime::wire::{self, ChatCompletions, UnknownWireError, Wire};
///
/// fn strict(name: &str) -> Result<Arc<dyn Wire>, UnknownWireError> {
///     match name {
///         "chat_completions" => Ok(Arc::new(ChatCompletions::new().strict(true))),
///         other => wire::by_name(other),
///     }
/// }
/// assert!(strict("antropic").is_err_and(|error| error.to_string().starts_with("there is no wire `antropic`")));
/// ```
///
/// # Errors
///
/// No wire has this name, or its feature is disabled; the error names the feature.
pub fn by_name(name: &str) -> Result<Arc<dyn Wire>, UnknownWireError> {
    let wire = provider(name).and_then(|provider| provider.wire);
    wire.map(|new| new()).ok_or_else(|| UnknownWireError { name: name.to_owned() })
}

/// How a program reads a text of this wire, for an error message.
pub(super) fn advice(name: &str) -> String {
    match provider(name).map(Provider::feature) {
        Some(Some(feature)) => format!("read it with the wire `{name}` (feature `{feature}`)"),
        Some(None) => format!("read it with the wire `{name}`"),
        None => "there is no wire for it".to_owned(),
    }
}

/// The error for a name that no available wire has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownWireError {
    name: String,
}

impl fmt::Display for UnknownWireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(feature) = provider(&self.name).and_then(Provider::feature) {
            let name = &self.name;
            return write!(
                f,
                "the wire `{name}` is not available: enable the feature `{feature}` of tool-runtime"
            );
        }
        let names: Vec<String> = PROVIDERS.iter().map(|provider| format!("`{}`", provider.name)).collect();
        write!(f, "there is no wire `{}`: use one of {}", Truncated(&self.name), names.join(", "))
    }
}

impl Error for UnknownWireError {}

#[cfg(test)]
mod tests {
    use super::UnknownWireError;

    #[test]
    fn the_error_for_a_disabled_wire_names_its_feature() {
        let error = UnknownWireError { name: "anthropic".to_owned() };
        assert_eq!(
            error.to_string(),
            "the wire `anthropic` is not available: enable the feature `anthropic` of tool-runtime"
        );
    }
}
