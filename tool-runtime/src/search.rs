//! Tools that a model finds with a search instead of reading all definitions in each request.
//!
//! A registry with [`RegistryBuilder::search`](crate::RegistryBuilder::search) sends the definitions of the pinned
//! tools and of two others: `search_tools` finds the remaining tools, and `call_tool` calls them. So the `tools` of a
//! request stay equal when remaining tools are added or removed, and the prompt cache of the provider stays valid.
//!
//! [`Search`] has the settings. A [`KeywordIndex`] ranks the tools by their words (BM25); a program can rank them itself with a
//! [`Ranking`], for example with embeddings.

mod catalog;
mod keyword_index;
mod ranking;
mod settings;
mod signature;

pub(crate) use catalog::{Catalog, DEFAULT_LIMIT, Findable, Scope};
pub use keyword_index::KeywordIndex;
pub use ranking::{Ranking, RankingFuture, SearchQuery};
pub use settings::Search;
pub use signature::{documented_signature, signature};

use crate::schema::ToolSchema;
use tool_runtime_search::Definition;

/// A tool as the index and the signatures read it.
fn definition(tool: &ToolSchema) -> Definition<'_> {
    Definition { name: tool.name(), description: tool.description(), parameters: tool.parameters().get() }
}
