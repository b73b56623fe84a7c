//! Ten tools whose definitions are reviewed.

#![allow(
    clippy::needless_pass_by_value,
    dead_code,
    unused_variables,
    reason = "the tools are only described"
)]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tool_runtime::registry::ToolList;
use tool_runtime::{tool, tools};

/// All ten tools.
pub(crate) fn ten() -> ToolList {
    tools![
        a_scalars,
        b_structs,
        c_external_enum,
        d_tagged_enums,
        e_untagged_enum,
        f_recursive,
        g_maps,
        h_constraints,
        i_lists,
        j_flattened
    ]
}

/// Look up the weather of a city.
#[tool]
fn a_scalars(
    /// City name, for example "Beijing".
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
    unit: Option<Unit>,
    exact: bool,
    id: i64,
) {
}

/// The unit of temperatures.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    /// Degrees Celsius.
    Metric,
    /// Degrees Fahrenheit.
    Imperial,
    Kelvin,
}

/// Plans a trip.
#[tool]
fn b_structs(
    /// In order.
    stops: Vec<Stop>,
    home: Option<Place>,
) {
}

/// A stay in a city.
#[derive(Deserialize, JsonSchema)]
struct Stop {
    /// The city.
    city: String,
    nights: Option<u32>,
    #[serde(default)]
    booked: bool,
    place: Place,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    latitude: f64,
    longitude: f64,
}

/// Draws a shape.
#[tool]
fn c_external_enum(shape: Shape, background: Option<Shape>) {}

/// A shape.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Shape {
    /// Nothing at all.
    Empty,
    Dot,
    /// A circle.
    Circle {
        radius: f32,
    },
    Label(String),
    Line(f64, f64),
}

/// Sends a notice.
#[tool]
fn d_tagged_enums(
    /// Where to.
    channel: Channel,
    content: Content,
) {
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Channel {
    /// By letter.
    Letter {
        street: String,
        floor: Option<u8>,
    },
    Mail {
        to: String,
    },
    Silent,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", content = "value")]
enum Content {
    Text(String),
    Lines(Vec<String>),
}

/// Finds entries.
#[tool]
fn e_untagged_enum(query: Query, other: Option<Query>) {}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Query {
    Number(u64),
    Text(String),
    Range { from: i32, to: i32 },
}

/// Prints a tree.
#[tool]
fn f_recursive(
    /// Its root.
    tree: Tree,
    other: Option<Tree>,
) {
}

/// A tree with children.
#[derive(Deserialize, JsonSchema)]
struct Tree {
    name: String,
    /// The subtrees.
    #[serde(default)]
    children: Vec<Tree>,
    twin: Option<Box<Tree>>,
}

/// Cannot be strict.
#[tool]
fn g_maps(labels: BTreeMap<String, u8>, ids: BTreeMap<u32, String>, extra: Value, any: Vec<Value>) {}

/// Has limits.
#[tool]
fn h_constraints(
    #[arg(schema(minimum = 1, maximum = 100))] limit: u8,
    #[arg(schema(minLength = 2, maxLength = 2, pattern = "^[a-z]+$"))] language: &str,
    #[arg(default = vec!["new".to_owned()], schema(maxItems = 5, examples = [["rust", "llm"]]))] tags: Vec<
        String,
    >,
    #[arg(schema(format = "date"))] since: Option<&str>,
    #[arg(schema(format = "uri"))] link: Option<&str>,
    filter: Filter,
) {
}

#[derive(Deserialize, JsonSchema)]
struct Filter {
    #[schemars(range(min = 0.5))]
    score: f64,
    #[schemars(length(max = 20))]
    author: Option<String>,
    days: std::num::NonZeroI8,
}

/// Takes tuples and sets.
#[tool]
fn i_lists(
    pair: (u8, u8),
    mixed: (String, bool),
    fixed: [i16; 2],
    set: BTreeSet<char>,
    nested: Vec<Vec<bool>>,
) {
}

/// Takes flattened fields.
#[tool]
fn j_flattened(page: Page) {}

#[derive(Deserialize, JsonSchema)]
struct Page {
    title: String,
    #[serde(flatten)]
    place: Stop,
    #[serde(flatten)]
    channel: Channel,
}
