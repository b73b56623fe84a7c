//! Schemas of unusual types: recursive, deeply nested, flattened or empty ones, and types with misleading schema names.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use tool_runtime::{Registry, tool, tools};

/// A port that is not privileged. Its schema has the name of another type.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
struct Port(u16);

impl JsonSchema for Port {
    fn schema_name() -> Cow<'static, str> {
        u16::schema_name()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "integer", "minimum": 1024, "maximum": 65535})
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Tags(#[serde(deserialize_with = "commas")] Vec<String>);

fn commas<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let text = value.as_str().map(|text| text.split(',').map(str::to_owned).collect());
    let list =
        || value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(text.unwrap_or_else(list))
}

/// Opens ports.
#[tool]
fn open(port: Port, tags: Option<Tags>) -> String {
    format!("{} {tags:?}", port.0)
}

#[tokio::test]
async fn a_type_with_the_schema_name_of_a_scalar_is_validated_against_its_own_schema() {
    let registry = Registry::new(tools![open]).expect("one tool");
    assert!(!registry.call("open", r#"{"port":8080,"tags":["a"]}"#).await.is_error());
    assert!(registry.call("open", r#"{"port":80}"#).await.is_error());
    assert!(registry.call("open", r#"{"port":8080,"tags":"a,b"}"#).await.is_error());
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Node/x~y<{T}>")]
struct Node<T> {
    value: T,
    next: Option<Box<Node<T>>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Ping {
    pong: Option<Box<Pong>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Pong {
    pings: Vec<Ping>,
    count: u8,
}

/// Takes types that refer to themselves and to each other.
#[tool]
fn refer(
    node: Node<u8>,
    ping: Ping,
    #[arg(default = Pong { pings: vec![], count: 1 })] other: Pong,
) -> String {
    format!("{node:?} {ping:?} {other:?}").len().to_string()
}

#[tokio::test]
async fn mutually_recursive_types_are_defined_once_with_plain_names() {
    let registry = Registry::new(tools![refer]).expect("one tool");
    let schema = registry.tool("refer").expect("it is there").schema.parameters().get();
    let schema: Value = serde_json::from_str(schema).expect("JSON");
    assert!(registry.tool("refer").expect("it is there").unsupported_keywords.is_empty(), "{schema}");
    for (parameter, reference) in [("ping", "#/$defs/Ping"), ("other", "#/$defs/Pong")] {
        assert_eq!(schema["properties"][parameter], json!({ "$ref": reference }), "{schema}");
    }
    let node = schema["properties"]["node"]["$ref"].as_str().expect("a reference");
    assert!(schema.pointer(node.trim_start_matches('#')).is_some(), "{schema}");
    let chain = |last: &str| format!(r#"{{"node":{{"value":1,"next":{{"value":{last}}}}},"ping":{{}}}}"#);
    assert!(!registry.call("refer", &chain("2")).await.is_error());
    let error = registry.call("refer", &chain("300")).await.into_result().expect_err("300 is too large");
    assert!(error.to_string().contains("`node.next.value`: expected an integer from 0 to 255"), "{error}");
    let deep = r#"{"value":1,"next":"#.repeat(120) + "null" + &"}".repeat(120);
    assert!(!registry.call("refer", &format!(r#"{{"node":{deep},"ping":{{}}}}"#)).await.is_error());
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Step {
    Not { inner: Option<Box<Step>> },
    End,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Flat {
    own: u8,
    #[serde(flatten)]
    state: State,
}

#[derive(Debug, Deserialize, JsonSchema)]
enum State {
    /// Has a doc.
    Open,
    Shut,
    Ajar {
        by: u8,
    },
}

/// Has no fields.
#[derive(Debug, Deserialize, JsonSchema)]
struct Empty {}

/// Takes a struct without fields.
#[tool]
fn nothing(empty: Empty, #[arg(default = 1)] n: u64) -> String {
    format!("{empty:?} {n}")
}

#[tokio::test]
async fn a_struct_without_fields_can_be_strict() {
    let registry =
        Registry::builder().tools(tools![nothing]).null_means_absent(true).build().expect("one tool");
    assert!(registry.schemas()[0].openai_strict().is_ok(), "it is not a map");
    assert_eq!(registry.call("nothing", r#"{"empty":{},"n":null}"#).await.text(), "Empty 1");
}

#[tokio::test]
async fn integers_that_are_written_as_floats_keep_every_digit() {
    let registry = Registry::new(tools![nothing]).expect("one tool");
    for (written, read) in [
        ("1.0", "1"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("1e3", "1000"),
        ("1234.5e1", "12345"),
        ("1500e-2", "15"),
        ("9007199254740993.0", "9007199254740993"),
        ("1.2345678901234567890e19", "12345678901234567890"),
        ("1e-400", "0"),
    ] {
        let result = registry.call("nothing", &format!(r#"{{"empty":{{}},"n":{written}}}"#)).await;
        assert_eq!(result.text(), format!("Empty {read}"), "{written}");
    }
    for written in ["1.5", "15e-1", "1e20", "-1.0", "18446744073709551616.0"] {
        assert!(
            registry.call("nothing", &format!(r#"{{"empty":{{}},"n":{written}}}"#)).await.is_error(),
            "{written}"
        );
    }
}

/// Integers of the widest types.
#[tool]
fn wide(signed: i128, unsigned: Option<u128>) -> String {
    format!("{signed} {unsigned:?}")
}

#[tokio::test]
async fn integers_of_128_bits_are_read_completely() {
    let registry = Registry::new(tools![wide]).expect("one tool");
    for (written, read) in [("1e3", "1000"), ("1.5e1", "15"), ("2.0", "2"), ("-7", "-7")] {
        let result = registry.call("wide", &format!(r#"{{"signed":{written}}}"#)).await;
        assert_eq!(result.text(), format!("{read} None"), "{written}");
    }
    let result = registry.call("wide", r#"{"unsigned": 12e1 , "signed": 0}"#).await;
    assert_eq!(result.text(), "0 Some(120)");
    for written in ["1.5", "15e-1", "1e", "1x"] {
        let arguments = format!(r#"{{"signed":{written}}}"#);
        assert!(registry.call("wide", &arguments).await.is_error(), "{written}");
    }
}

/// Takes steps.
#[tool]
fn step(first: Step, flat: Option<Flat>) -> String {
    format!("{first:?} {flat:?}").len().to_string()
}

#[tokio::test]
async fn a_deeply_nested_tagged_enum_is_validated() {
    let registry = Registry::new(tools![step]).expect("one tool");
    let chain = |last: &str| r#"{"op":"Not","inner":"#.repeat(100) + last + &"}".repeat(100);
    assert!(!registry.call("step", &format!(r#"{{"first":{}}}"#, chain(r#"{"op":"End"}"#))).await.is_error());
    let error = registry.call("step", &format!(r#"{{"first":{}}}"#, chain(r#"{"op":"Stop"}"#))).await;
    let error = error.into_result().expect_err("there is no such step").to_string();
    assert!(error.contains("op`: expected `Not` or `End`, got string \"Stop\""), "{error}");
}

#[tokio::test]
async fn the_schema_of_a_flattened_variant_matches_its_decoder_with_and_without_docs() {
    let registry = Registry::new(tools![step]).expect("one tool");
    for state in [r#""Open":null"#, r#""Shut":null"#, r#""Ajar":{"by":1}"#] {
        let arguments = format!(r#"{{"first":{{"op":"End"}},"flat":{{"own":1,{state}}}}}"#);
        assert!(!registry.call("step", &arguments).await.is_error(), "{arguments}");
    }
}

/// Alternatives that differ only in their last keys.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Sum {
    Add { left: Box<Sum>, add: Box<Sum> },
    Multiply { left: Box<Sum>, multiply: Box<Sum> },
    Number(f64),
}

/// Replies to a comment.
#[derive(Debug, Deserialize, JsonSchema)]
struct Comment {
    text: String,
    #[serde(default)]
    votes: i32,
    parent: Option<Box<Comment>>,
}

/// Takes deeply nested values.
#[tool]
fn deep(sum: Option<Sum>, comment: Option<Comment>, #[arg(default = 1)] n: i64) -> String {
    format!("{sum:?} {comment:?}").len().to_string() + " " + &n.to_string()
}

#[tokio::test]
async fn deeply_nested_values_are_accepted_and_rejected_in_time() {
    let registry = Registry::new(tools![deep]).expect("one tool");
    let sum = |depth: usize, last: &str| {
        format!(r#"{{"sum":{}{last}{}}}"#, r#"{"left":"#.repeat(depth), r#","multiply":2}"#.repeat(depth))
    };
    assert!(!registry.call("deep", &sum(14, "1")).await.is_error());
    let error = registry
        .call("deep", &sum(60, "true"))
        .await
        .into_result()
        .expect_err("it is not a number")
        .to_string();
    assert!(error.contains("`sum"), "{error}");
    let text = "[".repeat(1_000);
    let comment = |votes: &str| {
        let ends = "}".repeat(40);
        let around = format!(r#"{{"text":"{text}","parent":"#).repeat(39);
        format!(r#"{{"n":1.0,"comment":{around}{{"text":"","votes":{votes}{ends}}}"#)
    };
    assert!(!registry.call("deep", &comment("1.0")).await.is_error());
    assert!(registry.call("deep", &comment("1.5")).await.is_error());
}
