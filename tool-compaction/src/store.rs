//! The stores of long results.

pub(crate) mod folder;
pub(crate) mod memory;

use crate::StoreError;
use std::iter::successors;
use std::pin::Pin;
use std::sync::Arc;
use tool_runtime::dispatch::CallKey;

/// The future of a [`ResultStore`].
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Stores the texts of long results, each for one run id. [`Spill::memory`](crate::Spill::memory) and
/// [`Spill::folder`](crate::Spill::folder) have one, and [`Spill::store`](crate::Spill::store) takes any other.
///
/// Run ids may contain any character. A model writes the handles that [`read`](ResultStore::read) receives, so they may
/// contain anything as well.
///
/// [`StoreError::storage`] makes an error of the store.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::sync::{Mutex, PoisonError};
/// use tool_runtime_compaction::{ResultStore, Spill, StoreFuture, is_inner_run};
///
/// /// The texts by run id and handle. A program has a table of its database in its place.
/// #[derive(Default)]
/// struct Table(Mutex<BTreeMap<(String, String), String>>);
///
/// impl ResultStore for Table {
///     fn add<'a>(&'a self, run_id: &'a str, text: &'a str) -> StoreFuture<'a, String> {
///         Box::pin(async move {
///             let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///             let handle = format!("r{}", rows.len() + 1);
///             rows.insert((run_id.to_owned(), handle.clone()), text.to_owned());
///             Ok(handle)
///         })
///     }
///
///     fn read<'a>(&'a self, run_id: &'a str, handle: &'a str) -> StoreFuture<'a, Option<String>> {
///         Box::pin(async move {
///             let rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///             Ok(rows.get(&(run_id.to_owned(), handle.to_owned())).cloned())
///         })
///     }
///
///     fn remove_run<'a>(&'a self, run_id: &'a str) -> StoreFuture<'a, ()> {
///         Box::pin(async move {
///             let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
///             rows.retain(|(id, _), _| id != run_id && !is_inner_run(id, run_id));
///             Ok(())
///         })
///     }
/// }
///
/// let spill = Spill::store(Table::default());
/// # drop(spill);
/// ```
pub trait ResultStore: Send + Sync {
    /// Stores a text, and returns its handle: 1 to 64 ASCII letters, digits, `_` or `-`. Different texts of a run have different
    /// handles, also if many calls add texts at once. The text is stored when the future is ready.
    ///
    /// The same text of a run should get the same handle: the results of identical calls are identical then, so that the model gets
    /// the [note about repeated calls](tool_runtime::RegistryBuilder::note_repeated_calls).
    fn add<'a>(&'a self, run_id: &'a str, text: &'a str) -> StoreFuture<'a, String>;

    /// The text with this handle of this run; `None` if the run has no such handle.
    fn read<'a>(&'a self, run_id: &'a str, handle: &'a str) -> StoreFuture<'a, Option<String>>;

    /// Removes the texts of this run and of its inner sessions ([`is_inner_run`]). A run without texts is no error.
    fn remove_run<'a>(&'a self, run_id: &'a str) -> StoreFuture<'a, ()>;
}

impl<S: ResultStore + ?Sized> ResultStore for Arc<S> {
    fn add<'a>(&'a self, run_id: &'a str, text: &'a str) -> StoreFuture<'a, String> {
        (**self).add(run_id, text)
    }

    fn read<'a>(&'a self, run_id: &'a str, handle: &'a str) -> StoreFuture<'a, Option<String>> {
        (**self).read(run_id, handle)
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> StoreFuture<'a, ()> {
        (**self).remove_run(run_id)
    }
}

/// Whether a run is that of an inner session of the other one, or of an inner session in it: its id continues that of the outer
/// one with a slash and a decimal number, twice for each call
/// ([`CallContext::child_run_context`](tool_runtime::CallContext::child_run_context)).
///
/// ```
/// use tool_runtime_compaction::is_inner_run;
///
/// assert!(is_inner_run("order-7/2/0", "order-7"));
/// assert!(is_inner_run("order-7/2/0/0/1", "order-7"));
/// assert!(!is_inner_run("order-7/2", "order-7"));
/// assert!(!is_inner_run("order-70/2/0", "order-7"));
/// ```
#[must_use]
pub fn is_inner_run(run_id: &str, outer: &str) -> bool {
    let calls =
        successors(CallKey::from_inner_run_id(run_id), |call| CallKey::from_inner_run_id(&call.run_id));
    calls.map(|call| call.run_id).any(|id| id == outer)
}
