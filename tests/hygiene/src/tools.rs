//! Tools in modules and with names that may conflict with generated code.

use runtime::tool;

/// Items that shadow names of the standard library.
pub mod shadowed {
    /// Shadows the crate.
    pub mod core {}
    /// Shadows the crate.
    pub mod std {}
    /// Shadows the standard type.
    #[derive(Debug, Clone, Copy)]
    pub struct Result;
    /// Shadows the standard type.
    #[derive(Debug, Clone, Copy)]
    pub struct Option;
    /// Shadows the variant.
    #[derive(Debug, Clone, Copy)]
    pub struct Some;
    /// Shadows the variant.
    #[derive(Debug, Clone, Copy)]
    pub struct Ok;
    /// Shadows the standard type.
    #[derive(Debug, Clone, Copy)]
    pub struct Box;
    /// Has the name of the trait in generated code.
    pub trait Tool {}

    /// Adds two.
    #[runtime::tool(crate = runtime)]
    #[must_use]
    pub fn add_two(n: u8) -> u8 {
        n.wrapping_add(2)
    }
}

/// A module without a prelude.
#[no_implicit_prelude]
pub mod no_prelude {
    /// Halves a number.
    #[::runtime::tool(crate = ::runtime, output_schema)]
    #[must_use]
    pub fn halve(n: u8, #[arg(default = 2)] by: u8) -> ::core::option::Option<u8> {
        n.checked_div(by)
    }
}

/// Greets a person.
///
/// # Errors
///
/// The name is empty.
#[tool(crate = runtime)]
pub async fn hello(
    /// The name of the person.
    name: &str,
    #[arg(default)] loudly: bool,
) -> Result<String, String> {
    core::future::ready(()).await;
    if name.is_empty() {
        Err("nobody is there".to_owned())
    } else if loudly {
        Ok(name.to_uppercase())
    } else {
        Ok(name.to_owned())
    }
}

/// A crate-private tool.
#[tool(crate = runtime)]
pub(crate) fn args(result: &str, call: u8, self_: bool) -> String {
    [result, &call.to_string(), &self_.to_string()].concat()
}

/// Takes every kind of argument, with the options that can be combined.
///
/// # Arguments
///
/// * `city` - The city.
/// * `numbers` - The numbers.
#[tool(crate = runtime, handle = AllKinds, name = "all-kinds", timeout = "5s", read_only, idempotent = true)]
pub async fn all_kinds(
    city: &str,
    numbers: &[u32],
    unit: Option<&str>,
    #[arg(name = "area", schema(minItems = 2, maxItems = 2))] (width, height): (u32, u32),
    #[context] call: &runtime::CallContext,
    #[arg(default, schema(minimum = 0, maximum = 1.5, examples = [0.5]))] ratio: Option<f64>,
) -> String {
    core::future::ready(()).await;
    let numbers = numbers.len();
    format!("{city} {numbers} {unit:?} {width}x{height} {} {ratio:?}", call.tool())
}

/// Runs on a blocking thread.
#[tool(crate = runtime, title = "Blocks", blocking, destructive, max_concurrency = 2, max_calls = 3, output_schema)]
#[must_use]
pub fn blocks(path: &str) -> String {
    path.to_owned()
}

/// Application state.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub i64);

/// A toolset.
#[derive(Debug)]
pub struct Counter<T> {
    /// The start of the count.
    start: T,
}

impl<T> Counter<T> {
    /// Creates a counter that starts here.
    pub const fn new(start: T) -> Self {
        Self { start }
    }
}

#[runtime::toolset(crate = runtime)]
impl<T> Counter<T>
where
    T: Copy + Into<i64> + Send + Sync,
{
    /// Adds to the start.
    ///
    /// # Errors
    ///
    /// The sum exceeds the limit.
    #[tool(open_world = false, output_schema)]
    pub async fn plus(
        &self,
        n: i64,
        #[arg(default = 1)] times: i64,
        #[state] limit: &Limit,
    ) -> Result<i64, String> {
        core::future::ready(()).await;
        let more = n.checked_mul(times);
        more.and_then(|more| more.checked_add(self.start.into()))
            .filter(|sum| *sum <= limit.0)
            .ok_or_else(|| "too much".to_owned())
    }

    /// Returns the name of the tool.
    #[tool(name = "the-name")]
    #[must_use]
    pub fn name(#[context] call: &runtime::CallContext) -> String {
        call.tool().to_owned()
    }
}

/// A private tool that no other code uses.
#[tool(crate = runtime)]
fn std() {}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::{AllKinds, Counter, Limit, args, blocks, hello, no_prelude, shadowed, std};
    use runtime::{Registry, ToolCall, tools};

    #[tokio::test]
    async fn every_tool_runs_by_its_own_name() {
        let collected = Registry::collect().expect("the names differ");
        assert_eq!(collected.names(), ["add_two", "all-kinds", "args", "blocks", "halve", "hello", "std"]);
        let listed = tools![args, blocks, hello, AllKinds, no_prelude::halve, shadowed::add_two, std];
        let registry = Registry::builder()
            .tools(listed)
            .toolset(Counter::new(40_i32))
            .state(Limit(100))
            .build()
            .expect("the names differ");
        for (name, schema_type) in [("blocks", "string"), ("plus", "integer")] {
            assert_eq!(
                registry.tool(name).and_then(|tool| tool.output_schema).expect("it is declared")["type"],
                schema_type
            );
        }
        for (name, arguments, answer) in [
            ("args", r#"{"result":"a","call":1,"self_":true}"#, "a1true"),
            ("hello", r#"{"name":"Ada","loudly":true}"#, "ADA"),
            ("hello", r#"{"name":""}"#, "Error: nobody is there"),
            ("halve", r#"{"n":9}"#, "4"),
            ("add_two", r#"{"n":1}"#, "3"),
            ("std", "", "ok"),
            (
                "all-kinds",
                r#"{"city":"Rome","numbers":[1,2],"area":[3,4]}"#,
                "Rome 2 None 3x4 all-kinds None",
            ),
            ("blocks", r#"{"path":"a"}"#, "a"),
            ("plus", r#"{"n":2}"#, "42"),
            ("plus", r#"{"n":61}"#, "Error: too much"),
            ("the-name", "", "the-name"),
        ] {
            let answers = registry.dispatch(&[ToolCall::new("1", name, arguments)]).await;
            assert_eq!(answers[0].content, answer);
        }
        assert_eq!(args("a", 1, true), "a1true");
        std();
    }
}
