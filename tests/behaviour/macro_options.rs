//! Options of `#[tool(..)]` and `#[arg(..)]`, and the positions and names of tools.

use crate::message_text;
use tool_runtime::{Registry, tool, tools};

#[tool(name = "look-up", description = "Looks a word up.")]
fn named(#[arg(name = "the-word", description = "Any word.")] word: &str) -> String {
    word.to_uppercase()
}

#[tokio::test]
async fn names_and_descriptions_can_be_set() {
    let registry = Registry::new(tools![named]).expect("one tool");
    assert_eq!(
        serde_json::to_string(registry.schemas()).expect("it serializes"),
        concat!(
            r#"[{"type":"function","function":{"name":"look-up","description":"Looks a word up.","#,
            r#""parameters":{"type":"object","required":["the-word"],"additionalProperties":false,"#,
            r#""properties":{"the-word":{"type":"string","description":"Any word."}}}}}]"#,
        )
    );
    assert_eq!(message_text(tools![named], "look-up", r#"{"the-word":"sun"}"#).await, "SUN");
}

/** Has a block comment.
 *
 *  With two paragraphs. */
#[tool]
fn block_comment() {}

#[test]
fn a_block_comment_is_a_description() {
    let registry = Registry::new(tools![block_comment]).expect("one tool");
    assert_eq!(registry.schemas()[0].description(), "Has a block comment.\n\n With two paragraphs.");
}

#[tool(description = "")]
fn undescribed() {}

#[test]
fn an_empty_description_is_omitted() {
    let registry = Registry::new(tools![undescribed]).expect("one tool");
    assert!(!serde_json::to_string(registry.schemas()).expect("it serializes").contains("description"));
}

/// Has raw and unused names.
#[tool]
fn raw_names(r#type: String, _unused: bool, mut n: u8) -> String {
    n += 1;
    format!("{type} {n}")
}

#[tokio::test]
async fn raw_unused_and_mutable_parameters_have_plain_argument_names() {
    assert_eq!(
        message_text(tools![raw_names], "raw_names", r#"{"type":"a","unused":true,"n":1}"#).await,
        "a 2"
    );
}

type City<'a> = &'a str;

/// Takes an alias of `&str`.
#[tool]
fn takes_alias(city: City<'_>) -> String {
    city.to_owned()
}

#[tokio::test]
async fn an_alias_of_str_is_an_argument_type() {
    assert_eq!(message_text(tools![takes_alias], "takes_alias", r#"{"city":"Beijing"}"#).await, "Beijing");
}

mod clock {
    pub(crate) mod precise {
        /// The time of day.
        #[tool_runtime::tool(name = "precise_now")]
        pub(crate) fn now() -> &'static str {
            "12:00:01"
        }
    }
    /// The time of day.
    #[tool_runtime::tool]
    pub(super) fn now() -> &'static str {
        "12:00"
    }
}

#[tokio::test]
async fn tools_in_modules_are_listed_by_path_or_import() {
    use clock::precise::now;
    assert_eq!(message_text(tools![clock::now, now], "now", "").await, "12:00");
    assert_eq!(message_text(tools![clock::now, now], "precise_now", "").await, "12:00:01");
    assert_eq!(now(), "12:00:01");
}

#[tokio::test]
async fn a_tool_can_be_defined_inside_a_function() {
    /// Adds one.
    #[tool]
    async fn add_one(n: i32) -> i32 {
        n + 1
    }
    assert_eq!(message_text(tools![add_one], "add_one", r#"{"n":1}"#).await, "2");
    assert_eq!(add_one(2).await, 3);
}

/// Is not compiled.
#[tool]
#[cfg(any())]
fn compiled_out() {
    there_is_no_such_function();
}

#[cfg(any())]
/// Is not compiled.
#[tool]
fn compiled_out_too() {}

/// Has parameters with names that generated code may use.
#[tool]
#[allow(clippy::too_many_arguments)]
fn hostile(
    args: u8,
    result: u8,
    call: u8,
    self_: u8,
    invocation: u8,
    __returned: u8,
    __sent: u8,
    std: u8,
    core: u8,
    tool_runtime: u8,
) -> u8 {
    args + result + call + self_ + invocation + __returned + __sent + std + core + tool_runtime
}

#[tokio::test]
async fn parameters_may_have_any_name() {
    let arguments = r#"{"args":1,"result":1,"call":1,"self_":1,"invocation":1,"returned":1,"sent":1,
        "std":1,"core":1,"tool_runtime":1}"#;
    let message = message_text(tools![hostile], "hostile", arguments).await;
    assert_eq!(message, "10");
}

/// Is deprecated, which must not cause a warning in the generated code.
#[tool]
#[deprecated]
fn deprecated() {}

trait Blanket: Sized {
    fn kind(&self) {}
    fn argument(&self) {}
    fn with_default(&self) {}
    fn get(self) {}
    fn decode(self) {}
    fn state(self) {}
    fn context(self) {}
    fn instance(self) {}
    fn settle(self) {}
    fn write(self) {}
}

impl<T> Blanket for T {}

/// Uses a blanket trait whose methods have names that generated code may call.
#[tool]
fn with_blanket_methods(#[arg(default)] text: &str, #[arg(default)] n: u8) -> Result<u8, String> {
    text.kind();
    text.argument();
    text.with_default();
    Blanket::get(text);
    text.decode();
    text.state();
    text.context();
    text.instance();
    text.settle();
    text.write();
    Ok(n)
}

#[tokio::test]
async fn blanket_traits_of_the_user_do_not_affect_generated_code() {
    assert_eq!(message_text(tools![with_blanket_methods], "with_blanket_methods", "").await, "0");
}

/// Forwards to a tool.
#[tool]
async fn forwards(n: i32) -> i32 {
    /// Doubles.
    #[tool]
    fn args(result: i32) -> i32 {
        result * 2
    }
    args(n)
}

#[tokio::test]
async fn tools_may_call_tools() {
    assert_eq!(message_text(tools![forwards], "forwards", r#"{"n":2}"#).await, "4");
}

/// A library with a macro that defines tools.
mod library {
    pub(crate) use ::tool_runtime as rt;

    macro_rules! echo {
        ($name:ident) => {
            /// Repeats a text.
            #[tool_runtime::tool(crate = $crate::macro_options::library::rt)]
            async fn $name(text: &str, #[arg(default)] times: u8) -> Result<String, String> {
                Ok(text.repeat(times.into()))
            }
        };
    }
    pub(crate) use echo;
}
library::echo!(echoes);

#[tokio::test]
async fn a_macro_can_set_the_path_of_the_crate() {
    assert_eq!(message_text(tools![echoes], "echoes", r#"{"text":"a","times":3}"#).await, "aaa");
}

/// A module with a common name, which generated code also uses.
mod __private {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(crate) struct Number(pub(crate) u8);
    pub(crate) const TWO: u8 = 2;
}

/// Uses the user's module `__private`.
#[tool]
fn uses_private_module(a: __private::Number, #[arg(default = __private::TWO)] b: u8) -> u8 {
    a.0 + b
}

#[tokio::test]
async fn a_user_module_may_be_named_private() {
    assert_eq!(message_text(tools![uses_private_module], "uses_private_module", r#"{"a":1}"#).await, "3");
}
