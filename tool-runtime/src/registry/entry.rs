//! One tool of a registry: a function, a method or a dynamic tool.

use crate::arguments::{ArgumentsError, ParamSchema, ToolValidator, key_probes, name_keys, object};
use crate::coerce::{Coerced, CoercionOptions, coerce};
use crate::invocation::{Description, Invocation, Need, NotStarted, Scope};
use crate::panics::catch_panic;
use crate::schema::{Forms, ParametersSchema, ToolSchema, from_dynamic, from_parameters};
use crate::state::Shared;
use crate::tool::{Descriptor, DynamicTool, Handler, Location, Metadata, Options, Started};
use crate::validator::ExceededLimit;
use schemars::generate::SchemaSettings;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// A tool with its name in the registry.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Cow<'static, str>,
    /// The name before `map_names` changed it.
    pub(super) original_name: Option<Arc<str>>,
    pub(crate) options: Options,
    pub(super) metadata: Arc<Metadata>,
    /// The forms of the definition, which know whether a request may have had the strict one.
    pub(super) forms: Arc<Forms>,
    validator: Arc<ToolValidator>,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Function(&'static Descriptor),
    Method(&'static Descriptor, Shared),
    Dynamic(Handler),
}

/// An entry before the registry is built, with its schema and required state.
pub(super) struct Candidate {
    pub(super) entry: Entry,
    pub(super) schema: ToolSchema,
    pub(super) needs: Vec<Need>,
}

impl Entry {
    /// The source location; `None` for a dynamic tool.
    pub(super) fn location(&self) -> Option<Location> {
        match self.body {
            Body::Function(tool) | Body::Method(tool, _) => Some(tool.location),
            Body::Dynamic(_) => None,
        }
    }

    /// The location for a message.
    pub(super) fn describe_location(&self) -> String {
        match (self.location(), &self.original_name) {
            (Some(location), _) => format!("at {location}"),
            (None, Some(original)) => format!("as the `DynamicTool` `{original}`"),
            (None, None) => "as a `DynamicTool`".to_owned(),
        }
    }

    /// Sets the time limit of the registry, unless the tool has its own.
    pub(super) fn with_default_timeout(mut self, limit: Option<Duration>) -> Self {
        let timeout = &mut self.options.policy.timeout;
        *timeout = timeout.or(limit);
        self
    }

    /// The keywords of the schema that are not enforced.
    pub(super) fn unsupported_keywords(&self) -> &[String] {
        &self.validator.validator.unsupported_keywords
    }

    /// Decodes the arguments and starts the tool.
    ///
    /// Inlined to avoid a copy of the invocation (4 ns).
    #[inline]
    pub(crate) fn start<'a>(
        &'a self,
        arguments: &'a str,
        mut scope: Scope<'a>,
    ) -> Result<Started<'a>, NotStarted> {
        let tool = match &self.body {
            Body::Function(tool) => tool,
            Body::Method(tool, instance) => {
                scope.instance = Some(instance);
                tool
            }
            Body::Dynamic(handler) => {
                let refused = |refusal: ArgumentsError| NotStarted::Refused(Box::new(refusal));
                return Ok(handler(
                    object(arguments, &self.validator.validator).map_err(refused)?,
                    scope.context(),
                ));
            }
        };
        let mut invocation = Invocation::call(tool.parameters, arguments, &self.validator, scope);
        (tool.call)(&mut invocation).ok_or_else(|| invocation.why_not())
    }

    /// The coerced arguments, if the tool can decode them.
    pub(crate) fn coerce(&self, arguments: &str, options: CoercionOptions) -> Option<Coerced> {
        coerce(arguments, &self.validator.validator, options)
    }
}

/// The error of a schema that cannot be used.
pub(super) enum SchemaError {
    Json(serde_json::Error),
    Limit(ExceededLimit),
}

impl From<serde_json::Error> for SchemaError {
    fn from(error: serde_json::Error) -> Self {
        SchemaError::Json(error)
    }
}

impl From<ExceededLimit> for SchemaError {
    fn from(limit: ExceededLimit) -> Self {
        SchemaError::Limit(limit)
    }
}

impl Candidate {
    pub(super) fn from_function(tool: &'static Descriptor) -> Result<Self, SchemaError> {
        Candidate::from_descriptor(tool.name.into(), tool, Body::Function(tool))
    }

    pub(super) fn from_method(
        name: Cow<'static, str>,
        tool: &'static Descriptor,
        instance: Shared,
    ) -> Result<Self, SchemaError> {
        Candidate::from_descriptor(name, tool, Body::Method(tool, instance))
    }

    /// Calls the shim of the function to describe its parameters, with one generator for all of them, and its required
    /// state.
    fn from_descriptor(
        name: Cow<'static, str>,
        tool: &'static Descriptor,
        body: Body,
    ) -> Result<Self, SchemaError> {
        let mut generator = SchemaSettings::draft2020_12()
            .with(|settings| {
                settings.inline_subschemas = true;
                settings.meta_schema = None;
            })
            .into_generator();
        let mut description = Description::default();
        // The shim always returns `None` after a description.
        let _ = (tool.call)(&mut Invocation::describe(tool.parameters, &mut generator, &mut description));
        let definitions = generator.take_definitions(true);
        name_map_keys(tool, &mut description.parameters);
        let ParametersSchema { enforced, published } =
            from_parameters(tool.parameters, &description.parameters, definitions)?;
        let validator = ToolValidator::from_parameters(&enforced, tool.parameters, &description.parameters)?;
        let schema = ToolSchema::new(name.clone(), tool.description.into(), published);
        let (validator, forms) = (Arc::new(validator), Arc::clone(schema.forms()));
        let (options, metadata) = (tool.options, Arc::new(Metadata::from_options(&tool.options)));
        let entry = Entry { name, original_name: None, options, metadata, forms, validator, body };
        Ok(Candidate { entry, schema, needs: description.needs })
    }

    /// `name` may differ from that of the tool because of `map_names`.
    pub(super) fn from_dynamic(name: String, tool: DynamicTool) -> Result<Self, SchemaError> {
        let original_name = (name != tool.name).then(|| tool.name.into());
        let ParametersSchema { enforced, published } =
            from_dynamic(tool.parameters, tool.deny_unknown_arguments)?;
        let validator = Arc::new(ToolValidator::from_schema(&enforced)?);
        let schema = ToolSchema::new(name.clone().into(), tool.description.into(), published);
        let (body, forms) = (Body::Dynamic(tool.handler), Arc::clone(schema.forms()));
        let (name, options, metadata) = (name.into(), tool.options, Arc::new(tool.metadata));
        let entry = Entry { name, original_name, options, metadata, forms, validator, body };
        Ok(Candidate { entry, schema, needs: Vec::new() })
    }
}

/// Names the keys of the maps that are keyed by an enum: first those of outer maps, then those of the maps inside.
fn name_map_keys(tool: &'static Descriptor, parameters: &mut [ParamSchema]) {
    const MAX_PASSES: usize = 4;
    for _ in 0..MAX_PASSES {
        let (probes, mut errors) = (key_probes(parameters), Vec::new());
        if probes.is_empty() {
            return;
        }
        // A decoder of the program may panic on an unexpected key.
        let _ = catch_panic(|| (tool.call)(&mut Invocation::probe(tool.parameters, &probes, &mut errors)));
        let mut has_named = false;
        for (probe, error) in probes.iter().zip(&errors) {
            has_named |= error.as_ref().is_some_and(|error| name_keys(parameters, probe, error));
        }
        if !has_named {
            return;
        }
    }
}
