//! The settings of a search.

use super::Ranking;
use std::fmt;
use std::sync::Arc;

/// The settings of [`RegistryBuilder::search`](crate::RegistryBuilder::search).
///
/// ```
/// use tool_runtime::search::Search;
///
/// let search = Search::new().pin(["get_weather"]).subject("issues of GitHub and messages of Slack").max_results(10);
/// ```
#[derive(Clone)]
#[must_use = "pass it to `RegistryBuilder::search`"]
pub struct Search {
    pub(crate) pinned: Vec<String>,
    pub(crate) subject: String,
    pub(crate) max_results: usize,
    pub(super) full_schemas: usize,
    pub(super) ranking: Option<Arc<dyn Ranking>>,
}

impl Default for Search {
    fn default() -> Self {
        Search { pinned: Vec::new(), subject: String::new(), max_results: 20, full_schemas: 3, ranking: None }
    }
}

impl Search {
    /// The default settings: no tool is pinned, and tools are ranked by their words.
    pub fn new() -> Self {
        Search::default()
    }

    /// Pins these tools: each request contains their definitions, and the search does not return them. Default: no tool is
    /// pinned.
    ///
    /// Pin the tools that most conversations use. A name that no tool has is ignored, since a tool of this name may be
    /// [merged](crate::Registry::merge) later: check with [`Registry::schemas`](crate::Registry::schemas) that it is there.
    pub fn pin<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.pinned.extend(names.into_iter().map(Into::into));
        self
    }

    /// Describes the tools that the search can find, for example `"issues of GitHub and messages of Slack"`. The description
    /// of `search_tools` contains it, so that the model knows when to search. Default: no description.
    ///
    /// The text is a part of each request: it must not depend on tools that are added or removed. If the definitions
    /// are in another language than the conversation, name that language: the default ranking compares words.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// Sets the maximum number of tools in the result of one search, at least 1. Default: 20. A search without a `limit` returns
    /// at most 5.
    pub fn max_results(mut self, tools: usize) -> Self {
        self.max_results = tools.max(1);
        self
    }

    /// Sets the number of tools in a result that have their full schema. The others have a signature, which needs about half of
    /// the tokens. Default: 3.
    pub fn full_schemas(mut self, tools: usize) -> Self {
        self.full_schemas = tools;
        self
    }

    /// Sets the ranking. Default: a [`KeywordIndex`](super::KeywordIndex).
    pub fn ranking(mut self, ranking: impl Ranking) -> Self {
        self.ranking = Some(Arc::new(ranking));
        self
    }
}

impl fmt::Debug for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search")
            .field("pinned", &self.pinned)
            .field("subject", &self.subject)
            .field("max_results", &self.max_results)
            .field("full_schemas", &self.full_schemas)
            .finish_non_exhaustive()
    }
}
