//! Rankings of a program.

use super::Catalog;
use crate::schema::ToolSchema;
use std::error::Error;
use std::fmt;
use std::pin::Pin;

/// The tools that match a query, the best first, or the error of a [`Ranking`].
pub type Ranked<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<&'a ToolSchema>, Box<dyn Error + Send + Sync>>> + Send + 'a>>;

/// Ranks tools for a query of a model, for example by embeddings.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::search::{Ranked, Ranking, Search, SearchQuery};
/// use tool_runtime::{Registry, tool, tools};
///
/// struct ShortestName;
///
/// impl Ranking for ShortestName {
///     fn rank<'a>(&'a self, query: SearchQuery<'a>) -> Ranked<'a> {
///         Box::pin(async move {
///             let mut tools = query.by_keywords();
///             tools.sort_by_key(|tool| tool.name().len());
///             Ok(tools)
///         })
///     }
/// }
///
/// /// The time of day in a city.
/// #[tool]
/// fn time_of_day(city: &str) {}
///
/// /// The time of day.
/// #[tool]
/// fn time() {}
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let search = Search::new().ranking(ShortestName);
/// let registry = Registry::builder().tools(tools![time, time_of_day]).search(search).build()?;
/// let result = registry.call("search_tools", json!({"query": "time of day in a city", "limit": 1})).await;
/// assert!(result.text().contains("time()"), "{}", result.text());
/// # Ok(())
/// # }
/// ```
pub trait Ranking: Send + Sync + 'static {
    /// Returns the tools of the query that match its text, the best first. The result of a search leaves out those that the
    /// request may not use.
    ///
    /// # Errors
    ///
    /// The model receives the `Display` text of an error as the result of its search.
    fn rank<'a>(&'a self, query: SearchQuery<'a>) -> Ranked<'a>;
}

/// A query of a model, and the tools that it can find.
#[derive(Clone, Copy)]
pub struct SearchQuery<'a> {
    pub(super) text: &'a str,
    pub(super) catalog: &'a Catalog,
}

impl<'a> SearchQuery<'a> {
    /// The words of the model: a description of the task, or the name of a tool.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// All tools that are not pinned, sorted by name. The slice is the same one for all queries of a registry and its subsets.
    #[must_use]
    pub fn tools(&self) -> &'a [ToolSchema] {
        self.catalog.tools()
    }

    /// The tools that share words with the query, in the order of the [`KeywordIndex`](super::KeywordIndex), to combine it with
    /// another one.
    #[must_use]
    pub fn by_keywords(&self) -> Vec<&'a ToolSchema> {
        let positions = self.catalog.index().rank(self.text, usize::MAX);
        positions.into_iter().filter_map(|position| self.tools().get(position)).collect()
    }
}

impl fmt::Debug for SearchQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchQuery").field("text", &self.text).finish_non_exhaustive()
    }
}
