//! Long results, which go to a store.

mod cut;
mod json;
mod lines;
mod read_result;

use crate::StoreError;
use crate::notice::{READ_RESULT, is_handle};
use crate::part_limit::max_part_len;
use crate::store::ResultStore;
use crate::store::folder::FolderStore;
use crate::store::memory::MemoryStore;
use cut::StoredText;
use read_result::ReadResult;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use tool_runtime::dispatch::{ReadyCall, ToolResult};
use tool_runtime::{RegistryBuilder, ToolOutput};

/// The bytes of a result that is not stored, unless the program sets another number.
const DEFAULT_LIMIT: usize = 16_000;
/// A line of [`read_result`](ReadResult) with its number, and the notice after it, need fewer bytes.
const MIN_LIMIT: usize = 2_000;
/// The fewest bytes to which one of several texts of a result is shortened.
const MIN_TEXT: usize = 400;

type Listener = dyn Fn(&StoreError) + Send + Sync;

/// Where long results go, and which results are long. [`SpillResults::spill`] adds it to a registry.
///
/// The model receives the beginning and the end of a long result, and a notice between them with the handle of the stored text:
///
/// ```text
/// [... 52,345 bytes left out, lines 101 to 712 of 812: read_result with handle "3" reads or searches them ...]
/// ```
///
/// - A result is long if the text that the model receives has more bytes than [`above`](Spill::above). That includes error
///   messages. Images, files and the artifact of a result stay.
/// - The text is cut between lines, or within a line that is too long. A JSON object or array is cut between its elements, with
///   markers such as `"[... 490 elements left out ...]"`, and its notice follows it. It is stored with line breaks and indents.
/// - Each of several long texts of a result has a handle of its own. A text that a run has stored before has its earlier handle.
/// - A JSON result with its notice is no JSON, also if the tool has an output schema (as with
///   [`max_result_bytes`](RegistryBuilder::max_result_bytes)). So a tool that runs the calls of a provider's shell
///   (`Responses::client_tool`) has to keep its outputs shorter than `above`: the API defines their format.
/// - Results of `read_result`, and results that [come later](ToolOutput::pending), do not change.
/// - A handle works only in its session: the store has the texts by the [run id](tool_runtime::RunContext::run_id) of the run
///   context. Without a run id, and after an error of the store, the text is shortened in the same way, and the notice has no
///   handle.
/// - Handles stay valid as long as the store has the texts: remove them together with the session
///   ([`remove_run`](Spill::remove_run)).
///
/// Clones share the store.
///
/// ```
/// use tool_runtime::{Registry, RunContext, ToolCall, tool, tools};
/// use tool_runtime_compaction::{Spill, SpillResults};
///
/// /// Lists the log.
/// #[tool(read_only)]
/// fn read_log() -> String {
///     (1..=5_000).map(|number| format!("request {number} took {} ms\n", number % 90)).collect()
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let spill = Spill::memory().above(8_000);
/// let registry = Registry::builder().tools(tools![read_log]).spill(spill.clone()).build()?;
/// let registry = registry.with(&RunContext::new().run_id("chat-7")); // one id for each session
///
/// let messages = registry.dispatch(&[ToolCall::new("call_1", "read_log", "{}")]).await;
/// assert!(messages[0].text().len() <= 8_000);
/// assert!(messages[0].text().contains(r#"read_result with handle "1" reads or searches them"#));
///
/// let search = ToolCall::new("call_2", "read_result", r#"{"handle":"1","search":"request 2500 "}"#);
/// let messages = registry.dispatch(&[search]).await;
/// assert!(messages[0].text().starts_with("2500: request 2500 took 70 ms"));
///
/// spill.remove_run("chat-7").await?; // when the program deletes the session
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "add it to a registry with `spill`"]
pub struct Spill {
    store: Arc<dyn ResultStore>,
    limit: usize,
    on_error: Option<Arc<Listener>>,
}

impl Spill {
    /// Stores the texts in memory, until [`remove_run`](Spill::remove_run) or the end of the program.
    pub fn memory() -> Self {
        Spill::store(MemoryStore::default())
    }

    /// Stores the texts in files of this folder, which is created if it is missing. Processes may share it.
    ///
    /// Each run id has a folder of its own there. On Unix, only the user of the process can read new folders and files. The files
    /// are read and written on threads for blocking operations.
    ///
    /// # Errors
    ///
    /// The folder cannot be created.
    pub fn folder(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        Ok(Spill::store(FolderStore::new(path.into())?))
    }

    /// Stores the texts in this store, for example in a database.
    pub fn store(store: impl ResultStore + 'static) -> Self {
        Spill { store: Arc::new(store), limit: DEFAULT_LIMIT, on_error: None }
    }

