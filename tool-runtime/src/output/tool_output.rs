//! Outputs: content for the model, and an artifact for the program.

use crate::json::to_text;
use crate::message::stored::StoredContent;
use crate::message::{Artifact, Content, Part};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The output of a tool: content for the model, and an optional artifact for the program.
///
/// The content is text, JSON, images, files and references to tools. A wire whose format has no images in results sends them
/// in a user message after the last result.
///
/// The artifact is any value, for example a table or an id. It is not part of the request; the program gets it from the
/// [`ToolMessage`](crate::ToolMessage) of the call. Clones share it, and the serialized form does not contain it.
///
/// ```
/// use tool_runtime::{Registry, ToolCall, ToolOutput, tool, tools};
///
/// struct Chart(Vec<u8>);
///
/// /// Draws a chart.
/// #[tool]
/// async fn draw_chart(values: Vec<u8>) -> ToolOutput {
///     let image = [0x89, b'P', b'N', b'G'];
///     ToolOutput::new()
///         .with_text(format!("a chart of {} values", values.len()))
///         .with_image("image/png", image)
///         .with_artifact(Chart(values))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![draw_chart])?;
/// let messages = registry.dispatch(&[ToolCall::new("call_1", "draw_chart", r#"{"values":[1,2,3]}"#)]).await;
/// assert_eq!(messages[0].content, "a chart of 3 values");
/// assert_eq!(messages[0].content.parts().map(|parts| parts.len()), Some(2));
/// assert_eq!(messages[0].artifact::<Chart>().ok_or("there is one")?.0, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct ToolOutput {
    content: Content,
    /// `None` for content alone, as most outputs are.
    more: Option<Box<More>>,
}

#[derive(Clone, Default)]
struct More {
    artifact: Option<Artifact>,
    /// The error of a value that could not be written as JSON.
    unserializable: Option<String>,
    pending: Option<Pending>,
}

/// A result that comes later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pending {
    /// `None` for a tool that runs elsewhere.
    pub(crate) ticket: Option<String>,
}

/// The content of `()` for the model.
const NOTHING: &str = "ok";

impl ToolOutput {
    /// Creates an empty output.
    pub fn new() -> Self {
        ToolOutput::default()
    }

    /// The result comes later: from a job, a person or another system, which the ticket identifies for the program.
    ///
    /// A [`Session`](crate::Session) ends its run with [`NeedsResult`](crate::session::RunEnd::NeedsResult), and
    /// [`provide_result`](crate::Session::provide_result) continues it, even after a restart. In a
    /// [`dispatch`](crate::Registry::dispatch), which returns every result at once, the call fails with
    /// [`CallError::NeedsResult`](crate::CallError::NeedsResult). Content that is added to a pending output is not used.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::{Registry, ToolOutput, tool, tools};
    ///
    /// /// Starts a report, which takes an hour.
    /// #[tool]
    /// fn start_report(year: u16) -> ToolOutput {
    ///     ToolOutput::pending(format!("report-{year}"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let result = Registry::new(tools![start_report])?.call("start_report", json!({"year": 2026})).await;
    /// assert_eq!(result.error_kind(), Some("needs_result"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn pending(ticket: impl Into<String>) -> Self {
        ToolOutput::from(Pending { ticket: Some(ticket.into()) })
    }

    /// The ticket of an output that comes later; `None` for any other output.
    #[must_use]
    pub fn ticket(&self) -> Option<&str> {
        self.as_pending()?.ticket.as_deref()
    }

    /// Whether the result comes later: the output of [`pending`](ToolOutput::pending), or that of a tool that
    /// [runs elsewhere](crate::DynamicTool::external).
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.as_pending().is_some()
    }

    pub(crate) fn as_pending(&self) -> Option<&Pending> {
        self.more.as_ref()?.pending.as_ref()
    }

    pub(crate) fn from_json_text(json: String) -> Self {
        Content::from_json_text(json).into()
    }

    /// Adds text.
    pub fn with_text(self, text: impl Into<String>) -> Self {
        let text = text.into();
        if self.content.is_empty() {
            self.with_content(text.into())
        } else {
            self.with_part(Part::text(text))
        }
    }

    /// Adds a value as JSON. A value with a number that a [`Value`] cannot represent, such as a `u128`, is added as
    /// text. If its `Serialize` fails, or a key of a map is not a string, the call fails with
    /// [`CallError::Unserializable`](crate::CallError::Unserializable).
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::ToolOutput;
    ///
    /// let output = ToolOutput::new().with_json(json!({"city": "Beijing"}));
    /// assert_eq!(output.text(), r#"{"city":"Beijing"}"#);
    /// assert!(output.content().is_json());
    /// ```
    pub fn with_json(mut self, value: impl Serialize) -> Self {
        let json = match serde_json::to_string(&value) {
            Ok(json) => json,
            Err(error) => {
                self.more.get_or_insert_default().unserializable = Some(error.to_string());
                return self;
            }
        };
        if self.content.is_empty() {
            return self.with_content(Content::from_json_text(json));
        }
        self.with_part(Part::from_json_text(json))
    }

    /// Adds an image of this media type, for example `image/png`.
    pub fn with_image(self, mime_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        self.with_part(Part::image(mime_type, bytes))
    }

    /// Adds a file with a name and a media type, for example `application/pdf`.
    pub fn with_file(
        self,
        name: impl Into<String>,
        mime_type: impl Into<String>,
        bytes: impl AsRef<[u8]>,
    ) -> Self {
        self.with_part(Part::file(name, mime_type, bytes))
    }

    /// Adds a part, for example the name of a tool that a search found ([`Part::tool_reference`]).
    pub fn with_part(mut self, part: Part) -> Self {
        self.content = std::mem::take(&mut self.content).with_part(part);
        self
    }

    /// Sets the artifact for the program. It replaces an earlier one.
    pub fn with_artifact(mut self, artifact: impl Any + Send + Sync) -> Self {
        self.more.get_or_insert_default().artifact = Some(Arc::new(artifact));
        self
    }

    /// The content for the model.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The text for the model: the joined text of all parts with text or JSON.
    #[must_use]
    pub fn text(&self) -> &str {
        self.content.as_str()
    }

    /// The artifact; `None` if there is none or if it has another type.
    #[must_use]
    pub fn artifact<T: Any>(&self) -> Option<&T> {
        self.more.as_ref()?.artifact.as_ref()?.downcast_ref()
    }

    #[inline]
    pub(crate) fn into_parts(self) -> (Content, Option<Artifact>) {
        (self.content, self.more.and_then(|more| more.artifact))
    }

    pub(crate) fn content_mut(&mut self) -> &mut Content {
        &mut self.content
    }

    /// Replaces the content.
    pub(crate) fn with_content(self, content: Content) -> Self {
        ToolOutput { content, ..self }
    }

    /// The output, unless it has a value that could not be written as JSON.
    ///
    /// # Errors
    ///
    /// Returns the error of the value.
    pub(crate) fn reject_unserializable(self) -> Result<Self, serde_json::Error> {
        match self.more.as_ref().and_then(|more| more.unserializable.as_ref()) {
            Some(error) => Err(serde::ser::Error::custom(error)),
            None => Ok(self),
        }
    }
}

