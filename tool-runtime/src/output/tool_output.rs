//! What a tool returns when the model and the program are to get different things.

use super::NOTHING;
use serde::Serialize;
use serde_json::Value;
use std::any::Any;
use std::fmt;

/// What the model reads, and an artifact that only the program gets.
///
/// The artifact is any value: a picture, a table, an id. It is not written to the wire; the program takes it from the
/// [`ToolMessage`](crate::ToolMessage) that answers the call.
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
    /// What the model reads.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        ToolOutput { text: text.into(), artifact: None }
    }

    /// A value that the model reads as JSON.
    ///
    /// # Errors
    ///
    /// The value's own, or a key of a map that is no string.
    pub fn json(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::to_string(value).map(ToolOutput::new)
    }

    /// Adds what the program gets; one that was there is replaced.
    #[must_use]
    pub fn with_artifact(self, artifact: impl Any + Send) -> Self {
        ToolOutput { artifact: Some(Box::new(artifact)), ..self }
    }

    /// What the model reads.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the program gets, if it is of this type.
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

/// Read as `ok`.
impl From<()> for ToolOutput {
    fn from((): ()) -> Self {
        ToolOutput::new(NOTHING)
    }
}

/// Text as it is, null as `ok`, anything else as JSON.
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
    /// Whether there is an artifact, not what it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolOutput")
            .field("text", &self.text)
            .field("has_artifact", &self.artifact.is_some())
            .finish()
    }
}
