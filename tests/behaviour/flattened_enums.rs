//! Enums that are flattened into a struct: their published schemas and their validation.

#![allow(dead_code, reason = "fields are only printed")]

use crate::engine_schemas::{error, parameters, strict_parameters};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tool_runtime::{Registry, tool, tools};

#[derive(Debug, Deserialize, JsonSchema)]
struct Page {
    title: String,
    #[serde(flatten)]
    place: Place,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Place {
    /// In a chapter.
    Chapter {
        number: u8,
    },
    Cover,
}

/// Prints.
#[tool]
fn print(page: Page) -> String {
    format!("{page:?}")
}

#[tokio::test]
async fn the_fields_next_to_a_flattened_enum_are_in_each_branch() {
    let branch = |kind: &str, more: Value| {
        let mut branch = json!({
            "type": "object",
            "properties": {"title": {"type": "string"}, "kind": {"type": "string", "const": kind}},
            "required": ["title", "kind"],
        });
        for (name, schema) in more.as_object().expect("properties") {
            branch["properties"][name] = schema.clone();
            branch["required"].as_array_mut().expect("names").push(json!(name));
        }
        branch
    };
    let mut chapter = branch("chapter", json!({"number": {"type": "integer", "minimum": 0}}));
    chapter["description"] = json!("In a chapter.");
    let page = &parameters(tools![print])["properties"]["page"];
    assert_eq!(*page, json!({"anyOf": [chapter, branch("cover", json!({}))]}));
    let closed = strict_parameters(tools![print])["properties"]["page"]["anyOf"][1].clone();
    let mut cover = branch("cover", json!({}));
    cover["additionalProperties"] = json!(false);
    assert_eq!(closed, cover);
    assert_eq!(
        error(tools![print], "print", json!({"page": {"title": "A", "kind": "chapter", "number": "one"}}))
            .await,
        "invalid arguments for `print`: `page.number`: expected an integer, got string \"one\". Call it again, but \
         change `page.number` to an integer."
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Order {
    id: u8,
    #[serde(flatten)]
    discount: Option<Discount>,
    #[serde(flatten)]
    payment: Option<Payment>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "discount", rename_all = "lowercase")]
enum Discount {
    /// Off the price.
    Percent {
        percent: u8,
    },
    Voucher {
        code: String,
    },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Payment {
    /// In the shop.
    Cash,
    Card {
        number: String,
    },
}

/// Places an order.
#[tool]
fn place(order: Order) -> String {
    format!("{:?} {:?} {:?}", order.id, order.discount, order.payment)
}

#[tokio::test]
async fn a_flattened_option_is_complete_or_absent() {
    let registry = Registry::new(tools![place]).expect("one tool");
    for (order, result) in [
        (json!({"id": 1}), "1 None None"),
        (json!({"id": 1, "cash": null}), "1 None Some(Cash)"),
        (json!({"id": 1, "note": "any other key"}), "1 None None"),
        (
            json!({"id": 1, "discount": "percent", "percent": 5, "card": {"number": "4"}}),
            "1 Some(Percent { percent: 5 }) Some(Card { number: \"4\" })",
        ),
    ] {
        let actual = registry.call("place", json!({ "order": order })).await;
        assert_eq!(actual.text(), result, "{order}");
    }
    for (order, problem) in [
        (
            json!({"id": 1, "discount": "percent", "percent": "5"}),
            "`order.percent`: expected an integer, got string \"5\"",
        ),
        (
            json!({"id": 1, "discount": "percents", "percent": 5}),
            "`order.discount`: expected `percent` or `voucher`, got string \"percents\"",
        ),
        (json!({"id": 1, "percent": 5}), "`order.discount` is missing"),
        (json!({"id": 1, "discount": "voucher"}), "`order.code` is missing"),
        (
            json!({"id": 1, "card": "4"}),
            "`order.card`: expected an object with the key `number`, got string \"4\"",
        ),
    ] {
        let message = error(tools![place], "place", json!({ "order": order })).await;
        let start = format!("invalid arguments for `place`: {problem}. Call it again, but ");
        assert!(message.starts_with(&start), "{order}: {message}");
    }
    let message = error(tools![place], "place", json!({"order": "{}"})).await;
    assert_eq!(message.matches("`order`: ").count(), 1, "{message}");
    // Two flattened enums: every combination of variants is a branch.
    let branches =
        parameters(tools![place])["properties"]["order"]["anyOf"].as_array().expect("a union").len();
    assert_eq!(branches, 9);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WithRest {
    id: u8,
    #[serde(flatten)]
    payment: Option<Payment>,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TaggedAndOption {
    id: u8,
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    discount: Option<Discount>,
    #[serde(flatten)]
    size: Size,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Size {
    Exact { percent: u8 },
    Rough { rough: bool },
}

/// Takes several flattened enums.
#[tool]
fn combine(rest: Option<WithRest>, tagged: Option<TaggedAndOption>) -> String {
    format!("{rest:?} {tagged:?}").len().to_string()
}

#[tokio::test]
async fn several_flattened_enums_are_validated_independently() {
    let registry = Registry::new(tools![combine]).expect("one tool");
    for arguments in [
        json!({"rest": {"id": 1, "card": {"number": "4"}}}),
        json!({"rest": {"id": 1, "other": [1]}}),
        json!({"tagged": {"id": 1, "kind": "cover", "rough": true}}),
        // A field that two enums share may be present for either.
        json!({"tagged": {"id": 1, "kind": "chapter", "number": 1, "percent": 5}}),
        json!({"tagged": {"id": 1, "kind": "cover", "discount": "percent", "percent": 5}}),
    ] {
        let result = registry.call("combine", &arguments).await;
        assert!(!result.is_error(), "{arguments}: {}", result.text());
    }
    for arguments in [
        json!({"tagged": {"id": 1, "rough": true}}),
        json!({"tagged": {"id": 1, "kind": "cover", "rough": 1}}),
        json!({"tagged": {"id": 1, "kind": "cover", "rough": true, "discount": "voucher"}}),
    ] {
        assert!(registry.call("combine", &arguments).await.is_error(), "{arguments}");
    }
    // The published schema is one union of all combinations.
    let tagged = parameters(tools![combine])["properties"]["tagged"].clone();
    let branches = tagged["anyOf"].as_array().expect("a union");
    assert_eq!(branches.len(), 2 * 3 * 2 + 1, "{tagged}");
    for name in ["id", "kind"] {
        let is_object = |branch: &&Value| branch["type"] == "object";
        assert!(
            branches.iter().filter(is_object).all(|branch| branch["properties"].get(name).is_some()),
            "{tagged}"
        );
    }
}
