//! A ranking of tools by keywords.

use super::definition;
use crate::schema::ToolSchema;
use std::fmt;

/// An index of tools for queries in words, for example of a model that searches for a tool.
///
/// The ranking is BM25F over the names, the descriptions, and the names, descriptions and values of the parameters.
/// Names are split at `_`, `-`, `.` and where the case changes, words are reduced to their stems, and words such as
/// `the` are ignored. If a query contains an identifier such as `get_weather` or `getWeather`, the tool with this name
/// is first. The same applies to a query that is only a name, such as `get weather`. The order is the same on every
/// machine, and tools with equal scores are sorted by name.
///
/// Words are compared literally, without synonyms or translation: a query must be in the language of the definitions. Only
/// English words are reduced to their stems.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::ToolSchema;
/// use tool_runtime::search::KeywordIndex;
///
/// let tool = |name: &str, description: &str| {
///     let function = json!({"name": name, "description": description, "parameters": {"type": "object"}});
///     serde_json::from_value::<ToolSchema>(json!({"type": "function", "function": function}))
/// };
/// let tools = [
///     tool("send_mail", "Sends an e-mail.")?,
///     tool("get_weather", "Looks up the weather of a city.")?,
///     tool("get_time", "Returns the time of a city.")?,
/// ];
/// let index = KeywordIndex::new(&tools);
/// assert_eq!(index.rank("What is the weather in the cities of Norway?", 10), [1, 2]);
/// assert_eq!(index.rank("get time", 1), [2]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct KeywordIndex(pub(super) tool_runtime_search::KeywordIndex);

impl KeywordIndex {
    /// An index of these tools. [`rank`](KeywordIndex::rank) returns positions in this order.
    pub fn new<'a>(tools: impl IntoIterator<Item = &'a ToolSchema>) -> Self {
        KeywordIndex(tool_runtime_search::KeywordIndex::new(tools.into_iter().map(definition)))
    }

    /// The positions of at most `limit` tools that match the query, the best first. Empty if no tool has the name in the
    /// query or one of its words; words such as `the` do not count.
    ///
    /// A query counts up to its first 100 words; an identifier such as `get_weather` counts as several.
    #[must_use]
    pub fn rank(&self, query: &str, limit: usize) -> Vec<usize> {
        self.0.rank(query, limit)
    }
}

impl fmt::Debug for KeywordIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
