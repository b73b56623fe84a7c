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

/// Is seen here alone, and not even used.
#[tool(crate = runtime)]
fn std() {}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::{args, hello, no_prelude, shadowed, std};
    use runtime::{Registry, ToolCall, tools};

    #[tokio::test]
    async fn every_tool_runs_by_its_own_name() {
        let collected = Registry::collect().expect("the names differ");
        assert_eq!(collected.names(), ["add_two", "args", "halve", "hello", "std"]);
        let listed = tools![args, hello, no_prelude::halve, shadowed::add_two, std];
        let registry = Registry::new(listed).expect("the names differ");
        for (name, arguments, answer) in [
            ("args", r#"{"result":"a","call":1,"self_":true}"#, "a1true"),
            ("hello", r#"{"name":"Ada","loudly":true}"#, "ADA"),
            ("hello", r#"{"name":""}"#, "Error: nobody is there"),
            ("halve", r#"{"n":9}"#, "4"),
            ("add_two", r#"{"n":1}"#, "3"),
            ("std", "", "ok"),
        ] {
            let answers = registry.dispatch(&[ToolCall::new("1", name, arguments)]).await;
            assert_eq!(answers[0].content, answer);
        }
        assert_eq!(args("a", 1, true), "a1true");
        std();
    }
}
