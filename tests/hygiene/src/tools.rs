//! Tools in places and under names that a macro could stumble over.

use runtime::tool;

/// The names of the standard library, taken for something else.
pub mod shadowed {
    /// Not the crate.
    pub mod core {}
    /// Not the crate.
    pub mod std {}
    /// Not the result.
    #[derive(Debug, Clone, Copy)]
    pub struct Result;
    /// Not the option.
    #[derive(Debug, Clone, Copy)]
    pub struct Option;
    /// Not a variant.
    #[derive(Debug, Clone, Copy)]
    pub struct Some;
    /// Not a variant.
    #[derive(Debug, Clone, Copy)]
    pub struct Ok;
    /// Not the box.
    #[derive(Debug, Clone, Copy)]
    pub struct Box;
    /// Not the trait.
    pub trait Tool {}

    /// Adds two.
    #[runtime::tool(crate = runtime)]
    #[must_use]
    pub fn add_two(n: u8) -> u8 {
        n.wrapping_add(2)
    }
}

/// Nothing is in scope here.
#[no_implicit_prelude]
pub mod no_prelude {
    /// Halves a number, perhaps.
    #[::runtime::tool(crate = ::runtime)]
    #[must_use]
    pub fn halve(n: u8, #[arg(default = 2)] by: u8) -> ::core::option::Option<u8> {
        n.checked_div(by)
    }
}

/// Says hello, after a while.
///
/// # Errors
///
/// Nobody is there.
#[tool(crate = runtime)]
pub async fn hello(
    /// Who is there.
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

/// Is seen in this crate alone.
#[tool(crate = runtime)]
pub(crate) fn args(result: &str, call: u8, self_: bool) -> String {
    [result, &call.to_string(), &self_.to_string()].concat()
}

/// Takes all that can be lent, and has every option that goes with it.
///
/// # Arguments
///
/// * `city` - Where.
/// * `numbers` - Which.
#[tool(crate = runtime, handle = Lends, name = "lends-all", timeout = "5s", read_only, idempotent)]
pub async fn lends(
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

/// Blocks a thread, and has nobody to ask.
#[tool(crate = runtime, blocking, destructive)]
#[must_use]
pub fn blocks(path: &str) -> String {
    path.to_owned()
}

/// A state.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub i64);

/// A toolset.
#[derive(Debug)]
pub struct Counter<T> {
    /// What it counts from.
    start: T,
}

impl<T> Counter<T> {
    /// Counts from here.
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
    /// It is too much.
    #[tool]
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

    /// Is its own name.
    #[tool(name = "the-name")]
    #[must_use]
    pub fn name(#[context] call: &runtime::CallContext) -> String {
        call.tool().to_owned()
    }
}

/// Is seen here alone, and not even used.
#[tool(crate = runtime)]
fn std() {}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::{Counter, Lends, Limit, args, blocks, hello, no_prelude, shadowed, std};
    use runtime::{Registry, ToolCall, tools};

    #[tokio::test]
    async fn every_tool_runs_by_its_own_name() {
        let collected = Registry::collect().expect("the names differ");
        assert_eq!(collected.names(), ["add_two", "args", "blocks", "halve", "hello", "lends-all", "std"]);
        let listed = tools![args, blocks, hello, Lends, no_prelude::halve, shadowed::add_two, std];
        let registry = Registry::builder()
            .tools(listed)
            .toolset(Counter::new(40_i32))
            .state(Limit(100))
            .build()
            .expect("the names differ");
        for (name, arguments, answer) in [
            ("args", r#"{"result":"a","call":1,"self_":true}"#, "a1true"),
            ("hello", r#"{"name":"Ada","loudly":true}"#, "ADA"),
            ("hello", r#"{"name":""}"#, "Error: nobody is there"),
            ("halve", r#"{"n":9}"#, "4"),
            ("add_two", r#"{"n":1}"#, "3"),
            ("std", "", "ok"),
            (
                "lends-all",
                r#"{"city":"Rome","numbers":[1,2],"area":[3,4]}"#,
                "Rome 2 None 3x4 lends-all None",
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
