//! The validation of arguments while they are decoded.

use crate::message_text;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use std::ffi::CString;
use tool_runtime::{tool, tools};

/// A struct with a value that is validated by its text.
#[derive(Deserialize, JsonSchema)]
struct Folder {
    folders: Vec<Folder>,
    #[schemars(schema_with = "any_of_500")]
    content: Option<Value>,
}

fn any_of_500(_: &mut SchemaGenerator) -> Schema {
    let mut branches = vec![json!({"type": "array", "items": {"type": "integer"}}); 499];
    branches.push(json!({"type": ["array", "null"]}));
    json_schema!({"anyOf": branches})
}

/// Opens a folder.
#[tool]
async fn open(folder: Folder) -> usize {
    folder.folders.len() + usize::from(folder.content.is_some())
}

#[tokio::test]
async fn arrays_and_objects_are_nested_at_most_127_levels_also_inside_structs() {
    let nested = |folders: usize, arrays: usize| {
        let content = format!("{}{}", "[".repeat(arrays), "]".repeat(arrays));
        let (before, after) = (r#"{"folders":["#.repeat(folders), r#"],"content":null}"#.repeat(folders));
        format!(r#"{{"folder":{before}{{"folders":[],"content":{content}}}{after}}}"#)
    };
    // Each folder is an object in an array.
    assert_eq!(message_text(tools![open], "open", &nested(40, 46)).await, "1");
    for (folders, arrays) in [(40, 47), (0, 127), (62, 3)] {
        let text = message_text(tools![open], "open", &nested(folders, arrays)).await;
        assert!(
            text.contains("`folder`: recursion limit exceeded"),
            "{folders} folders, {arrays} arrays: {text}"
        );
    }
}

#[tokio::test]
async fn the_work_of_validation_is_limited_for_all_items_of_an_array_together() {
    let folders = |number: usize| {
        let folder = format!(r#"{{"folders":[],"content":[{}"x"]}}"#, "1,".repeat(100));
        format!(r#"{{"folder":{{"folders":[{}],"content":null}}}}"#, vec![folder; number].join(","))
    };
    assert_eq!(message_text(tools![open], "open", &folders(3)).await, "3");
    let text = message_text(tools![open], "open", &folders(500)).await;
    assert!(text.contains("it takes too long to validate"), "{text}");
}

#[derive(Deserialize, JsonSchema)]
struct Layer {
    #[schemars(range(min = 0.0, max = 1.0))]
    opacity: f32,
    #[schemars(extend("multipleOf" = 3))]
    pixels: u128,
    name: CString,
}

/// Draws a layer.
#[tool]
async fn draw(layer: Layer) -> String {
    format!("{} {} {:?}", layer.opacity, layer.pixels, layer.name)
}

#[tokio::test]
async fn values_are_validated_as_they_are_written_and_not_as_they_are_decoded() {
    let draw = async |opacity: &str, pixels: &str, name: &str| {
        let arguments = format!(r#"{{"layer":{{"opacity":{opacity},"pixels":{pixels},"name":{name}}}}}"#);
        message_text(tools![draw], "draw", &arguments).await
    };
    assert_eq!(draw("0.5", "6", r#""sky""#).await, r#"0.5 6 "sky""#);
    // As an `f32`, it is 1.
    assert!(draw("1.00000001", "6", r#""sky""#).await.contains("`layer.opacity`: expected"));
    assert!(draw("0.5", "7", r#""sky""#).await.contains("`layer.pixels`: expected"));
    let text = draw("0.5", "6", "\"sky\nsea\"").await;
    assert!(text.contains("are not valid JSON"), "{text}");
}

/// Ignores an error, as `DefaultOnError` of `serde_with` does.
fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(value: D) -> Result<T, D::Error> {
    Ok(T::deserialize(value).unwrap_or_default())
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    #[serde(deserialize_with = "lenient")]
    limit: u8,
    #[serde(deserialize_with = "lenient")]
    tags: Vec<u8>,
}

/// Searches.
#[tool]
async fn search(search: Search) -> String {
    format!("{} {:?}", search.limit, search.tags)
}

#[tokio::test]
async fn a_decoder_that_ignores_errors_accepts_only_valid_json_that_its_schema_accepts() {
    let search = async |arguments: &str| message_text(tools![search], "search", arguments).await;
    assert_eq!(search(r#"{"search":{"limit":3,"tags":[1]}}"#).await, "3 [1]");
    for (limit, got) in [("300", "300"), (r#""x""#, "x")] {
        let text = search(&format!(r#"{{"search":{{"limit":{limit},"tags":[1]}}}}"#)).await;
        assert!(text.contains("`search.limit`: expected") && text.contains(got), "{text}");
    }
    let text = search(r#"{"search":{"limit":3,"tags":["x"}}"#).await;
    assert!(text.contains("are not valid JSON"), "{text}");
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    Branch { trees: Vec<Tree>, leaves: i64 },
    Root { trees: Vec<Tree>, water: i64 },
}

impl Tree {
    fn depth(&self) -> i64 {
        let (Tree::Branch { trees, leaves: number } | Tree::Root { trees, water: number }) = self;
        trees.iter().map(Tree::depth).max().unwrap_or(0) + number
    }
}

/// Measures a tree.
#[tool]
async fn measure(tree: Tree) -> i64 {
    tree.depth()
}

// An untagged enum tries its variants, each of which reads the inner trees again.
#[tokio::test]
async fn an_integer_with_a_fraction_inside_untagged_enums_takes_no_exponential_time() {
    let measure = async |depth: usize| {
        let (before, after) = (r#"{"trees":["#.repeat(depth), r#"],"leaves":1}"#.repeat(depth));
        let arguments = format!(r#"{{"tree":{before}{{"trees":[],"leaves":1.0}}{after}}}"#);
        message_text(tools![measure], "measure", &arguments).await
    };
    assert_eq!(measure(4).await, "5");
    // The integer is too deep to be coerced.
    let text = measure(40).await;
    assert!(text.contains("`tree`: write each integer without a fraction"), "{text}");
}
