//! Union of registries.

use super::validate::duplicates;
#[cfg(feature = "search")]
use super::validate::reserved_name;
use super::{BuildError, Registry, Tools};
use std::sync::Arc;

impl Registry {
    /// Returns a registry with the tools of both registries.
    ///
    /// The tools of `other` keep their state and their [`max_concurrency`](super::Policy::max_concurrency). The hooks, the
    /// middleware, the limits, the options, the run context and the [`skipped_tools`](Registry::skipped_tools) tools are
    /// those of this registry, and so is its search (`RegistryBuilder::search`): that of `other` is dropped.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// The time of day.
    /// #[tool]
    /// fn now() {}
    ///
    /// /// Turns the light on.
    /// #[tool]
    /// fn light() {}
    ///
    /// let registry = Registry::new(tools![now])?.merge(Registry::new(tools![light])?)?;
    /// assert_eq!(registry.names(), ["light", "now"]);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error for each name that both registries have, and with a search for each other tool named `search_tools` or
    /// `call_tool`.
    #[allow(clippy::needless_pass_by_value, reason = "the union contains the tools of `other`")]
    pub fn merge(&self, other: Registry) -> Result<Self, BuildError> {
        let config = Arc::clone(&self.tools.config);
        let added = other.tools.without_search().map(|(schema, tool)| {
            let mut tool = (*tool).clone();
            config.apply_to(&mut tool);
            (schema, Arc::new(tool))
        });
        let mut all: Vec<_> = self.tools.without_search().chain(added).collect();
        all.sort_by(|(_, a), (_, b)| (&a.name, a.location()).cmp(&(&b.name, b.location())));
        let mut errors = Vec::new();
        duplicates(all.iter().map(|(_, tool)| &**tool), &mut errors);
        #[cfg(feature = "search")]
        if config.search.is_some() {
            errors.extend(all.iter().filter_map(|(_, tool)| reserved_name(tool)));
        }
        if !errors.is_empty() {
            return Err(BuildError { errors, skipped: None });
        }
        Ok(Registry { tools: Arc::new(Tools::new(all, config, None)), ..self.clone() })
    }
}
