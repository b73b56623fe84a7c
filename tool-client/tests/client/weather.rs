//! The tool and the session of the tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tool_runtime::{Registry, Session, tool, tools};

#[derive(Clone, Default)]
pub(crate) struct Runs(Arc<AtomicUsize>);

impl Runs {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Look up the weather of a city.
#[tool(read_only)]
fn get_weather(city: &str, #[state] runs: &Runs) -> String {
    runs.0.fetch_add(1, Ordering::SeqCst);
    format!("{city}: sunny")
}

/// The registry, and the number of runs of its tool.
pub(crate) fn registry() -> (Registry, Runs) {
    let runs = Runs::default();
    let registry = Registry::builder().tools(tools![get_weather]).state(runs.clone()).build();
    (registry.expect("one tool"), runs)
}

pub(crate) fn question() -> Session {
    Session::new().user("What is the weather in Beijing?")
}