    /// Sets the greatest number of bytes of UTF-8 that the model receives as the text of one result. Default: 16,000. A number
    /// below 2,000 counts as 2,000.
    ///
    /// Leave [`max_result_bytes`](RegistryBuilder::max_result_bytes) unset, or greater than this: it would cut the shortened text
    /// again.
    pub fn above(mut self, bytes: usize) -> Self {
        self.limit = bytes.max(MIN_LIMIT);
        self
    }

    /// Sets a listener for errors of the store. Default: none. A call does not fail because of such an error: the model receives
    /// the shortened text, with a notice that has no handle.
    pub fn on_error(mut self, listener: impl Fn(&StoreError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(listener));
        self
    }

    /// Removes the stored texts of a session and of its [inner sessions](crate::is_inner_run). A run id without texts is no
    /// error.
    ///
    /// Remove them only when the session is removed as well: later texts may get the handles of removed ones.
    ///
    /// # Errors
    ///
    /// The store cannot remove them.
    pub async fn remove_run(&self, run_id: &str) -> Result<(), StoreError> {
        self.store.remove_run(run_id).await
    }

    /// Runs a call, and shortens its result.
    async fn run(self, call: ReadyCall) -> ToolResult {
        let result = call.run().await;
        let is_pending = result.output().is_some_and(ToolOutput::is_pending);
        if is_pending || call.tool() == READ_RESULT || result.text().len() <= self.limit {
            return result;
        }
        // The store has the text from now on, and the session has the result.
        call.keep_result();
        let run_id = call.context().key().map(|key| key.run_id);
        // The model receives the message of a failure after `Error: `.
        let prefix = result.failure().map_or(0, |failure| result.text().len() - failure.message().len());
        let limit = self.limit - prefix;
        let shortened = self.shorten(&texts(&result), run_id.as_deref(), limit).await;
        let mut shortened = shortened.into_iter();
        result.map_text(|_| shortened.next().unwrap_or_default())
    }

    /// The texts of a result with at most this number of bytes together.
    async fn shorten(&self, texts: &[String], run_id: Option<&str>, limit: usize) -> Vec<String> {
        let max_text = max_part_len(texts.iter().map(String::len), limit);
        if texts.len() > 1 && max_text < MIN_TEXT {
            // Too many for a notice in each: they become one text.
            let mut shortened = vec![self.shorten_text(&texts.join("\n"), run_id, limit).await];
            shortened.resize(texts.len(), String::new());
            return shortened;
        }
        let mut shortened = Vec::with_capacity(texts.len());
        for text in texts {
            shortened.push(self.shorten_text(text, run_id, max_text).await);
        }
        shortened
    }

    async fn shorten_text(&self, text: &str, run_id: Option<&str>, limit: usize) -> String {
        if text.len() <= limit {
            return text.to_owned();
        }
        if let Some(compact) = json::is_container(text).then(|| json::compact(text)) {
            if compact.len() <= limit {
                return compact;
            }
        }
        let stored = StoredText::new(text);
        let handle = match run_id {
            Some(run_id) => self.add(run_id, &stored.text).await,
            None => None,
        };
        stored.cut(handle.as_deref(), limit)
    }

    /// Stores a text; `None` after an error.
    async fn add(&self, run_id: &str, text: &str) -> Option<String> {
        let added = self.store.add(run_id, text).await;
        let checked = added.and_then(|handle| {
            if is_handle(&handle) { Ok(handle) } else { Err(StoreError::InvalidHandle { handle }) }
        });
        checked.inspect_err(|error| self.report(error)).ok()
    }

    fn report(&self, error: &StoreError) {
        if let Some(listener) = &self.on_error {
            listener(error);
        }
    }
}

impl fmt::Debug for Spill {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Spill").field("above", &self.limit).finish_non_exhaustive()
    }
}

/// The texts of a result, in the order of [`ToolResult::map_text`].
fn texts(result: &ToolResult) -> Vec<String> {
    let mut texts = Vec::new();
    let _ = result.clone().map_text(|text| {
        texts.push(text.to_owned());
        String::new()
    });
    texts
}

/// Adds a [`Spill`] to a registry.
pub trait SpillResults: Sized {
    /// Stores the long results of all tools, and adds the tool `read_result`, with which the model reads and searches them.
    ///
    /// It is middleware around all other middleware of the registry. [`Spill`] has an example.
    #[must_use = "call `build()` to create the registry"]
    fn spill(self, spill: Spill) -> Self;
}

impl SpillResults for RegistryBuilder {
    fn spill(self, spill: Spill) -> Self {
        let tool = ReadResult::new(spill.clone());
        self.toolset(tool).around_call_outermost(move |call| spill.clone().run(call))
    }
}
