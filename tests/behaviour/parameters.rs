//! The kinds of parameters that a tool can have.

use crate::message_text;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use tool_runtime::registry::ToolList;
use tool_runtime::{Registry, tool, tools};

#[derive(Debug, Default, Deserialize, JsonSchema, PartialEq)]
struct Stop {
    city: String,
    nights: u32,
}

/// Takes borrowed arguments of every kind.
#[tool]
fn borrowed(
    text: &str,
    stop: &Stop,
    numbers: &[u32],
    cow: Cow<'_, str>,
    maybe_text: Option<&str>,
    maybe_stop: Option<&Stop>,
    maybe_numbers: Option<&[u32]>,
) -> String {
    format!("{text} {stop:?} {numbers:?} {cow} {maybe_text:?} {maybe_stop:?} {maybe_numbers:?}")
}

#[tokio::test]
async fn a_function_can_borrow_its_arguments() {
    let all = r#"{"text":"a","stop":{"city":"B","nights":1},"numbers":[1,2],"cow":"c",
        "maybe_text":"d","maybe_stop":{"city":"E","nights":2},"maybe_numbers":[3]}"#;
    assert_eq!(
        message_text(tools![borrowed], "borrowed", all).await,
        r#"a Stop { city: "B", nights: 1 } [1, 2] c Some("d") Some(Stop { city: "E", nights: 2 }) Some([3])"#
    );
    let few = r#"{"text":"a","stop":{"city":"B","nights":1},"numbers":[],"cow":"c","maybe_numbers":null}"#;
    assert_eq!(
        message_text(tools![borrowed], "borrowed", few).await,
        r#"a Stop { city: "B", nights: 1 } [] c None None None"#
    );
    assert_eq!(
        message_text(tools![borrowed], "borrowed", r#"{"text":"a","cow":"c","numbers":[-1]}"#).await,
        "Error: invalid arguments for `borrowed`: `numbers[0]`: expected an integer from 0 to 4294967295, got \
         integer `-1`; `stop` is missing. Call it again, but change `numbers[0]` to an integer from 0 to \
         4294967295, and add `stop`."
    );
}

#[test]
fn a_borrowed_argument_has_the_schema_of_the_borrowed_type() {
    let schema = parameters(tools![borrowed]);
    let properties = &schema["properties"];
    assert_eq!(properties["numbers"]["type"], "array");
    assert_eq!(properties["numbers"]["items"]["type"], "integer");
    assert_eq!(properties["stop"]["type"], "object");
    assert_eq!(properties["maybe_numbers"]["type"], json!(["array", "null"]));
    assert_eq!(schema["required"], json!(["text", "stop", "numbers", "cow"]));
}

/// Borrows bytes and arrays of arrays.
#[tool]
async fn nested(bytes: &[u8], rows: &[Vec<i8>], text: &String, flag: &bool) -> String {
    format!("{bytes:?} {rows:?} {text} {flag}")
}

#[tokio::test]
async fn any_decoded_type_can_be_borrowed() {
    let arguments = r#"{"bytes":[1,255],"rows":[[-1],[]],"text":"a\nb","flag":true}"#;
    assert_eq!(message_text(tools![nested], "nested", arguments).await, "[1, 255] [[-1], []] a\nb true");
}

/// Has defaults for borrowed arguments.
#[tool]
fn defaults(
    #[arg(default = "en")] language: &str,
    #[arg(default = vec![1, 2])] numbers: &[u32],
    #[arg(default)] stop: &Stop,
    #[arg(default)] tags: &[String],
    #[arg(default = Some("x"))] maybe: Option<&str>,
) -> String {
    format!("{language} {numbers:?} {} {tags:?} {maybe:?}", stop.nights)
}

