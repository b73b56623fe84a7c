//! Tools before the registry is built.

use super::build_error::{BuildError, BuildErrorKind};
use super::validate::schema_error;
use crate::arguments::{ToolValidator, name_map_keys};
use crate::panics::catch_panic;
use crate::schema::{
    ParametersSchema, SchemaError, ToolSchema, from_dynamic, from_parameters, inline_settings,
};
use crate::state::{Shared, States};
use crate::tool::{
    Body, Description, Descriptor, DynamicTool, Invocation, Metadata, Need, Options, ToolEntry, ToolKeys,
};
use crate::wire::convert_foreign;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// A tool before the registry is built, with its schema and required state.
pub(super) struct Candidate {
    pub(super) tool: ToolEntry,
    pub(super) schema: ToolSchema,
    pub(super) needs: Vec<Need>,
}

/// The tools of a registry before it is built, and the errors of those that cannot be used.
#[derive(Default)]
pub(super) struct Candidates {
    pub(super) tools: Vec<Candidate>,
    pub(super) errors: Vec<BuildErrorKind>,
    pub(super) skipped: Vec<BuildError>,
}

impl Candidates {
    pub(super) fn add(&mut self, name: &str, candidate: Result<Candidate, SchemaError>) {
        match candidate {
            Ok(candidate) => self.tools.push(candidate),
            Err(error) => self.errors.push(schema_error(name, error)),
        }
    }
}

impl Candidate {
    /// Calls the shim of the function to describe its parameters, with one generator for all of them, and its required
    /// state.
    pub(super) fn from_descriptor(
        name: Cow<'static, str>,
        tool: &'static Descriptor,
        instance: Option<Shared>,
    ) -> Result<Self, SchemaError> {
        let mut generator = inline_settings().into_generator();
        let mut description = Description::default();
        // The shim always returns `None` after a description.
        let _ = (tool.call)(&mut Invocation::describe(tool.parameters, &mut generator, &mut description));
        let definitions = generator.take_definitions(true);
        name_map_keys(&mut description.parameters, |probes| {
            let mut errors = Vec::new();
            // A decoder of the program may panic on an unexpected key.
            let _ = catch_panic(|| (tool.call)(&mut Invocation::probe(tool.parameters, probes, &mut errors)));
            errors
        });
        let ParametersSchema { enforced, published } =
            from_parameters(tool.parameters, &description.parameters, &definitions)?;
        let validator = ToolValidator::from_parameters(&enforced, tool.parameters)?;
        let schema = ToolSchema::new(name.clone(), tool.description.into(), published);
        let mut candidate = Candidate::new(
            name,
            schema,
            validator,
            (tool.options, Metadata::from_options(&tool.options)),
            Body::Function(tool),
        );
        candidate.tool.instance = instance;
        candidate.set_enforced(enforced);
        candidate.needs = description.needs;
        Ok(candidate)
    }

    /// `name` may differ from that of the tool because of `rename_invalid_names`.
    pub(super) fn from_dynamic(name: String, tool: DynamicTool) -> Result<Self, SchemaError> {
        let original_name = (name != tool.name).then(|| tool.name.into());
        let ParametersSchema { enforced, published } =
            from_dynamic(tool.parameters, tool.deny_unknown_arguments)?;
        let validator = ToolValidator::from_schema(&enforced)?;
        let name = Cow::<'static, str>::from(name);
        let schema =
            ToolSchema::from_foreign(name.clone(), tool.description.into(), published, convert_foreign);
        let mut candidate = Candidate::new(
            name,
            schema,
            validator,
            (tool.options, tool.metadata),
            Body::Dynamic(tool.handler),
        );
        candidate.tool.original_name = original_name;
        candidate.set_enforced(enforced);
        Ok(candidate)
    }

    /// A tool that no request defines. It does not refer to the conversion of foreign definitions, which each program would then
    /// contain.
    pub(super) fn without_definition(tool: DynamicTool) -> Result<Self, SchemaError> {
        let validator = ToolValidator::from_schema(&tool.parameters)?;
        let schema = ToolSchema::new(tool.name.clone().into(), Cow::default(), Box::default());
        let parts = (tool.options, tool.metadata);
        Ok(Candidate::new(tool.name.into(), schema, validator, parts, Body::Dynamic(tool.handler)))
    }

    /// Sets what depends on the schema against which arguments are validated.
    #[cfg_attr(not(feature = "testing"), allow(clippy::needless_pass_by_value))]
    fn set_enforced(&mut self, enforced: Value) {
        let keys = self.schema.forms().property_keys();
        self.tool.keys = keys.map(|keys| Arc::new(ToolKeys::new(keys, &enforced)));
        #[cfg(feature = "testing")]
        {
            self.tool.enforced = Arc::new(enforced);
        }
        #[cfg(not(feature = "testing"))]
        drop(enforced);
    }

    /// The definition and the tool.
    #[cfg(feature = "search")]
    pub(super) fn into_tool(self) -> (ToolSchema, ToolEntry) {
        (self.schema, self.tool)
    }

    /// The state and the limits are set when the registry is built.
    fn new(
        name: Cow<'static, str>,
        schema: ToolSchema,
        validator: ToolValidator,
        (options, metadata): (Options, Metadata),
        body: Body,
    ) -> Self {
        let schema = match &metadata.output_schema {
            Some(output) => schema.with_output_schema(output),
            None => schema,
        };
        let permits = options.policy.max_concurrency.map(|calls| calls.min(Semaphore::MAX_PERMITS));
        let tool = ToolEntry {
            name,
            original_name: None,
            options,
            metadata: Arc::new(metadata),
            timeout: None,
            is_direct: false,
            is_barrier: false,
            needs_runtime: false,
            permits: permits.map(|calls| Arc::new(Semaphore::new(calls))),
            validator: Arc::new(validator),
            keys: None,
            #[cfg(feature = "testing")]
            enforced: Arc::default(),
            states: Arc::new(States::default()),
            instance: None,
            body,
        };
        Candidate { tool, schema, needs: Vec::new() }
    }
}
