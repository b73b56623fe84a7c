//! A macro that declares the tools for every library.

/// Declares a module for each library, with its attribute on each function, and `definitions()` sorted by name.
///
/// In `GetWeather: fn get_weather(..)`, `GetWeather` is the type that two of the libraries generate for a tool. The
/// parts of a type are matched separately, since some of the macros do not recognize an `Option` in a `ty` fragment.
macro_rules! declare {
    ($(
        #[doc = $doc:tt]
        $tool:ident: fn $name:ident(
            $($(#[doc = $parameter_doc:tt])? $parameter:ident: $type:ident $(<$inner:ident>)?),* $(,)?
        );
    )*) => {
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];

        pub(super) mod ours {
            use crate::tokens::Definition;
            use crate::tokens::types::*;
            use tool_runtime::{Registry, tool, tools};

            $(
                #[doc = $doc]
                #[tool]
                fn $name($($(#[doc = $parameter_doc])? $parameter: $type $(<$inner>)?),*) {}
            )*

            pub(in crate::tokens) fn definitions() -> crate::Result<Vec<Definition>> {
                let registry = Registry::new(tools![$($name),*])?;
                let definitions = registry.schemas().iter().map(|tool| {
                    Ok(Definition {
                        name: tool.name().to_owned(),
                        description: tool.description().to_owned(),
                        parameters: serde_json::from_str(tool.parameters().get())?,
                    })
                });
                definitions.collect()
            }
        }

        pub(super) mod llm_tool {
            use crate::tokens::Definition;
            use crate::tokens::types::*;
            use llm_tool::{ToolRegistry, llm_tool};

            $(
                #[doc = $doc]
                #[llm_tool]
                // A parameter without a description does not compile.
                fn $name($($(#[doc = $parameter_doc])? #[doc = ""] $parameter: $type $(<$inner>)?),*) -> String {
                    String::new()
                }
            )*

            pub(in crate::tokens) fn definitions() -> Vec<Definition> {
                let mut registry = ToolRegistry::new();
                $(registry.register($tool);)*
                let definitions = registry.definitions().into_iter().map(|tool| Definition {
                    name: tool.name,
                    description: tool.description,
                    parameters: tool.parameter_schema,
                });
                definitions.collect()
            }
        }

        pub(super) mod tools_rs {
            use crate::tokens::Definition;
            use crate::tokens::types::{
                Address, Attendee, Coordinates, Edit, Item, Passenger, Route,
            };
            use tools_rs::{ToolCollection, tool};

            // tools-rs does not support schemas of enums: a string is the nearest type.
            type Class = String;
            type Parameter = String;
            type Priority = String;
            type Repeat = String;
            type Size = String;
            type State = String;
            type Unit = String;

            $(
                #[doc = $doc]
                #[tool]
                // A parameter with a description does not compile.
                async fn $name($($parameter: $type $(<$inner>)?),*) -> String {
                    String::new()
                }
            )*

            pub(in crate::tokens) fn definitions() -> crate::Result<Vec<Definition>> {
                // The collection contains the tools of `dispatch` as well, since a program has only one.
                let tools = ToolCollection::<tools_core::NoMeta>::collect_tools()?;
                let mut definitions: Vec<Definition> = tools
                    .iter()
                    .filter(|(name, _)| super::NAMES.contains(name))
                    .map(|(name, tool)| Definition {
                        name: name.to_owned(),
                        description: tool.decl.description.to_owned(),
                        parameters: tool.decl.parameters.clone(),
                    })
                    .collect();
                definitions.sort_by(|a, b| a.name.cmp(&b.name));
                Ok(definitions)
            }
        }

        pub(super) mod rig {
            use crate::tokens::Definition;
            use crate::tokens::types::*;
            use rig::rig_tool;
            use rig::tool::{ToolExecutionError, tool_definition};

            $(
                #[doc = $doc]
                #[rig_tool]
                fn $name(
                    $($(#[doc = $parameter_doc])? $parameter: $type $(<$inner>)?),*
                ) -> Result<String, ToolExecutionError> {
                    Ok(String::new())
                }
            )*

            pub(in crate::tokens) fn definitions() -> Vec<Definition> {
                let mut definitions: Vec<Definition> = [$(tool_definition(&$tool)),*]
                    .into_iter()
                    .map(|tool| Definition {
                        name: tool.name.to_string(),
                        description: tool.description,
                        parameters: tool.parameters,
                    })
                    .collect();
                definitions.sort_by(|a, b| a.name.cmp(&b.name));
                definitions
            }
        }
    };
}
