//! Types with decoders of their own: they see the values that `serde_json` gives them, and only valid ones.

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use tool_runtime::{Registry, tool, tools};

/// Reads the items of a list that are a `u8`, and skips the others.
fn skip_others<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    struct Skipping;
    impl<'de> Visitor<'de> for Skipping {
        type Value = Vec<u8>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<u8>, A::Error> {
            let mut read = Vec::new();
            loop {
                match items.next_element::<u8>() {
                    Ok(Some(item)) => read.push(item),
                    Ok(None) => return Ok(read),
                    Err(_) => {}
                }
            }
        }
    }
    deserializer.deserialize_seq(Skipping)
}

#[derive(Debug, serde::Deserialize, JsonSchema)]
struct Skipped {
    #[serde(deserialize_with = "skip_others")]
    #[schemars(with = "Vec<i64>", extend("maxItems" = 3))]
    list: Vec<u8>,
}

/// A number that also accepts other values, if the decoder offers them.
#[derive(Debug)]
struct Anything(String);

impl<'de> Deserialize<'de> for Anything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shown;
        impl Visitor<'_> for Shown {
            type Value = Anything;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_u64<E: Error>(self, value: u64) -> Result<Anything, E> {
                Ok(Anything(format!("number {value}")))
            }
            fn visit_str<E: Error>(self, value: &str) -> Result<Anything, E> {
                Ok(Anything(format!("text {value}")))
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<Anything, E> {
                Ok(Anything(format!("boolean {value}")))
            }
        }
        deserializer.deserialize_u64(Shown)
    }
}

impl JsonSchema for Anything {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Anything".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": ["integer", "string", "boolean"] })
    }
}

/// Reads nothing.
#[derive(Debug, JsonSchema)]
struct Nothing;

impl<'de> Deserialize<'de> for Nothing {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Ok(Nothing)
    }
}

/// Takes custom types.
#[tool]
fn take(skipped: Option<Skipped>, anything: Option<Anything>, nothing: Option<Vec<Nothing>>) -> String {
    format!("{:?} {:?} {:?}", skipped.map(|it| it.list), anything.map(|it| it.0), nothing)
}

async fn call(arguments: &str) -> String {
    let registry = Registry::new(tools![take]).expect("one tool");
    registry.call("take", arguments).await.text().into_owned()
}

#[tokio::test]
async fn a_decoder_that_skips_items_ends_and_its_list_is_validated_whole() {
    assert_eq!(call(r#"{"skipped":{"list":[300,5]}}"#).await, "Some([5]) None None");
    assert_eq!(call(r#"{"skipped":{"list":[5,300,6]}}"#).await, "Some([5, 6]) None None");
    let too_many = call(r#"{"skipped":{"list":[5,300,6,301]}}"#).await;
    assert!(too_many.contains("`skipped.list`: expected a list of at most 3 integers, got 4"), "{too_many}");
}

#[tokio::test]
async fn a_decoder_of_numbers_is_given_numbers_only() {
    assert_eq!(call(r#"{"anything":5}"#).await, "None Some(\"number 5\") None");
    for other in [r#"{"anything":"5"}"#, r#"{"anything":true}"#] {
        assert!(call(other).await.starts_with("Error: invalid arguments"), "{other}");
    }
}

#[tokio::test]
async fn a_decoder_that_reads_nothing_does_not_make_text_valid() {
    for invalid in [r#"{"nothing":[,]}"#, r#"{"nothing":[,,]}"#, r#"{"nothing":}"#] {
        assert!(call(invalid).await.contains("not valid JSON"), "{invalid}");
    }
}
