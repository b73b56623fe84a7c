//! Putting a registry together.

use super::entry::{Candidate, Entry};
use super::fault::{BuildError, BuildFault};
use super::{Registry, Tools};
use crate::invocation::Need;
use crate::state::{Shared, States};
use crate::tool::{Descriptor, DynamicTool, ToolList, Toolset};
use serde_json::Value;
use std::any::{TypeId, type_name};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Collects the parts of a [`Registry`].
///
/// ```
/// use tool_runtime::{Registry, tool, tools};
///
/// /// Adds two numbers.
/// #[tool]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let registry = Registry::builder().tools(tools![add]).build()?;
/// assert_eq!(registry.len(), 1);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Default)]
#[must_use = "nothing is built before `build()`"]
pub struct RegistryBuilder {
    functions: Vec<&'static Descriptor>,
    methods: Vec<(Entry, &'static Descriptor)>,
    dynamic: Vec<DynamicTool>,
    states: States,
    batch_states: HashSet<TypeId>,
    faults: Vec<BuildFault>,
}

impl RegistryBuilder {
    /// Adds exactly these tools.
    pub fn tools(mut self, tools: ToolList) -> Self {
        self.functions.extend(tools.0);
        self
    }

    /// Adds every function with [`#[tool]`](crate::tool) that is linked into the program. A tool that was
    /// also listed with [`tools`](RegistryBuilder::tools) is there once.
    #[cfg(feature = "collect")]
    pub fn collect(mut self) -> Self {
        self.functions.extend(crate::tool::collected());
        self
    }

    /// Adds those of one crate or module, named by its path: `"my_crate"`, `"my_crate::files"`. That there is
    /// none is an error, since it is most often a slip, or a crate that the linker left out.
    ///
    /// ```
    /// use tool_runtime::Registry;
    ///
    /// mod clock {
    ///     /// The time of day.
    ///     #[tool_runtime::tool]
    ///     pub fn now() -> &'static str {
    ///         "12:00"
    ///     }
    /// }
    ///
    /// let registry = Registry::builder().collect_from(concat!(module_path!(), "::clock")).build()?;
    /// assert_eq!(registry.names(), ["now"]);
    ///
    /// let error = Registry::builder().collect_from("clocks").build().expect_err("there is no such crate");
    /// assert!(error.to_string().contains("no tool of `clocks` is linked into the program"));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[cfg(feature = "collect")]
    pub fn collect_from(mut self, path: &str) -> Self {
        let before = self.functions.len();
        self.functions.extend(crate::tool::collected().filter(|tool| tool.location.is_within(path)));
        if self.functions.len() == before {
            self.faults.push(BuildFault::NothingCollected { from: path.to_owned() });
        }
        self
    }

    /// Adds the methods of a value whose `impl` has [`#[toolset]`](crate::toolset).
    pub fn toolset<T: Toolset + Send + Sync + 'static>(self, toolset: T) -> Self {
        self.toolset_prefixed("", toolset)
    }