#[tokio::test]
async fn a_borrowed_argument_can_have_a_default() {
    assert_eq!(message_text(tools![defaults], "defaults", "{}").await, r#"en [1, 2] 0 [] Some("x")"#);
    let given = r#"{"language":"de","numbers":[],"tags":["t"],"maybe":null,"stop":{"city":"","nights":3}}"#;
    assert_eq!(message_text(tools![defaults], "defaults", given).await, r#"de [] 3 ["t"] None"#);
    assert_eq!(parameters(tools![defaults])["properties"]["numbers"]["default"], json!([1, 2]));
}

/// Destructures its arguments.
#[tool]
fn destructured(
    #[arg(name = "point")] (x, y): (i64, i64),
    #[arg(name = "stop")] Stop { city, .. }: Stop,
    #[arg(name = "ignored")] _: bool,
    #[arg(name = "pair")] [a, b]: [u8; 2],
) -> String {
    format!("{} {city} {}", x + y, a + b)
}

#[tokio::test]
async fn a_pattern_with_a_name_can_be_a_parameter() {
    let arguments = r#"{"point":[1,2],"stop":{"city":"B","nights":1},"ignored":true,"pair":[3,4]}"#;
    assert_eq!(message_text(tools![destructured], "destructured", arguments).await, "3 B 7");
}

/// Takes thirty arguments.
#[tool]
#[allow(clippy::too_many_arguments)]
async fn thirty(
    a0: u8,
    a1: u8,
    a2: u8,
    a3: u8,
    a4: u8,
    a5: u8,
    a6: u8,
    a7: u8,
    a8: u8,
    a9: u8,
    b0: &str,
    b1: &str,
    b2: &str,
    b3: &str,
    b4: &str,
    b5: &str,
    b6: &str,
    b7: &str,
    b8: &str,
    b9: &str,
    c0: Option<u8>,
    c1: Option<u8>,
    c2: Option<u8>,
    c3: Option<u8>,
    c4: Option<u8>,
    c5: Option<u8>,
    c6: Option<u8>,
    c7: Option<u8>,
    c8: Option<u8>,
    c9: Option<u8>,
) -> String {
    let sum: u8 = [a0, a1, a2, a3, a4, a5, a6, a7, a8, a9].iter().sum();
    let text = [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9].concat();
    let given = [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9].iter().flatten().count();
    format!("{sum} {text} {given}")
}

#[tokio::test]
async fn a_tool_can_have_thirty_parameters() {
    let mut arguments = serde_json::Map::new();
    for index in 0..10 {
        arguments.insert(format!("a{index}"), index.into());
        arguments.insert(format!("b{index}"), index.to_string().into());
    }
    arguments.insert("c7".to_owned(), 1.into());
    let arguments = Value::Object(arguments).to_string();
    assert_eq!(message_text(tools![thirty], "thirty", &arguments).await, "45 0123456789 1");
    let missing = message_text(tools![thirty], "thirty", "{}").await;
    assert_eq!(missing.matches("is missing").count(), 20, "{missing}");
}

/// Takes nothing.
#[tool]
async fn none() -> &'static str {
    "done"
}

#[tokio::test]
async fn a_tool_can_have_no_parameters() {
    assert_eq!(message_text(tools![none], "none", "").await, "done");
}

/// Has constraints.
#[tool]
fn constrained(
    #[arg(schema(minimum = 1, maximum = 10))] days: u8,
    #[arg(schema(exclusiveMinimum = -0.5, exclusiveMaximum = 1e3))] ratio: f64,
    #[arg(schema(minLength = 2, maxLength = 2, pattern = "^[a-z]+$", format = "language"))] language: &str,
    #[arg(schema(minItems = 1, maxItems = 3, examples = [["a", "b"], []]))] tags: &[String],
    /// With a description.
    #[arg(default = 5, schema(minimum = -5))]
    offset: i32,
) {
    let _ = (days, ratio, language, tags, offset);
}

#[test]
fn keywords_of_a_parameter_are_in_its_schema() {
    let schema = parameters(tools![constrained]);
    assert_eq!(
        schema["properties"],
        json!({
            "days": {"type": "integer", "minimum": 1, "maximum": 10},
            "ratio": {"type": "number", "exclusiveMinimum": -0.5, "exclusiveMaximum": 1000.0},
            "language": {
                "type": "string", "minLength": 2, "maxLength": 2, "pattern": "^[a-z]+$",
                // Engines support few formats, and reject a schema with any other.
                "description": "(format: \"language\")",
            },
            "tags": {
                "type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3,
                "examples": [["a", "b"], []],
            },
            "offset": {
                "type": "integer", "minimum": -5, "default": 5, "description": "With a description.",
            },
        })
    );
}

/// Declares lifetimes.
#[tool]
fn with_lifetimes<'a, 'b>(first: &'a str, second: Cow<'b, str>, list: &'a [u32]) -> String
where
    'b: 'a,
{
    format!("{first}{second}{}", list.len())
}

#[tokio::test]
async fn a_function_can_declare_lifetimes() {
    let arguments = r#"{"first":"a","second":"b","list":[1]}"#;
    assert_eq!(message_text(tools![with_lifetimes], "with_lifetimes", arguments).await, "ab1");
}

/// A tool whose types are passed by a `macro_rules!`.
macro_rules! tool_with_types {
    ($name:ident: $($parameter:ident: $ty:ty),*) => {
        /// Has types from a macro.
        #[tool]
        fn $name($($parameter: $ty, )*) -> String {
            format!("{:?}", ($($parameter,)*))
        }
    };
}
tool_with_types!(types_from_macro: text: &str, maybe: Option<&str>, owned: Vec<u8>, slice: &[u8], cow: Cow<'_, str>);

macro_rules! option_of {
    ($name:ident, $ty:ty) => {
        /// Has an option of a type from a macro.
        #[tool]
        fn $name(a: Option<$ty>) -> String {
            format!("{a:?}")
        }
    };
}
option_of!(option_of_text, &str);
option_of!(option_of_number, u8);

macro_rules! with_body {
    ($name:ident, $minimum:literal, $body:block) => {
        /// Has a body and a bound from a macro.
        #[tool]
        fn $name(#[arg(schema(minimum = $minimum))] _n: i8) -> String $body
    };
}
with_body!(body_from_macro, -3, { "body".to_owned() });

#[tokio::test]
async fn types_bounds_and_bodies_can_come_from_a_macro() {
    assert_eq!(message_text(tools![body_from_macro], "body_from_macro", r#"{"n":1}"#).await, "body");
    assert_eq!(parameters(tools![body_from_macro])["properties"]["n"]["minimum"], -3);

    let arguments = r#"{"text":"1","maybe":"2","owned":[3],"slice":[4],"cow":"5"}"#;
    assert_eq!(
        message_text(tools![types_from_macro], "types_from_macro", arguments).await,
        r#"("1", Some("2"), [3], [4], "5")"#
    );
    assert_eq!(message_text(tools![option_of_text], "option_of_text", r#"{"a":"b"}"#).await, r#"Some("b")"#);
    assert_eq!(message_text(tools![option_of_number], "option_of_number", "").await, "None");
}

/// Has a default and bounds that a published schema cannot contain.
#[tool]
fn far(
    #[arg(default = f64::INFINITY)] limit: f64,
    #[arg(schema(minimum = -9223372036854775808, maximum = 18446744073709551614))] number: u64,
    #[arg(default = None)] maybe: Option<u8>,
) {
    let _ = (limit, number, maybe);
}

#[test]
fn defaults_without_a_json_value_are_not_published_and_bounds_beyond_64_bits_are_in_the_description() {
    let schema = parameters(tools![far]);
    assert_eq!(
        schema["properties"],
        json!({
            "limit": {"type": "number"},
            "number": {
                "type": "integer",
                "description": "(minimum: -9223372036854775808, maximum: 18446744073709551614)",
            },
            "maybe": {"type": ["integer", "null"], "minimum": 0},
        })
    );
    assert_eq!(schema["required"], json!(["number"]));
}

#[tokio::test]
async fn bounds_beyond_64_bits_are_enforced_to_the_last_digit() {
    let registry = Registry::new(tools![far]).expect("one tool");
    assert!(!registry.call("far", r#"{"number":18446744073709551614}"#).await.is_error());
    let error = registry
        .call("far", r#"{"number":18446744073709551615}"#)
        .await
        .into_result()
        .expect_err("it is too large");
    assert!(
        error.to_string().contains("to 18446744073709551614, got integer `18446744073709551615`"),
        "{error}"
    );
}

fn parameters(tools: ToolList) -> Value {
    let registry = Registry::new(tools).expect("one tool");
    serde_json::from_str(registry.schemas()[0].parameters().get()).expect("JSON")
}
