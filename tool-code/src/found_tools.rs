//! The search of tools inside a program.

use crate::engine::CallAnswer;
use serde::Deserialize;
use tool_runtime::Registry;
use tool_runtime::search::KeywordIndex;

/// The name of the calls that search. No tool has it, since names of tools have no spaces.
pub(crate) const FIND_TOOLS: &str = "find tools";

/// The number of tools that a search finds.
const MAX_FOUND: usize = 8;

/// The tools that a program can find, by the words of their definitions.
pub(crate) struct FoundTools {
    index: KeywordIndex,
    declarations: Vec<String>,
}

#[derive(Deserialize)]
struct Query {
    query: String,
}

impl FoundTools {
    /// The declarations are those of the tools of the registry, in the same order.
    pub(crate) fn new(registry: &Registry, declarations: Vec<String>) -> Self {
        FoundTools { index: KeywordIndex::new(registry.schemas()), declarations }
    }

    /// The declarations of the tools that match, the best first, as one text.
    pub(crate) fn find(&self, arguments: &str) -> CallAnswer {
        let Ok(Query { query }) = serde_json::from_str(arguments) else {
            let message = "the search takes one text, such as \"send a mail\"".to_owned();
            return CallAnswer::Failed { kind: "invalid_arguments".to_owned(), message };
        };
        let found: Vec<&str> =
            self.index.rank(&query, MAX_FOUND).into_iter().map(|index| &*self.declarations[index]).collect();
        CallAnswer::Text(if found.is_empty() {
            "no tool matches: use other words".to_owned()
        } else {
            found.join("\n")
        })
    }
}
