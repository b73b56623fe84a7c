//! Whether the model may, must or must not call a tool.

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
