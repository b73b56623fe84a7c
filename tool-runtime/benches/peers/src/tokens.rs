//! The tokens of the definitions of 20 tools.
//!
//! The tools are those of tests/benches/tokens.rs. Each library generates the schemas of the parameters; the definitions
//! have the form of OpenAI, and the tokens are those of o200k.

#[macro_use]
mod declare;
mod tools;
mod types;

use crate::libraries::{Each, Library};
use crate::row::{Row, Unit};
use crate::{Measured, Result};
use serde_json::{Value, json};
use tools::{llm_tool, ours, rig, tools_rs};

/// The definition of a tool by a library.
struct Definition {
    name: String,
    description: String,
    parameters: Value,
}

pub(crate) fn measure() -> Result<Measured> {
    let libraries =
        [ours::definitions()?, llm_tool::definitions(), tools_rs::definitions()?, rig::definitions()];
    check(&libraries)?;
    let mut figures = [None; 4];
    for (figure, definitions) in figures.iter_mut().zip(&libraries) {
        let array: Vec<Value> = definitions.iter().map(entry).collect();
        let text = serde_json::to_string(&array)?;
        let tokens = tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len();
        *figure = Some(f64::from(u32::try_from(tokens)?));
    }
    let notes = vec![
        "Tokens: the definitions of tools-rs are smaller since they have no descriptions of parameters and fields, and \
         strings in place of enums."
            .to_owned(),
        "Tokens: for a parameter without a description, rig writes \"Parameter x\"; llm-tool requires a description, \
         which is empty here."
            .to_owned(),
    ];
    let rows = vec![Row::new("tokens of 20 tools", Unit::Count, figures)];
    Ok(Measured { rows, notes, ..Measured::default() })
}

/// An entry of `tools`: <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
fn entry(Definition { name, description, parameters }: &Definition) -> Value {
    json!({
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    })
}

/// Fails if the names or descriptions of the tools differ between the libraries.
fn check(libraries: &Each<Vec<Definition>>) -> Result<()> {
    for (library, definitions) in Library::ALL.iter().zip(libraries) {
        if definitions.len() != tools::NAMES.len() {
            return Err(format!("{library:?} has {} tools", definitions.len()).into());
        }
        for (definition, ours) in definitions.iter().zip(&libraries[0]) {
            if (&definition.name, &definition.description) != (&ours.name, &ours.description) {
                return Err(
                    format!("{library:?} has a different {} than {}", definition.name, ours.name).into()
                );
            }
        }
    }
    Ok(())
}
