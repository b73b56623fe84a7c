//! Toolsets: methods as tools.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{CallContext, Registry, RunContext, ToolCall, toolset};

trait Backend: Send + Sync {
    const NAME: &'static str;
    fn load(&self) -> impl Future<Output = i64> + Send;
}

struct Memory(i64);
impl Backend for Memory {
    const NAME: &'static str = "memory";
    async fn load(&self) -> i64 {
        self.0
    }
}
struct Disk(AtomicI64);
impl Backend for Disk {
    const NAME: &'static str = "disk";
    async fn load(&self) -> i64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

struct Calculator<T> {
    backend: T,
    log: Mutex<Vec<String>>,
}

impl<T: Backend> Calculator<T> {
    fn new(backend: T) -> Self {
        Calculator { backend, log: Mutex::default() }
    }
}

#[toolset]
impl<T: Backend> Calculator<T> {
    /// Adds to the stored number.
    ///
    /// # Arguments
    /// - `a`: The number to add.
    #[tool(read_only)]
    async fn add(&self, a: i64) -> i64 {
        self.note("add");
        self.backend.load().await + a
    }

    /// The description in the attribute takes precedence.
    #[tool(name = "backend", description = "The name of the backend.")]
    fn name_of_backend(&self, #[context] call: &CallContext, #[state] suffix: &char) -> String {
        format!("{}{suffix} {}", T::NAME, call.tool())
    }

    /// Doubles a number.
    #[tool]
    fn double(n: i64) -> i64 {
        Self::helper(n)
    }

    /// Sums a list.
    #[tool]
    fn sum(self: &Self, numbers: &[i64], #[arg(default = Self::START)] start: i64) -> i64 {
        self.note("sum");
        numbers.iter().sum::<i64>() + start
    }

    /// Is not compiled.
    #[tool(name = "twin")]
    #[cfg(any())]
    fn twin(&self) -> NoSuchType {}

    /// Is compiled.
    #[tool(name = "twin")]
    #[cfg(not(any()))]
    fn other_twin() {}

    const START: i64 = 100;

    fn helper(n: i64) -> i64 {
        n * 2
    }

    fn note(&self, what: &str) {
        self.log.lock().expect("no panic").push(what.to_owned());
    }
}

async fn content_of(registry: &Registry, name: &str, arguments: &str) -> String {
    let calls = [ToolCall::new("1", name, arguments)];
    registry.with(&RunContext::new()).dispatch(&calls).await.remove(0).content.to_string()
}

#[tokio::test]
async fn instances_of_a_generic_toolset_have_separate_data() {
    let registry = Registry::builder()
        .toolset_prefixed("memory_", Calculator::new(Memory(10)))
        .toolset_prefixed("disk_", Calculator::new(Disk(AtomicI64::new(20))))
        .toolset_prefixed("more_", Calculator::new(Memory(30)))
        .state('!')
        .build()
        .expect("the names differ");
    assert_eq!(registry.names().len(), 15);
    for (name, arguments, expected) in [
        ("memory_add", r#"{"a":1}"#, "11"),
        ("memory_add", r#"{"a":1}"#, "11"),
        ("disk_add", r#"{"a":1}"#, "21"),
        ("disk_add", r#"{"a":1}"#, "22"),
        ("more_add", r#"{"a":1}"#, "31"),
        ("disk_backend", "", "disk! disk_backend"),
        ("memory_double", r#"{"n":4}"#, "8"),
        ("memory_sum", r#"{"numbers":[1,2]}"#, "103"),
        (
            "memory_sum",
            "{}",
            "Error: invalid arguments for `memory_sum`: `numbers` is missing. Call it again, but add `numbers`.",
        ),
    ] {
        assert_eq!(content_of(&registry, name, arguments).await, expected, "{name}");
    }
}

#[tokio::test]
async fn methods_can_be_called_directly() {
    let calculator = Calculator::new(Memory(1));
    assert_eq!(calculator.add(2).await, 3);
    assert_eq!(calculator.sum(&[1], 0), 1);
    assert_eq!(Calculator::<Memory>::double(2), 4);
    assert_eq!(*calculator.log.lock().expect("no panic"), ["add", "sum"]);
}

#[test]
fn methods_have_options_and_descriptions_like_functions() {
    let registry =
        Registry::builder().toolset(Calculator::new(Memory(1))).state('!').build().expect("a registry");
    assert_eq!(registry.names(), ["add", "backend", "double", "sum", "twin"]);
    assert!(registry.tool("add").is_some_and(|tool| tool.annotations.is_read_only()));
    let add = registry.tool("add").expect("it is there").schema;
    assert_eq!(add.description(), "Adds to the stored number.");
    assert!(add.parameters().get().contains(r#""description":"The number to add.""#));
    assert_eq!(
        registry.tool("backend").map(|tool| tool.schema.description()),
        Some("The name of the backend.")
    );
}

#[test]
fn two_toolsets_of_one_type_need_a_prefix() {
    let error = Registry::builder()
        .toolset(Calculator::new(Memory(1)))
        .toolset(Calculator::new(Memory(2)))
        .state('!')
        .build()
        .expect_err("the names are equal");
    assert_eq!(error.errors().len(), 5, "{error}");
    let text = error.to_string();
    assert!(text.contains("two tools are named `add`, one at "), "{text}");
    assert!(text.contains("rename one of them, or give the toolset or the remote server a prefix"), "{text}");
}

#[test]
fn a_prefix_that_makes_an_invalid_name_is_a_build_error() {
    for prefix in ["my ", "x".repeat(60).as_str(), "时"] {
        let error = Registry::builder()
            .toolset_prefixed(prefix, Calculator::new(Memory(1)))
            .state('!')
            .build()
            .expect_err("servers reject the name");
        assert!(
            error.errors().iter().all(|error| matches!(error, BuildErrorKind::InvalidName { .. })),
            "{error}"
        );
        assert_eq!(error.errors().len(), if prefix.len() == 60 { 2 } else { 5 }, "{error}");
    }
}

#[test]
fn a_missing_state_of_a_method_is_reported_with_the_prefixed_name() {
    let error =
        Registry::builder().toolset_prefixed("m_", Calculator::new(Memory(1))).build().expect_err("no char");
    assert_eq!(
        error.to_string(),
        "the registry cannot be built: `m_backend` needs the state `suffix: &char`; add `.state(..)` with a value \
         of this type, or `.state_per_run::<char>()` if each run context provides one"
    );
}

struct Words<'a>(&'a [&'a str]);

impl<'a> Words<'a> {
    fn all(&self) -> &'a [&'a str] {
        self.0
    }
}

#[toolset]
impl Words<'static> {
    /// Returns a word.
    #[tool]
    async fn word(&self, index: usize) -> Option<&'static str> {
        self.all().get(index).copied()
    }
}

#[tokio::test]
async fn a_toolset_may_have_static_lifetimes() {
    let registry = Registry::builder().toolset(Words(&["a", "b"])).build().expect("a registry");
    assert_eq!(content_of(&registry, "word", r#"{"index":1}"#).await, r#""b""#);
}
