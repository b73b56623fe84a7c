//! Hand-written schemas of dynamic tools, with keywords that derived schemas never have.

use serde_json::{Value, json};
use tool_runtime::dispatch::ToolFailure;
use tool_runtime::{CallError, DynamicTool, Registry};

/// A tool whose argument `a` has this schema.
fn registry_with(schema: &Value, definitions: &Value) -> Registry {
    let parameters = json!({"type": "object", "properties": {"a": schema}, "$defs": definitions});
    registry(parameters)
}

fn registry(parameters: Value) -> Registry {
    let tool = DynamicTool::new("take", "", parameters, |_| async { Ok::<_, String>(()) });
    Registry::builder().dynamic(tool).build().expect("one tool")
}

/// The error message about this argument; empty if it is valid.
async fn error_of(schema: Value, argument: Value) -> String {
    let result = registry_with(&schema, &json!({})).call("take", json!({ "a": argument })).await;
    let error = result.failure().map(ToString::to_string).unwrap_or_default();
    error.strip_prefix("invalid arguments for `take`: ").map_or_else(|| error.clone(), str::to_owned)
}

#[tokio::test]
async fn an_enum_without_a_type_accepts_only_its_values() {
    for argument in [json!([1]), json!({}), json!("z"), json!(1)] {
        assert!(
            error_of(json!({"enum": ["x", "y"]}), argument.clone())
                .await
                .starts_with("`a`: expected `x` or `y`, got ")
        );
        assert!(error_of(json!({"const": "x"}), argument).await.starts_with("`a`: expected `x`, got "));
    }
    assert_eq!(error_of(json!({"enum": [[1], {"k": 2}]}), json!([1.0])).await, "");
    assert_eq!(error_of(json!({"enum": ["a", "b"], "const": "b"}), json!("b")).await, "");
    assert_ne!(error_of(json!({"enum": ["a", "b"], "const": "c"}), json!("a")).await, "");
    assert_eq!(error_of(json!({"not": {"enum": ["x"]}}), json!([1])).await, "");
}

