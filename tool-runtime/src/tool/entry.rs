//! One tool of a registry: a function, a method or a dynamic tool.

use super::{Descriptor, Handler, Location, Metadata, Options, Policy, ToolKeys};
use crate::arguments::ToolValidator;
use crate::coerce::{Coerced, CoercionOptions, coerce};
use crate::context::AllowedTools;
use crate::state::{Shared, States};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// How often an object in a string may contain another one with written names of keys.
const MAX_STRINGS_IN_STRINGS: usize = 4;

/// A tool with its name in the registry.
#[derive(Clone)]
pub(crate) struct ToolEntry {
    pub(crate) name: Cow<'static, str>,
    /// The name before `rename_invalid_names` changed it.
    pub(crate) original_name: Option<Arc<str>>,
    pub(crate) options: Options,
    pub(crate) metadata: Arc<Metadata>,
    /// The time limit of the tool, otherwise that of its registry.
    pub(crate) timeout: Option<Duration>,
    /// Whether the tool and its registry add no step to its calls: a call runs at once if its run context adds none either.
    pub(crate) is_direct: bool,
    /// Whether earlier calls of a reply end before a call of the tool begins, and later ones begin after it has ended.
    pub(crate) is_barrier: bool,
    /// Whether a call needs a Tokio runtime.
    pub(crate) needs_runtime: bool,
    /// The semaphore of the tool's `max_concurrency`, shared by the clones and the subsets of the registry.
    pub(crate) permits: Option<Arc<Semaphore>>,
    pub(crate) validator: Arc<ToolValidator>,
    /// The keys that a provider rejects; `None` for most tools.
    pub(crate) keys: Option<Arc<ToolKeys>>,
    /// The schema that the validator was compiled from.
    #[cfg(feature = "testing")]
    pub(crate) enforced: Arc<serde_json::Value>,
    /// The state of the registry that the tool was built for.
    pub(crate) states: Arc<States>,
    /// The toolset, if the tool is a method and its toolset does not come from the run context.
    pub(crate) instance: Option<Shared>,
    pub(crate) body: Body,
}

#[derive(Clone)]
pub(crate) enum Body {
    Function(&'static Descriptor),
    Dynamic(Handler),
}

impl ToolEntry {
    /// The rules that dispatch enforces.
    pub(crate) fn policy(&self) -> Policy {
        let mut policy = self.options.policy;
        policy.timeout = self.timeout;
        policy
    }

    /// The source location; `None` for a dynamic tool.
    pub(crate) fn location(&self) -> Option<Location> {
        match self.body {
            Body::Function(tool) => Some(tool.location),
            Body::Dynamic(_) => None,
        }
    }

    /// The location for a message.
    pub(crate) fn describe_location(&self) -> String {
        match (self.location(), &self.original_name) {
            (Some(location), _) => format!("at {location}"),
            (None, Some(original)) => format!("as the `DynamicTool` `{original}`"),
            (None, None) => "as a `DynamicTool`".to_owned(),
        }
    }

    /// Whether the name, or the name before `rename_invalid_names`, is in the list.
    #[cfg(feature = "search")]
    pub(crate) fn is_in(&self, names: &[String]) -> bool {
        names.iter().any(|name| **name == *self.name || Some(&**name) == self.original_name.as_deref())
    }

    /// Whether calls of a run with these allowed tools may use the tool.
    pub(crate) fn is_allowed_by(&self, allowed: Option<&AllowedTools>) -> bool {
        let contains = |name: &str| allowed.is_none_or(|allowed| allowed.contains(name));
        contains(&self.name) || self.original_name.as_deref().is_some_and(contains)
    }

    /// The coerced arguments, if the tool can decode them.
    pub(crate) fn coerce(&self, arguments: &str, options: CoercionOptions<'_>) -> Option<Coerced> {
        let mut coerced = coerce(arguments, &self.validator.validator, options)?;
        let Some(keys) = &self.keys else { return Some(coerced) };
        // Repaired text may have written names, and so may an object that was a string.
        for _ in 0..MAX_STRINGS_IN_STRINGS {
            let Some(own) = keys.names.own_arguments(&coerced.arguments) else { break };
            coerced.arguments = own;
            if let Some(again) = coerce(&coerced.arguments, &self.validator.validator, options) {
                coerced.arguments = again.arguments;
                coerced.coercions.extend(again.coercions);
            }
        }
        Some(coerced)
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry").field("name", &self.name).finish_non_exhaustive()
    }
}
