//! The tools that a search can find.

use super::definition;
use super::settings::Search;
use super::{KeywordIndex, SearchQuery};
use crate::context::RunContext;
use crate::json::referenced;
use crate::message::Part;
use crate::output::ToolOutput;
use crate::schema::ToolSchema;
use crate::tool::ToolEntry;
use std::collections::HashSet;
use std::error::Error;
use std::sync::{Arc, OnceLock};
use tool_runtime_search::{describe_matches, describe_no_match};

/// The number of tools in a result if the model does not set a limit.
pub(crate) const DEFAULT_LIMIT: usize = 5;

/// The number of pinned tools in a result without other tools.
const MAX_PINNED: usize = 3;

/// The tools of a registry that are not pinned, sorted by name. Subsets of the registry share it.
pub(crate) struct Catalog {
    settings: Search,
    pub(super) tools: Vec<ToolSchema>,
    /// `entries[i]` is described by `tools[i]`.
    entries: Vec<Arc<ToolEntry>>,
    /// Created by the first search.
    index: OnceLock<KeywordIndex>,
}

/// The tools that a registry, or a subset of it, has.
pub(crate) struct Scope {
    /// The positions of tools of the catalog; `None` for all.
    members: Option<HashSet<usize>>,
    pinned: Vec<(ToolSchema, Arc<ToolEntry>)>,
    /// Created by the first search without another match.
    pinned_index: OnceLock<KeywordIndex>,
}

impl Scope {
    pub(crate) fn new(members: Option<HashSet<usize>>, pinned: Vec<(ToolSchema, Arc<ToolEntry>)>) -> Self {
        Scope { members, pinned, pinned_index: OnceLock::new() }
    }

    fn pinned_index(&self) -> &KeywordIndex {
        self.pinned_index.get_or_init(|| KeywordIndex::new(self.pinned.iter().map(|(schema, _)| schema)))
    }
}

/// The tools that calls with one run context can find.
#[derive(Clone, Copy)]
pub(crate) struct Findable<'a> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) scope: &'a Scope,
    pub(crate) run: &'a RunContext,
}

impl Catalog {
    pub(crate) fn new(settings: Search, tools: Vec<(ToolSchema, Arc<ToolEntry>)>) -> Self {
        let (tools, entries) = tools.into_iter().unzip();
        Catalog { settings, tools, entries, index: OnceLock::new() }
    }

    pub(super) fn index(&self) -> &KeywordIndex {
        self.index.get_or_init(|| KeywordIndex::new(&self.tools))
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.tools.binary_search_by(|tool| tool.name().cmp(name)).ok()
    }
}

impl<'a> Findable<'a> {
    /// Whether a call of the run may use the tool at this position.
    pub(super) fn contains(&self, position: usize) -> bool {
        let Some(tool) = self.catalog.entries.get(position) else { return false };
        let limit = tool.options.policy.max_calls;
        self.scope.members.as_ref().is_none_or(|members| members.contains(&position))
            && self.allows(tool)
            && limit.is_none_or(|limit| !self.run.has_reached(&tool.name, limit))
    }

    fn allows(&self, tool: &ToolEntry) -> bool {
        tool.is_allowed_by(self.run.allowed())
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
        let settings = &self.catalog.settings;
        let limit = limit.unwrap_or(DEFAULT_LIMIT).clamp(1, settings.max_results);
        let query = SearchQuery { text: query, limit, findable: *self };
        let found = match &settings.ranking {
            None => query.best_by_keywords(limit),
            Some(ranking) => {
                let mut known = HashSet::new();
                // A ranking may return definitions of its own.
                let ranked = ranking.rank(query).await?.into_iter().filter(|tool| query.is_candidate(tool));
                let positions = ranked.filter_map(|tool| self.catalog.position(tool.name()));
                let new = positions.filter(|position| known.insert(*position));
                new.filter_map(|position| self.catalog.tools.get(position)).take(limit).collect()
            }
        };
        if found.is_empty() {
            let has_tools = self.tools().next().is_some();
            return Ok(describe_no_match(&self.pinned(query.text), has_tools).into());
        }
        let definitions: Vec<_> = found.iter().map(|tool| definition(tool)).collect();
        let text = describe_matches(&definitions, settings.full_schemas, referenced);
        let references = found.iter().map(|tool| Part::tool_reference(tool.name()));
        Ok(references.fold(ToolOutput::new().with_text(text), ToolOutput::with_part))
    }

    /// The names of the pinned tools that match a query.
    fn pinned(&self, query: &str) -> Vec<&'a str> {
        let pinned = &self.scope.pinned;
        let is_allowed = |position: usize| pinned.get(position).is_some_and(|(_, tool)| self.allows(tool));
        let index = self.scope.pinned_index();
        let matches = index.0.rank_among(query, MAX_PINNED, is_allowed).into_iter();
        matches.filter_map(|position| Some(pinned.get(position)?.0.name())).collect()
    }
}
