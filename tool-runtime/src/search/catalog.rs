//! The tools that a search can find.

use super::results::Results;
use super::settings::Search;
use super::{KeywordIndex, SearchQuery};
use crate::context::BatchContext;
use crate::output::ToolOutput;
use crate::schema::ToolSchema;
use crate::tool::RegisteredTool;
use std::collections::HashSet;
use std::error::Error;
use std::sync::{Arc, OnceLock};

/// The tools of a registry that are not pinned, sorted by name. Subsets of the registry share it.
pub(crate) struct Catalog {
    settings: Search,
    tools: Vec<ToolSchema>,
    /// `registered[i]` is described by `tools[i]`.
    registered: Vec<Arc<RegisteredTool>>,
    /// Created by the first search.
    index: OnceLock<KeywordIndex>,
    pinned: Vec<(ToolSchema, Arc<RegisteredTool>)>,
}

/// The positions of the tools that a subset of the registry has; `None` for all.
pub(crate) type Members = Option<Arc<HashSet<usize>>>;

/// The tools that the calls of one batch can find.
#[derive(Clone, Copy)]
pub(crate) struct Findable<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) members: &'a Members,
    pub(crate) batch: &'a BatchContext,
}

impl Catalog {
    pub(crate) fn new(
        settings: Search,
        tools: Vec<(ToolSchema, Arc<RegisteredTool>)>,
        pinned: Vec<(ToolSchema, Arc<RegisteredTool>)>,
    ) -> Self {
        let (tools, registered) = tools.into_iter().unzip();
        Catalog { settings, tools, registered, index: OnceLock::new(), pinned }
    }

    pub(crate) fn tools(&self) -> &[ToolSchema] {
        &self.tools
    }

    pub(super) fn index(&self) -> &KeywordIndex {
        self.index.get_or_init(|| KeywordIndex::new(&self.tools))
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.tools.binary_search_by(|tool| tool.name().cmp(name)).ok()
    }
}

impl<'a> Findable<'a> {
    /// Whether a call of the batch may use the tool at this position.
    fn contains(&self, position: usize) -> bool {
        let Some(tool) = self.catalog.registered.get(position) else { return false };
        let is_member = self.members.as_ref().is_none_or(|members| members.contains(&position));
        let is_allowed = self.batch.allowed().is_none_or(|allowed| tool.is_in(allowed));
        let limit = tool.options.policy.max_calls;
        is_member && is_allowed && limit.is_none_or(|limit| !self.batch.has_reached(&tool.name, limit))
    }

    /// The tool whose words are the most similar to this name.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'a ToolSchema> {
        let nearest = self.catalog.index().rank_among(name, 1, |position| self.contains(position));
        self.catalog.tools.get(*nearest.first()?)
    }

    /// The definitions of the tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &'a ToolSchema> {
        let Findable { catalog, .. } = *self;
        let tools = catalog.tools.iter().enumerate();
        tools.filter(|(position, _)| self.contains(*position)).map(|(_, tool)| tool)
    }

    /// The result of a search.
    pub(crate) async fn search(
        &self,
        query: &str,
        limit: Option<usize>,
    ) -> Result<ToolOutput, Box<dyn Error + Send + Sync>> {
        let Catalog { settings, tools, .. } = self.catalog;
        let limit = limit.unwrap_or(DEFAULT_LIMIT).clamp(1, settings.max_results.0);
        let found: Vec<&ToolSchema> = match &settings.ranking {
            None => {
                let positions =
                    self.catalog.index().rank_among(query, limit, |position| self.contains(position));
                positions.into_iter().filter_map(|position| tools.get(position)).collect()
            }
            Some(ranking) => {
                let ranked = ranking.rank(SearchQuery { text: query, catalog: self.catalog }).await?;
                let mut known = HashSet::new();
                let is_findable = |tool: &&ToolSchema| {
                    let position = self.catalog.position(tool.name());
                    position.is_some_and(|position| self.contains(position) && known.insert(position))
                };
                ranked.into_iter().filter(is_findable).take(limit).collect()
            }
        };
        Ok(Results { found: &found, settings }.into_output())
    }
}

/// The number of tools in a result if the model does not set a limit.
pub(crate) const DEFAULT_LIMIT: usize = 5;