    /// Adds the methods of a value, each under its name after the prefix: two values of one type can so be
    /// told apart.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, toolset};
    ///
    /// struct Shelf(&'static str);
    ///
    /// #[toolset]
    /// impl Shelf {
    ///     /// What stands here.
    ///     #[tool]
    ///     fn list(&self) -> &'static str {
    ///         self.0
    ///     }
    /// }
    ///
    /// let registry = Registry::builder()
    ///     .toolset_prefixed("left_", Shelf("novels"))
    ///     .toolset_prefixed("right_", Shelf("poems"))
    ///     .build()?;
    /// assert_eq!(registry.names(), ["left_list", "right_list"]);
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn toolset_prefixed<T: Toolset + Send + Sync + 'static>(mut self, prefix: &str, toolset: T) -> Self {
        let instance: Shared = Arc::new(toolset);
        let entries =
            T::TOOLS.iter().map(|tool| (Entry::of_method(prefix, tool, Arc::clone(&instance)), tool));
        self.methods.extend(entries);
        self
    }

    /// Adds a tool that is known only when the program runs.
    pub fn dynamic(mut self, tool: DynamicTool) -> Self {
        self.dynamic.push(tool);
        self
    }

    /// Lends this value to every tool with a parameter `#[state] x: &T`.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// struct Greeting(&'static str);
    ///
    /// /// Says hello.
    /// #[tool]
    /// fn greet(name: &str, #[state] greeting: &Greeting) -> String {
    ///     format!("{} {name}", greeting.0)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::builder().tools(tools![greet]).state(Greeting("Hello")).build()?;
    /// assert_eq!(registry.call("greet", r#"{"name":"Ada"}"#).await?, "Hello Ada");
    /// # Ok(())
    /// # }
    /// ```
    pub fn state<T: Send + Sync + 'static>(mut self, state: T) -> Self {
        if self.states.insert(state) {
            self.faults.push(BuildFault::DuplicateState { state: type_name::<T>() });
        }
        self
    }

    /// Says that each batch brings a state of this type in its [`BatchContext`](crate::BatchContext). A call
    /// in a batch that does not is answered with an error.
    pub fn batch_state<T: Send + Sync + 'static>(mut self) -> Self {
        self.batch_states.insert(TypeId::of::<T>());
        self
    }

    /// The registry.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once: every name that two tools have, and where both stand; every state
    /// that a tool needs and that is not there, and what else [`BuildFault`] lists.
    ///
    /// # Panics
    ///
    /// Only if a `#[arg(default = ..)]` or a `JsonSchema` of the program does.
    pub fn build(self) -> Result<Registry, BuildError> {
        let RegistryBuilder { functions, methods, dynamic, states, batch_states, mut faults } = self;
        let mut known = HashSet::new();
        let functions = functions
            .into_iter()
            .filter(|tool| known.insert((tool.identity)()))
            .map(|tool| Candidate::of_descriptor(Entry::of_function(tool), tool));
        let methods = methods.into_iter().map(|(entry, tool)| Candidate::of_descriptor(entry, tool));
        let dynamic = dynamic.into_iter().map(|tool| {
            refuse_dynamic(&tool, &mut faults);
            Candidate::of_dynamic(tool)
        });
        let mut candidates: Vec<Candidate> = functions.chain(methods).chain(dynamic).collect();
        candidates
            .sort_by(|a, b| (&a.entry.name, a.entry.location()).cmp(&(&b.entry.name, b.entry.location())));

        for pair in candidates.windows(2) {
            let [first, second] = [&pair[0].entry, &pair[1].entry];
            if first.name == second.name {
                let name = first.name.to_string();
                let (first, second) = (first.place(), second.place());
                faults.push(BuildFault::DuplicateName { name, first, second });
            }
        }
        let mut entries = Vec::with_capacity(candidates.len());
        let mut schemas = Vec::with_capacity(candidates.len());
        for Candidate { entry, schema, needs } in candidates {
            let name = &*entry.name;
            if !is_name(name) {
                faults.push(BuildFault::InvalidName { name: name.to_owned() });
            }
            let is_missing = |need: &Need| !states.holds(need.id) && !batch_states.contains(&need.id);
            faults.extend(needs.into_iter().filter(is_missing).map(|need| BuildFault::MissingState {
                tool: name.to_owned(),
                parameter: need.parameter,
                state: need.type_name,
            }));
            match schema {
                Ok(schema) => schemas.push(schema),
                Err(source) => faults.push(BuildFault::Schema { name: name.to_owned(), source }),
            }
            entries.push(entry);
        }
        if faults.is_empty() {
            Ok(Registry { tools: Arc::new(Tools::new(schemas, entries, Arc::new(states))) })
        } else {
            Err(BuildError { faults })
        }
    }
}

/// What the macro checks of a function, and cannot check here.
fn refuse_dynamic(tool: &DynamicTool, faults: &mut Vec<BuildFault>) {
    if tool.parameters.get("type").and_then(Value::as_str) != Some("object") {
        faults.push(BuildFault::InvalidParameters { tool: tool.name.clone() });
    }
    if tool.options.hints.timeout.is_some_and(|allowed| allowed.is_zero()) {
        faults.push(BuildFault::ZeroTimeout { tool: tool.name.clone() });
    }
    if tool.options.hints.read_only && tool.options.hints.destructive {
        faults.push(BuildFault::ContradictingHints { tool: tool.name.clone() });
    }
}

/// What servers take as the name of a function:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
fn is_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_allowed)
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let functions = self.functions.iter().map(|tool| tool.name);
        let methods = self.methods.iter().map(|(entry, _)| &*entry.name);
        let dynamic = self.dynamic.iter().map(|tool| &*tool.name);
        f.debug_struct("RegistryBuilder")
            .field("tools", &functions.chain(methods).chain(dynamic).collect::<Vec<_>>())
            .field("states", &self.states)
            .finish_non_exhaustive()
    }
}
