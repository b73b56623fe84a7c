//! The tools of a registry, sorted by name.

use super::Config;
use super::allowed_names::AllowedNames;
use super::index::Index;
#[cfg(feature = "search")]
use super::search::ToolSearch;
use crate::schema::ToolSchema;
use crate::tool::ToolEntry;
use crate::wire::ToolArrays;
use std::sync::Arc;

/// Sorted by name; `schemas[i]` describes `entries[i]`.
pub(super) struct Tools {
    pub(super) schemas: Vec<ToolSchema>,
    pub(super) arrays: ToolArrays,
    pub(super) entries: Vec<Arc<ToolEntry>>,
    pub(super) index: Index,
    /// Whether any tool has `max_calls`.
    pub(super) has_call_limits: bool,
    /// Whether the calls of any tool are barriers.
    pub(super) has_barriers: bool,
    /// Whether a provider rejects a key of any tool.
    pub(super) has_rejected_keys: bool,
    /// For errors.
    pub(super) allowed_names: AllowedNames,
    #[cfg(feature = "search")]
    pub(super) search: Option<ToolSearch>,
    pub(super) config: Arc<Config>,
}

impl Tools {
    /// The tools must be sorted by name. `superset` has the tools of which these are a subset.
    #[cfg_attr(not(feature = "search"), allow(unused_mut, unused_variables))]
    pub(super) fn new(
        mut tools: Vec<(ToolSchema, Arc<ToolEntry>)>,
        config: Arc<Config>,
        superset: Option<&Self>,
    ) -> Self {
        #[cfg(feature = "search")]
        let search = config.search.as_ref().map(|search_tools| {
            let superset = superset.and_then(|superset| superset.search.as_ref());
            ToolSearch::new(search_tools, &mut tools, superset)
        });
        let (schemas, entries): (Vec<_>, Vec<_>) = tools.into_iter().unzip();
        let (arrays, index) = (ToolArrays::default(), Index::new(&entries));
        let has_call_limits = entries.iter().any(|tool| tool.options.policy.max_calls.is_some());
        let has_barriers = entries.iter().any(|tool| tool.is_barrier);
        let has_rejected_keys = entries.iter().any(|tool| tool.keys.is_some());
        Tools {
            schemas,
            arrays,
            index,
            entries,
            has_call_limits,
            has_barriers,
            has_rejected_keys,
            allowed_names: AllowedNames::default(),
            #[cfg(feature = "search")]
            search,
            config,
        }
    }

    /// The definitions of a request.
    pub(super) fn listed(&self) -> &[ToolSchema] {
        #[cfg(feature = "search")]
        if let Some(search) = &self.search {
            return &search.listed;
        }
        &self.schemas
    }

    /// Whether this is a tool that a search has added.
    #[cfg_attr(not(feature = "search"), allow(unused_variables, clippy::unused_self))]
    pub(super) fn is_search_tool(&self, name: &str) -> bool {
        #[cfg(feature = "search")]
        return self.search.is_some() && crate::tool_name::is_reserved(name);
        #[cfg(not(feature = "search"))]
        false
    }

    /// The tools, without those of a search.
    pub(super) fn without_search(&self) -> impl Iterator<Item = (ToolSchema, Arc<ToolEntry>)> {
        let tools = (0..self.schemas.len()).map(|position| self.at(position));
        tools.filter(|(schema, _)| !self.is_search_tool(schema.name()))
    }

    /// The definition and the tool at this position.
    pub(super) fn at(&self, position: usize) -> (ToolSchema, Arc<ToolEntry>) {
        (self.schemas[position].clone(), Arc::clone(&self.entries[position]))
    }
}
