//! The keyword index, the signatures of tools and the results of searches: the functions of the feature `search` of `tool-runtime`
//! that need only the text of a definition.
//!
//! The package is a part of `tool-runtime`, which depends on exactly its version. Its API changes without notice, so programs do
//! not depend on it: the module `search` of `tool-runtime` has the same index and the same signatures.
#![warn(clippy::disallowed_methods)]

mod keyword_index;
mod one_line;
mod results;
mod signature;
mod tool_words;
mod words;

pub use keyword_index::KeywordIndex;
pub use results::{describe_matches, describe_no_match};
pub use signature::{FindReferenced, documented_signature, signature};

/// The definition of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Definition<'d> {
    /// The name of the tool.
    pub name: &'d str,
    /// Its description; may be empty.
    pub description: &'d str,
    /// The JSON Schema of its parameters, as text.
    pub parameters: &'d str,
}
