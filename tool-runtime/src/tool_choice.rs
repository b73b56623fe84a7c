//! Whether the model may, must or must not call a tool.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The `tool_choice` of a request.
///
/// ```
/// use tool_runtime::ToolChoice;
///
/// assert_eq!(serde_json::to_string(&ToolChoice::Required)?, r#""required""#);
/// assert_eq!(
///     serde_json::to_string(&ToolChoice::Tool("now".to_owned()))?,
///     r#"{"type":"function","function":{"name":"now"}}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides. Servers do the same if a request has no `tool_choice`.
    #[default]
    Auto,
    /// The model must not call a tool.
    None,
    /// The model must call at least one tool.
    Required,
    /// The model must call the tool with this name.
    Tool(String),
}

#[derive(Serialize)]
struct Named<'a> {
    r#type: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
}

impl Serialize for ToolChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ToolChoice::Auto => serializer.serialize_str("auto"),
            ToolChoice::None => serializer.serialize_str("none"),
            ToolChoice::Required => serializer.serialize_str("required"),
            ToolChoice::Tool(name) => {
                Named { r#type: "function", function: Function { name } }.serialize(serializer)
            }
        }
    }
}

impl<'de> Deserialize<'de> for ToolChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let choice = Value::deserialize(deserializer)?;
        match choice.as_str() {
            Some("auto") => return Ok(ToolChoice::Auto),
            Some("none") => return Ok(ToolChoice::None),
            // Mistral calls it "any".
            Some("required" | "any") => return Ok(ToolChoice::Required),
            _ => {}
        }
        match choice.pointer("/function/name").and_then(Value::as_str) {
            Some(name) => Ok(ToolChoice::Tool(name.to_owned())),
            None => Err(D::Error::custom(format_args!(
                "expected \"auto\", \"none\", \"required\" or a function to call, got {choice}"
            ))),
        }
    }
}
