//! Results with an artifact for the program.

use super::NOTHING;
use serde::Serialize;
use serde_json::Value;
use std::any::Any;
use std::fmt;

/// The result of a tool: text for the model, and an optional artifact for the program.
///
/// The artifact is any value, for example an image, a table or an id. It is not part of the request; the program takes
/// it from the [`ToolMessage`](crate::ToolMessage) of the call.
///
/// ```
/// use tool_runtime::{Registry, ToolCall, ToolOutput, tool, tools};
///
/// struct Chart(Vec<u8>);
///
/// /// Draws a chart.
/// #[tool]
/// async fn draw_chart(values: Vec<u8>) -> ToolOutput {
///     ToolOutput::new(format!("a chart of {} values is shown", values.len())).with_artifact(Chart(values))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![draw_chart])?;
/// let answers = registry.dispatch(&[ToolCall::new("call_1", "draw_chart", r#"{"values":[1,2,3]}"#)]).await;
/// assert_eq!(answers[0].content, "a chart of 3 values is shown");
/// let chart: Chart = answers[0].take_artifact().ok_or("there is one")?;
/// assert_eq!(chart.0, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct ToolOutput {
    pub(crate) text: String,
    pub(crate) artifact: Option<Box<dyn Any + Send>>,
}

impl ToolOutput {
    /// Creates an output with this text for the model, without an artifact.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        ToolOutput { text: text.into(), artifact: None }
    }

    /// Creates an output with this value as JSON.
    ///
    /// # Errors
    ///
    /// Returns an error if the value's `Serialize` fails, or if a key of a map is not a string.
    pub fn json(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(ToolOutput::new)
    }

    /// Sets the artifact for the program. It replaces an earlier one.
    #[must_use]
    pub fn with_artifact(self, artifact: impl Any + Send) -> Self {
        ToolOutput { artifact: Some(Box::new(artifact)), ..self }
    }

    /// The text for the model.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The artifact; `None` if there is none or if it has another type.
    #[must_use]
    pub fn artifact<T: Any>(&self) -> Option<&T> {
        self.artifact.as_ref()?.downcast_ref()
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        ToolOutput::new(text)
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        ToolOutput::new(text)
    }
}

/// The text is `ok`.
impl From<()> for ToolOutput {
    fn from((): ()) -> Self {
        ToolOutput::new(NOTHING)
    }
}

/// The text is that of a string, `ok` for null, and JSON for any other value.
impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => ().into(),
            Value::String(text) => text.into(),
            other => other.to_string().into(),
        }
    }
}

impl fmt::Debug for ToolOutput {
    /// Shows whether there is an artifact: the type of an artifact need not implement `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolOutput")
            .field("text", &self.text)
            .field("has_artifact", &self.artifact.is_some())
            .finish()
    }
}
