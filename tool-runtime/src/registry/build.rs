//! Putting a registry together, and everything that can be wrong with it.

use super::{Registry, Tools};
use crate::arguments::Invocation;
use crate::schema::{ToolSchema, parameters_of_tool};
use crate::tool::{Descriptor, ToolList};
use schemars::generate::SchemaSettings;
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
#[derive(Debug, Default)]
#[must_use = "nothing is built before `build()`"]
pub struct RegistryBuilder {
    tools: Vec<&'static Descriptor>,
}

impl RegistryBuilder {
    /// Adds exactly these tools.
    pub fn tools(mut self, tools: ToolList) -> Self {
        self.tools.extend(tools.0);
        self
    }

    /// Adds every function with [`#[tool]`](crate::tool) that is linked into the program. A tool that was
    /// also listed with [`tools`](RegistryBuilder::tools) is there once.
    #[cfg(feature = "collect")]
    pub fn collect(mut self) -> Self {
        self.tools.extend(crate::tool::collected());
        self
    }

    /// The registry.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, at once: every name that two tools have, and where both stand.
    pub fn build(self) -> Result<Registry, BuildError> {
        let mut descriptors = self.tools;
        descriptors.sort_by_key(|tool| (tool.name, tool.location));
        let mut known = HashSet::new();
        descriptors.retain(|tool| known.insert((tool.identity)()));
        let mut faults: Vec<BuildFault> = descriptors
            .windows(2)
            .filter(|pair| pair[0].name == pair[1].name)
            .map(|pair| BuildFault::DuplicateName {
                name: pair[0].name.to_owned(),
                first: pair[0].location.to_string(),
                second: pair[1].location.to_string(),
            })
            .collect();
        let mut schemas = Vec::with_capacity(descriptors.len());
        for tool in &descriptors {
            match schema(tool) {
                Ok(schema) => schemas.push(schema),
                Err(source) => faults.push(BuildFault::Schema { name: tool.name.to_owned(), source }),
            }
        }
        if !faults.is_empty() {
            return Err(BuildError { faults });
        }
        let index = descriptors.iter().enumerate().map(|(index, tool)| (tool.name, index)).collect();
        Ok(Registry { tools: Arc::new(Tools { schemas, descriptors, index }) })
    }
}

/// The schema of one tool: its shim describes the parameters, with one generator for them all.
fn schema(tool: &Descriptor) -> serde_json::Result<ToolSchema> {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator();
    let mut described = Vec::with_capacity(tool.parameters.len());
    // The shim stops once it has described itself.
    let _ = (tool.call)(Invocation::describe(tool.parameters, &mut generator, &mut described));
    let definitions = generator.take_definitions(true);
    let parameters = parameters_of_tool(tool.parameters, described, definitions)?;
    Ok(ToolSchema::new(tool.name, tool.description, parameters))
}

/// Why a registry cannot be built.
#[derive(Debug)]
pub struct BuildError {
    faults: Vec<BuildFault>,
}

/// One thing that is wrong with a registry.
#[derive(Debug)]
#[non_exhaustive]
pub enum BuildFault {
    /// Two tools have the same name.
    #[non_exhaustive]
    DuplicateName {
        /// The name.
        name: String,
        /// Where one of them stands.
        first: String,
        /// Where the other stands.
        second: String,
    },
    /// The schema of a tool cannot be written.
    #[non_exhaustive]
    Schema {
        /// The tool.
        name: String,
        /// What the writer says.
        source: serde_json::Error,
    },
}

impl BuildError {
    /// Everything that is wrong.
    #[must_use]
    pub fn faults(&self) -> &[BuildFault] {
        &self.faults
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the registry cannot be built: ")?;
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for BuildFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildFault::DuplicateName { name, first, second } => write!(
                f,
                "two tools are named `{name}`, one at {first} and one at {second}; \
                 give one of them `#[tool(name = \"..\")]`"
            ),
            BuildFault::Schema { name, source } => {
                write!(f, "the schema of `{name}` cannot be written: {source}")
            }
        }
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.faults.iter().find_map(|fault| match fault {
            BuildFault::Schema { source, .. } => Some(source as _),
            BuildFault::DuplicateName { .. } => None,
        })
    }
}
