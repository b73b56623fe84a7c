//! The conversion of a definition by the rules of a provider.

use super::references::leave_out_definitions;
use super::root::shorten;
use super::{Conversion, Rule, SchemaChange, WriteKeys};
use crate::description::join_sentences;
use crate::keywords::unique;
use crate::strict::NotStrict;
use serde_json::{Map, Value};

/// The maximum length of the sentences that a conversion adds to the description of a tool.
const MAX_SENTENCES: usize = 4_000;

/// A converted definition.
pub struct Converted {
    /// `None` if the rules add nothing to the description.
    pub description: Option<String>,
    /// The schema of the parameters.
    pub parameters: Value,
    /// The changes of the parameters, each once.
    pub changes: Vec<SchemaChange>,
    /// Why a strict form would reject what the tool accepts.
    pub not_strict: Vec<NotStrict>,
}

/// Applies the rules to a definition with this description and these parameters.
#[must_use]
pub fn convert(
    description: &str,
    parameters: Map<String, Value>,
    rules: &[Rule],
    write_keys: WriteKeys<'_>,
) -> Converted {
    let mut conversion =
        Conversion { root: parameters, write_keys: Some(write_keys), ..Conversion::default() };
    for rule in rules {
        (rule.convert)(&mut conversion);
    }
    if !conversion.changes.is_empty() {
        leave_out_definitions(&mut conversion);
    }
    let Conversion { root, mut sentences, changes, not_strict, .. } = conversion;
    shorten(&mut sentences, MAX_SENTENCES, "rules");
    let description = (!sentences.is_empty()).then(|| {
        let own = std::iter::once(description).filter(|text| !text.is_empty());
        join_sentences(own.chain(sentences.iter().map(String::as_str)))
    });
    Converted { description, parameters: root.into(), changes: unique(changes.into_iter()), not_strict }
}
