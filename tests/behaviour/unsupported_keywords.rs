//! Keywords that the validator does not support: it never rejects a value because of one.

use serde_json::{Value, json};
use tool_runtime::{DynamicTool, Registry};

fn registry(schema: &Value) -> Registry {
    let parameters = json!({"type": "object", "properties": {"a": schema}});
    let tool = DynamicTool::new("take", "", parameters, |_| async { Ok::<_, String>(()) });
    Registry::builder().dynamic(tool).build().expect("one tool")
}

async fn accepts(schema: &Value, value: Value) -> bool {
    !registry(schema).call("take", json!({ "a": value })).await.is_error()
}

#[tokio::test]
async fn one_of_with_unsupported_branches_requires_at_least_one_match() {
    // The validator does not support lookahead.
    let ids = json!({"oneOf": [
        {"type": "string", "pattern": "^(?=user-)"},
        {"type": "string", "pattern": "^(?=group-)"},
    ]});
    assert!(accepts(&ids, json!("user-1")).await && accepts(&ids, json!("group-1")).await);
    assert!(!accepts(&ids, json!(1)).await, "no branch accepts a number");
    let one_known =
        json!({"oneOf": [{"type": "string", "x-a": 1}, {"type": "string", "x-kind": 1}, {"maxLength": 3}]});
    assert!(accepts(&one_known, json!("abc")).await && accepts(&one_known, json!("abcd")).await);
    let two_known = json!({"oneOf": [{"type": "string"}, {"maxLength": 3}, {"x-kind": 1}]});
    assert!(!accepts(&two_known, json!("abc")).await, "two branches match for sure");
}

#[tokio::test]
async fn the_not_of_an_unsupported_schema_is_ignored() {
    assert!(accepts(&json!({"not": {"contains": {"const": 1}}}), json!([2])).await);
    assert!(accepts(&json!({"not": {"type": "array", "contains": {"const": 1}}}), json!([2])).await);
    assert!(accepts(&json!({"not": {"not": {"x-kind": 1}}}), json!(1)).await);
    assert!(accepts(&json!({"not": {"$ref": "#/$defs/gone"}}), json!(1)).await);
    assert!(!accepts(&json!({"not": {"type": "array"}}), json!([2])).await);
}

#[tokio::test]
async fn an_unsupported_keyword_inside_a_branch_makes_the_branch_unknown() {
    let nested = |kind: &str| json!({"properties": {"id": {"pattern": "^(?=u)"}, "kind": {"type": kind}}});
    let schema =
        json!({"oneOf": [nested("string"), nested("number"), {"type": "object", "required": ["id"]}]});
    assert!(accepts(&schema, json!({"id": "u1"})).await);
    let items = json!({"oneOf": [{"items": {"pattern": "^(?=u)"}}, {"minItems": 1}]});
    assert!(accepts(&items, json!(["u1"])).await);
}

#[tokio::test]
async fn other_keywords_of_the_same_schema_are_enforced() {
    let schema =
        json!({"anyOf": [{"type": "string", "x-kind": 1}, {"type": "array", "contains": {}, "maxItems": 1}]});
    assert!(accepts(&schema, json!("x")).await && accepts(&schema, json!([1])).await);
    assert!(!accepts(&schema, json!(1)).await && !accepts(&schema, json!([1, 2])).await);
}

#[tokio::test]
async fn an_unsupported_keyword_for_strings_does_not_affect_numbers() {
    let schema = json!({"oneOf": [{"pattern": "^(?=u)"}, {"type": "number"}]});
    assert!(!accepts(&schema, json!(1)).await, "both branches match for sure");
    assert!(accepts(&schema, json!("v")).await);
}

#[tokio::test]
async fn required_keys_are_enforced_next_to_other_keywords() {
    for schema in [
        json!({"required": ["x"], "anyOf": [{"properties": {"y": {"type": "integer"}}}]}),
        json!({"required": ["x"], "allOf": [{"type": "object"}]}),
        json!({"required": ["x"], "x-kind": 1}),
    ] {
        assert!(accepts(&schema, json!({"x": 1})).await && !accepts(&schema, json!({})).await, "{schema}");
    }
    assert!(accepts(&json!({"not": {"required": ["x"], "allOf": [{}]}}), json!({})).await);
}

#[tokio::test]
async fn a_schema_that_refers_to_itself_rejects_nothing() {
    let tagged = json!({"properties": {"t": {"const": "a"}}, "required": ["t"], "anyOf": [{"$ref": "#/properties/a"}]});
    assert!(accepts(&tagged, json!({"t": "a"})).await && !accepts(&tagged, json!({"t": "b"})).await);
    assert!(accepts(&json!({"oneOf": [{"$ref": "#/properties/a"}, {"type": "string"}]}), json!("x")).await);
}

#[tokio::test]
async fn references_inside_a_schema_with_an_id_are_relative_to_it() {
    let schema = json!({"$id": "x.json", "$defs": {"y": {"type": "string"}}, "items": {"$ref": "#/$defs/y"}});
    let parameters =
        json!({"type": "object", "properties": {"a": schema}, "$defs": {"y": {"type": "integer"}}});
    let tool = DynamicTool::new("take", "", parameters, |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder().dynamic(tool).build().expect("one tool");
    assert_eq!(registry.tool("take").expect("it is there").unsupported_keywords, [""; 0]);
    assert!(!registry.call("take", r#"{"a":["s"]}"#).await.is_error());
    assert!(registry.call("take", r#"{"a":[1]}"#).await.is_error());
}

#[test]
fn unsupported_keywords_are_listed_with_their_locations() {
    let schema = json!({
        "contains": {"type": "string"},
        "properties": {"c": {"$ref": "https://example.com/c"}},
        "items": {"allOf": [{"if": {}, "then": {}}]},
    });
    let registry = registry(&schema);
    let mut listed: Vec<&str> =
        registry.tool("take").expect("it is there").unsupported_keywords.iter().map(String::as_str).collect();
    listed.sort_unstable();
    assert_eq!(
        listed,
        [
            "`$ref` at `/properties/a/properties/c`",
            "`contains` at `/properties/a`",
            "`if` at `/properties/a/items/allOf/0`",
            "`then` at `/properties/a/items/allOf/0`",
        ]
    );
}
