//! What the definitions of 20 tools cost in every request.
//!
//! The tools are those of tests/tokens.rs. Each library describes them with its own schema; around it is always what
//! OpenAI takes, and the tokens are those of its o200k.

#[macro_use]
mod declare;
mod tools;
mod types;

use crate::libraries::{Each, Library};
use crate::table::{Row, Unit};
use crate::{Measured, Result};
use serde_json::{Value, json};
use tools::{llm_tool, ours, rig, tools_rs};

/// What a library says of a tool.
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
        "Tokens: tools-rs has no descriptions of parameters and fields, and no enums, which are texts here: it spends \
         less since it says less."
            .to_owned(),
        "Tokens: where a parameter has no description, rig writes \"Parameter x\"; llm-tool insists on one, and got an \
         empty one."
            .to_owned(),
    ];
    Ok(Measured { rows: vec![Row::new("tokens of 20 tools", Unit::Count, figures)], notes })
}

/// An entry of `tools`: <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
fn entry(Definition { name, description, parameters }: &Definition) -> Value {
    json!({
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    })
}

/// All must say the same of the same tools, but for the parameters.
fn check(libraries: &Each<Vec<Definition>>) -> Result<()> {
    for (library, definitions) in Library::ALL.iter().zip(libraries) {
        if definitions.len() != tools::NAMES.len() {
            return Err(format!("{library:?} has {} tools", definitions.len()).into());
        }
        for (definition, ours) in definitions.iter().zip(&libraries[0]) {
            if (&definition.name, &definition.description) != (&ours.name, &ours.description) {
                return Err(format!("{library:?} has another {} than {}", definition.name, ours.name).into());
            }
        }
    }
    Ok(())
}