#[tokio::test]
async fn an_optional_constant_is_not_a_tag() {
    let schema = || {
        json!({"anyOf": [
            {"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}},
            {"type": "object", "properties": {"k": {"const": "b"}}},
        ]})
    };
    assert_eq!(error_of(schema(), json!({})).await, "");
    assert_eq!(error_of(schema(), json!({"x": "text"})).await, "");
    assert_eq!(
        error_of(schema(), json!({"k": "c"})).await,
        "`a`: expected an object, got an object with the key `k`. Call it again, but change `a` to an object."
    );
}

#[tokio::test]
async fn self_references_are_ignored_and_listed_as_unsupported() {
    for parameters in [
        json!({"type": "object", "allOf": [{"$ref": "#"}]}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}},
            "$defs": {"x": {"$ref": "#/$defs/y", "description": ""}, "y": {"$ref": "#/$defs/x"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}},
            "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "integer"}]}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"not": {"$ref": "#/$defs/x"}}}}),
    ] {
        let registry = registry(parameters.clone());
        assert!(
            registry
                .tool("take")
                .expect("it is there")
                .unsupported_keywords
                .iter()
                .any(|keyword| keyword.contains("leads back")),
            "{parameters}"
        );
        let _ = registry.call("take", r#"{"a":1.0}"#).await;
    }
    let items = registry(
        json!({"type": "object", "properties": {"a": {"type": "array", "items": {"$ref": "#/properties/a"}}}}),
    );
    assert!(
        items.tool("take").expect("it is there").unsupported_keywords.is_empty()
            && !items.call("take", r#"{"a":[[],[[]]]}"#).await.is_error()
    );
    assert!(items.call("take", r#"{"a":[[1]]}"#).await.is_error());
}

#[tokio::test]
async fn references_with_escaped_names_are_resolved() {
    let definitions = json!({"A B": {"type": "integer"}, "x/y~z": {"type": "integer"}, "never": false});
    for reference in ["#/$defs/A%20B", "#/$defs/x~1y~0z", "#/$defs/x~1y%7E0z"] {
        let registry = registry_with(&json!({ "$ref": reference }), &definitions);
        assert!(!registry.call("take", r#"{"a":1}"#).await.is_error(), "{reference}");
        assert!(registry.call("take", r#"{"a":"x"}"#).await.is_error(), "{reference}");
    }
    assert!(
        registry_with(&json!({"$ref": "#/$defs/never"}), &definitions)
            .call("take", r#"{"a":1}"#)
            .await
            .is_error()
    );
    let dangling = registry_with(&json!({"$ref": "#/$defs/nowhere"}), &definitions);
    assert_eq!(
        dangling.tool("take").expect("it is there").unsupported_keywords,
        ["`$ref` at `/properties/a`"]
    );
}

#[tokio::test]
async fn decimal_fractions_are_multiples_of_a_hundredth() {
    for price in [19.99, 4.35, 0.07, 0.3, 1e6] {
        assert_eq!(
            error_of(json!({"type": "number", "multipleOf": 0.01}), json!(price)).await,
            "",
            "{price}"
        );
    }
    assert_ne!(error_of(json!({"type": "number", "multipleOf": 0.01}), json!(0.001)).await, "");
}

#[tokio::test]
async fn numbers_beyond_64_bits_are_floats() {
    for (schema, valid) in [
        (r#"{"maximum": 100000000000000000001}"#, "100000000000000000001"),
        (r#"{"const": 100000000000000000001}"#, "100000000000000000001"),
        (r#"{"multipleOf": 0.01}"#, "1e308"),
        (r#"{"multipleOf": 1e-300}"#, "1e300"),
    ] {
        let registry = registry_with(&serde_json::from_str(schema).expect("JSON"), &json!({}));
        assert!(!registry.call("take", &format!(r#"{{"a":{valid}}}"#)).await.is_error(), "{schema} {valid}");
    }
}

#[tokio::test]
async fn integers_are_multiples_of_minus_one() {
    let registry = registry_with(&json!({"type": "integer", "multipleOf": -1}), &json!({}));
    for number in
        ["2", "-3", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"]
    {
        assert!(!registry.call("take", &format!(r#"{{"a":{number}}}"#)).await.is_error(), "{number}");
    }
}

#[tokio::test]
async fn patterns_have_the_meaning_of_ecmascript() {
    for (pattern, valid, invalid) in [
        (r"^\d+$", "12", "٣"),
        (r"^[\d-]+$", "1-2", "٣-"),
        (r"^\w\W\D$", "a-b", "é-b"),
        ("^[a&&b]+$", "a&b", "c"),
        ("^[[~~]+$", "[~", "]"),
        ("^[!--/]+$", "-/", "0"),
        (r"^\S$", "\u{85}", "\u{feff}"),
    ] {
        assert_eq!(error_of(json!({ "pattern": pattern }), json!(valid)).await, "", "{pattern}");
        assert!(
            error_of(json!({ "pattern": pattern }), json!(invalid)).await.contains("that matches"),
            "{pattern}"
        );
    }
}

#[tokio::test]
async fn a_message_about_many_long_errors_is_short() {
    let values: Vec<String> = (0..40).map(|index| format!("value-number-{index}")).collect();
    let wrong: Vec<u8> = (0..100).collect();
    let error = error_of(json!({"type": "array", "items": {"enum": values}}), json!(wrong)).await;
    assert!(
        error.len() < 6_000
            && error.contains(" more. Call")
            && error.contains("and 20 more, got integer `0`"),
        "{error}"
    );
}

#[tokio::test]
async fn unique_items_are_compared_by_type_and_value() {
    let unique = || json!({"type": "array", "uniqueItems": true});
    for items in
        [json!([[], {}]), json!([1, "1", true]), json!([[[1, 1]], {"1": 1}]), json!([{"a": 1}, {"a": 2}])]
    {
        assert_eq!(error_of(unique(), items.clone()).await, "", "{items}");
    }
    for items in [json!([1, 1.0]), json!([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]), json!([[], []])] {
        assert_eq!(
            error_of(unique(), items.clone()).await,
            "`a[1]`: an equal item is in the list already. Call it again, but correct `a[1]`.",
            "{items}"
        );
    }
}

#[tokio::test]
async fn errors_of_schemas_without_a_type_name_the_expected_value() {
    assert_eq!(
        error_of(json!({"minimum": 5}), json!(3)).await,
        "`a`: expected a number of at least 5, got integer `3`. Call it again, but change `a` to a number of at \
         least 5."
    );
    assert_eq!(
        error_of(json!({"not": {"type": "string"}}), json!("s")).await,
        "`a`: expected anything other than a string, got string \"s\". Call it again, but correct `a`."
    );
    assert_eq!(
        error_of(json!({"propertyNames": {"maxLength": 1}}), json!({"long": 1})).await,
        "`a.long`: its key must be a string of at most 1 character. Call it again, but correct `a.long`."
    );
    let result = registry(json!({"type": "object", "minProperties": 1})).call("take", "{}").await;
    assert_eq!(
        result.text(),
        "Error: invalid arguments for `take`: expected an object of at least 1 key, got 0. Call it again, but \
         correct this."
    );
}

#[tokio::test]
async fn the_message_about_a_million_wrong_items_is_short() {
    let items: Vec<String> = (0..1_000_000).map(|_| "1".to_owned()).collect();
    let registry = registry_with(&json!({"type": "array", "items": {"type": "string"}}), &json!({}));
    let result = registry.call("take", &format!(r#"{{"a":[{}]}}"#, items.join(","))).await;
    assert!(result.text().len() < 6_000 && result.text().contains(" more. Call"));
    let Some(CallError::InvalidArguments { errors, .. }) = result.failure().and_then(ToolFailure::error)
    else {
        panic!("expected errors of arguments, got {result:?}")
    };
    assert!(errors.len() <= 1_000, "{} errors are kept", errors.len());
}

#[test]
fn new_names_that_would_be_equal_stay_different() {
    let tool =
        |name: &str| DynamicTool::new(name, "", json!({"type": "object"}), |_| async { Ok::<_, String>(()) });
    let registry = Registry::builder()
        .rename_invalid_names(true)
        .dynamic(tool("math.double"))
        .dynamic(tool("math/double"))
        .dynamic(tool("math_double"))
        .dynamic(tool(&"long".repeat(40)))
        .build()
        .expect("the mapped names differ");
    let originals: Vec<Option<&str>> =
        registry.names().iter().map(|name| registry.tool(name).and_then(|tool| tool.original_name)).collect();
    assert_eq!(originals.len(), 4);
    for original in ["math.double", "math/double", &"long".repeat(40)] {
        assert!(originals.contains(&Some(original)));
        assert_eq!(registry.subset([original]).expect("both names are known").names().len(), 1);
    }
    assert!(registry.names().iter().all(|name| name.len() <= 64));
}