impl From<Pending> for ToolOutput {
    fn from(pending: Pending) -> Self {
        let mut output = ToolOutput::new();
        output.more.get_or_insert_default().pending = Some(pending);
        output
    }
}

impl From<Content> for ToolOutput {
    fn from(content: Content) -> Self {
        ToolOutput { content, more: None }
    }
}

impl From<Part> for ToolOutput {
    fn from(part: Part) -> Self {
        Content::from(part).into()
    }
}

impl From<Vec<Part>> for ToolOutput {
    fn from(parts: Vec<Part>) -> Self {
        // Servers reject a content without parts, but not an empty text.
        if parts.is_empty() { ToolOutput::new() } else { Content::from(parts).into() }
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Content::from(text).into()
    }
}

impl From<Cow<'_, str>> for ToolOutput {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Content::from(text).into()
    }
}

/// The text is `ok`.
impl From<()> for ToolOutput {
    fn from((): ()) -> Self {
        NOTHING.into()
    }
}

/// The content is the text of a string, `ok` for null, and JSON for any other value.
impl From<Value> for ToolOutput {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => ().into(),
            Value::String(text) => text.into(),
            other => ToolOutput::from_json_text(to_text(&other)),
        }
    }
}

macro_rules! json {
    ($($value:ty),*) => {$(
        /// The content is the JSON of the value.
        impl From<$value> for ToolOutput {
            fn from(value: $value) -> Self {
                Value::from(value).into()
            }
        }
    )*};
}
json!(bool, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64, Vec<Value>, Map<String, Value>);

impl fmt::Debug for ToolOutput {
    /// Shows whether there is an artifact: the type of an artifact need not implement `Debug`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolOutput")
            .field("content", &self.content)
            .field("has_artifact", &self.more.as_ref().is_some_and(|more| more.artifact.is_some()))
            .field("pending", &self.as_pending())
            .finish_non_exhaustive()
    }
}

/// The stored form: the content, or the ticket of an output that comes later.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "an output in the stored form: a content, or a map with `pending`")]
enum Stored<'a> {
    Content(StoredContent<'a>),
    Pending(StoredPending),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPending {
    pending: Option<String>,
}

/// The content without loss, as in [`message::stored`](crate::message::stored), or the ticket of an output that comes later;
/// without the artifact.
impl Serialize for ToolOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(error) = self.more.as_ref().and_then(|more| more.unserializable.as_ref()) {
            return Err(S::Error::custom(error));
        }
        let stored = match self.as_pending() {
            Some(Pending { ticket }) => Stored::Pending(StoredPending { pending: ticket.clone() }),
            None => Stored::Content((&self.content).into()),
        };
        stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Pending(StoredPending { pending: ticket }) => Pending { ticket }.into(),
            Stored::Content(content) => Content::from(content).into(),
        })
    }
}
