//! The store in memory.

use super::{ResultStore, StoreFuture, is_inner_run};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The texts by run id; the handle of a text is its position, from 1.
#[derive(Default)]
pub(crate) struct MemoryStore(Mutex<BTreeMap<String, Vec<String>>>);

impl MemoryStore {
    fn runs(&self) -> MutexGuard<'_, BTreeMap<String, Vec<String>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResultStore for MemoryStore {
    fn add<'a>(&'a self, run_id: &'a str, text: &'a str) -> StoreFuture<'a, String> {
        Box::pin(async move {
            let mut runs = self.runs();
            let texts = runs.entry(run_id.to_owned()).or_default();
            let position = texts.iter().position(|known| known == text).unwrap_or_else(|| {
                texts.push(text.to_owned());
                texts.len() - 1
            });
            Ok((position + 1).to_string())
        })
    }

    fn read<'a>(&'a self, run_id: &'a str, handle: &'a str) -> StoreFuture<'a, Option<String>> {
        Box::pin(async move {
            let runs = self.runs();
            let position = handle.parse::<usize>().ok().filter(|number| number.to_string() == handle);
            let text = position.and_then(|number| runs.get(run_id)?.get(number.checked_sub(1)?));
            Ok(text.cloned())
        })
    }

    fn remove_run<'a>(&'a self, run_id: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.runs().retain(|id, _| id != run_id && !is_inner_run(id, run_id));
            Ok(())
        })
    }
}
