//! `assert_tools_lock`: each class of change between a lock and a registry of ten tools.

mod classes;
mod files;
mod functions;
mod random;
mod report;
#[allow(
    clippy::needless_pass_by_value,
    dead_code,
    unused_variables,
    reason = "the tools need only their signatures"
)]
mod shop;
mod ten_tools;
mod values;

use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::Registry;
use tool_runtime_lock::assert_tools_lock;

/// A random number generator. The seed is printed, and `SEED` sets it.
fn seeded() -> fastrand::Rng {
    let seed =
        std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    println!("SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

/// A path in the folder for temporary files. The file is removed at the end.
struct LockPath(PathBuf);

impl LockPath {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        LockPath(std::env::temp_dir().join(format!("tools-{}-{number}.lock", std::process::id())))
    }

    fn with(text: &str) -> Self {
        let path = LockPath::new();
        std::fs::write(&path.0, text).expect("the folder is writable");
        path
    }
}

impl Drop for LockPath {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The message of a failed assertion, with `tools.lock` in place of its path; `None` if it passes.
fn message(registry: &Registry, path: &LockPath) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(|| assert_tools_lock(registry, &path.0))).err()?;
    let message = panic.downcast_ref::<String>().expect("the message is text");
    Some(message.replace(&path.0.display().to_string(), "tools.lock"))
}

/// Compares a lock with a registry.
fn compare(lock: &Value, registry: &Registry) -> Option<String> {
    message(registry, &LockPath::with(&lock.to_string()))
}
