//! One tool of a registry, whatever it is made of.

use crate::arguments::{Refusal, object};
use crate::invocation::{Description, Invocation, Need, NotStarted, Scope};
use crate::schema::{ToolSchema, parameters_as_given, parameters_of_tool};
use crate::state::Shared;
use crate::tool::{Descriptor, DynamicTool, Handler, Location, Options, Started};
use schemars::generate::SchemaSettings;
use std::borrow::Cow;

/// A tool under the name by which the registry knows it.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: Cow<'static, str>,
    pub(crate) options: Options,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Function(&'static Descriptor),
    Method(&'static Descriptor, Shared),
    Dynamic(Handler),
}

/// An entry on its way into the registry.
pub(super) struct Candidate {
    pub(super) entry: Entry,
    pub(super) schema: serde_json::Result<ToolSchema>,
    pub(super) needs: Vec<Need>,
}

impl Entry {
    pub(super) fn of_function(tool: &'static Descriptor) -> Self {
        Entry { name: tool.name.into(), options: tool.options, body: Body::Function(tool) }
    }

    pub(super) fn of_method(prefix: &str, tool: &'static Descriptor, instance: Shared) -> Self {
        let name = match prefix {
            "" => tool.name.into(),
            _ => [prefix, tool.name].concat().into(),
        };
        Entry { name, options: tool.options, body: Body::Method(tool, instance) }
    }

    /// Where the tool was written; a dynamic one nowhere.
    pub(super) fn location(&self) -> Option<Location> {
        match self.body {
            Body::Function(tool) | Body::Method(tool, _) => Some(tool.location),
            Body::Dynamic(_) => None,
        }
    }

    /// The same for a message.
    pub(super) fn place(&self) -> String {
        match self.location() {
            Some(location) => format!("at {location}"),
            None => "as a `DynamicTool`".to_owned(),
        }
    }

    /// Decodes the arguments and starts the tool.
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
                let refused = |refusal: Refusal| NotStarted::Refused(Box::new(refusal));
                return Ok(handler(object(arguments).map_err(refused)?));
            }
        };
        (tool.call)(Invocation::call(tool.parameters, arguments, scope))
    }
}

impl Candidate {
    /// The shim of a function describes its parameters, with one generator for them all, and what it needs.
    pub(super) fn of_descriptor(entry: Entry, tool: &'static Descriptor) -> Self {
        let mut generator = SchemaSettings::draft2020_12()
            .with(|settings| {
                settings.inline_subschemas = true;
                settings.meta_schema = None;
            })
            .into_generator();
        let mut description = Description::default();
        // The shim stops once it has described itself.
        let _ = (tool.call)(Invocation::describe(tool.parameters, &mut generator, &mut description));
        let definitions = generator.take_definitions(true);
        let schema = parameters_of_tool(tool.parameters, description.parameters, definitions)
            .map(|parameters| ToolSchema::new(entry.name.clone(), tool.description.into(), parameters));
        Candidate { entry, schema, needs: description.needs }
    }

    pub(super) fn of_dynamic(tool: DynamicTool) -> Self {
        let name: Cow<'static, str> = tool.name.into();
        let schema = parameters_as_given(tool.parameters)
            .map(|parameters| ToolSchema::new(name.clone(), tool.description.into(), parameters));
        let entry = Entry { name, options: tool.options, body: Body::Dynamic(tool.handler) };
        Candidate { entry, schema, needs: Vec::new() }
    }
}
