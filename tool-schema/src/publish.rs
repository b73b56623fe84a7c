//! The published schema of a function: the enforced schema in a form that grammar engines compile. The schema of a
//! dynamic tool is not rewritten.
//!
//! llama.cpp, xgrammar, llguidance and outlines each reject some valid schemas, and then every request with the tool
//! fails. A published schema accepts every value that the tool accepts, and a few more: see the documentation of
//! `#[tool]`.

use crate::conversion::simplify;
use crate::json::object;
use crate::keywords::each_subschema;
use crate::nullable::null_schema;
use crate::unions::distribute;
use serde_json::{Map, Value, json};

/// Rewrites the enforced schema of an argument or a definition to the published one.
pub fn publish(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    each_subschema(keywords, &mut publish);
    split_at_zero(keywords);
    // It leaves out the `false` that an absent flattened `Option` has for each field of its variants, and moves formats and
    // patterns of `#[arg(schema(..))]` that engines do not compile.
    simplify(keywords);
    distribute(keywords);
}

/// Replaces the `not: {const: 0}` of an integer, which llguidance rejects, with two ranges: below 0 and above 0.
fn split_at_zero(keywords: &mut Map<String, Value>) {
    let is_nullable = keywords.get("type") == Some(&json!(["integer", "null"]));
    let is_integer = is_nullable || keywords.get("type") == Some(&json!("integer"));
    let is_not_zero = keywords.get("not") == Some(&json!({ "const": 0 }));
    if !is_integer || !is_not_zero || keywords.contains_key("anyOf") {
        return;
    }
    let bound = |keyword: &str| keywords.get(keyword).and_then(Value::as_i64);
    let (minimum, maximum) = (bound("minimum"), bound("maximum"));
    let below =
        minimum.is_none_or(|minimum| minimum < 0).then(|| (minimum, Some(maximum.unwrap_or(-1).min(-1))));
    let above =
        maximum.is_none_or(|maximum| maximum > 0).then(|| (Some(minimum.unwrap_or(1).max(1)), maximum));
    let mut branches: Vec<Value> = below
        .into_iter()
        .chain(above)
        .map(|(minimum, maximum)| {
            let bounds = [("minimum", minimum), ("maximum", maximum)];
            let bounds =
                bounds.into_iter().filter_map(|(keyword, bound)| Some((keyword.to_owned(), json!(bound?))));
            object(std::iter::once(("type".to_owned(), json!("integer"))).chain(bounds)).into()
        })
        .collect();
    if branches.is_empty() {
        return;
    }
    if is_nullable {
        branches.push(null_schema());
    }
    keywords.retain(|keyword, _| !matches!(keyword.as_str(), "not" | "type" | "minimum" | "maximum"));
    keywords.insert("anyOf".to_owned(), branches.into());
}
