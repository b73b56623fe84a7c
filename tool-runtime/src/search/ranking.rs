//! Rankings of a program.

use super::Findable;
use crate::schema::ToolSchema;
use std::error::Error;
use std::fmt;
use std::pin::Pin;

/// The future of a [`Ranking`]: the tools that match a query, the best first.
pub type RankingFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<&'a ToolSchema>, Box<dyn Error + Send + Sync>>> + Send + 'a>>;

/// Ranks tools for a query of a model, for example by embeddings.
///
/// ```
/// use serde_json::json;
/// use std::collections::HashMap;
/// use tool_runtime::search::{Ranking, RankingFuture, Search, SearchQuery};
/// use tool_runtime::{Registry, ToolSchema, tool, tools};
/// # struct Store;
/// # impl Store {
/// #     async fn nearest(&self, _: &str, _: usize) -> Result<HashMap<String, f32>, String> { Err("offline".into()) }
/// # }
///
/// struct Embeddings(Store);
///
/// impl Ranking for Embeddings {
///     fn rank<'a>(&'a self, query: SearchQuery<'a>) -> RankingFuture<'a> {
///         Box::pin(async move {
///             // Without the store, the words decide.
///             let Ok(scores) = self.0.nearest(query.text(), 100).await else { return Ok(query.by_keywords()) };
///             let score = |tool: &&ToolSchema| scores.get(tool.name()).copied();
///             let mut tools: Vec<&ToolSchema> = query.tools().iter().filter(|tool| score(tool).is_some()).collect();
///             tools.sort_by(|a, b| score(b).partial_cmp(&score(a)).unwrap_or(std::cmp::Ordering::Equal));
///             Ok(tools)
///         })
///     }
/// }
///
/// /// The time of day in a city.
/// #[tool]
/// fn time_of_day(city: &str) {}
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let search = Search::new().ranking(Embeddings(Store));
/// let registry = Registry::builder().tools(tools![time_of_day]).search(search).build()?;
/// let result = registry.call("search_tools", json!({"query": "time in Rome"})).await;
/// assert!(result.text().contains("time_of_day"));
/// # Ok(())
/// # }
/// ```
pub trait Ranking: Send + Sync + 'static {
    /// Returns the tools of the query that match its text, the best first. The result of the search has the first ones, without
    /// those that are no [candidates](SearchQuery::is_candidate).
    ///
    /// # Errors
    ///
    /// The model receives the `Display` text of an error as the result of its search: it must not contain addresses or
    /// secrets.
    fn rank<'a>(&'a self, query: SearchQuery<'a>) -> RankingFuture<'a>;
}

/// A query of a model, and the tools that it can find.
#[derive(Clone, Copy)]
pub struct SearchQuery<'a> {
    pub(super) text: &'a str,
    pub(super) limit: usize,
    pub(super) findable: Findable<'a>,
}

impl<'a> SearchQuery<'a> {
    /// The words of the model: a description of the task, or the name of a tool.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The number of tools in the result.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// All tools that are not pinned, sorted by name. The slice is the same one for all queries of a registry and its subsets, so
    /// that a ranking can keep data for each tool. [`merge`](crate::Registry::merge) creates another slice.
    #[must_use]
    pub fn tools(&self) -> &'a [ToolSchema] {
        &self.findable.catalog.tools
    }

    /// Whether the request may use this tool. The result of the search leaves out all others.
    #[must_use]
    pub fn is_candidate(&self, tool: &ToolSchema) -> bool {
        let position = self.findable.catalog.position(tool.name());
        position.is_some_and(|position| self.findable.contains(position))
    }

    /// The candidates that share words with the query, in the order of the [`KeywordIndex`](super::KeywordIndex), to combine it
    /// with another one.
    #[must_use]
    pub fn by_keywords(&self) -> Vec<&'a ToolSchema> {
        self.best_by_keywords(usize::MAX)
    }

    pub(super) fn best_by_keywords(&self, limit: usize) -> Vec<&'a ToolSchema> {
        let Findable { catalog, .. } = self.findable;
        let positions =
            catalog.index().0.rank_among(self.text, limit, |position| self.findable.contains(position));
        positions.into_iter().filter_map(|position| catalog.tools.get(position)).collect()
    }
}

impl fmt::Debug for SearchQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchQuery")
            .field("text", &self.text)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
