//! A whole report, and schemas that are costly to compare.

use super::compare;
use super::shop::{lock_of, registry};
use serde_json::{Map, Value, json};
use tool_runtime::{DynamicTool, Registry};

#[test]
fn a_report_lists_the_breaking_changes_first() {
    let registry = registry();
    let mut old = lock_of(&registry);
    for tool in old["tools"].as_array_mut().expect("tools") {
        let name = tool["name"].as_str().expect("a name").to_owned();
        let properties = &mut tool["parameters"]["properties"];
        match &*name {
            "find_orders" => {
                properties["limit"]["maximum"] = json!(500);
                properties["status"]["enum"] = json!(["open", "paid", "lost", null]);
                properties["query"]["description"] = json!("The name.");
            }
            "place_order" => {
                let customer = &mut properties["order"]["properties"]["customer"];
                customer["properties"]["town"] = customer["properties"]["city"].take();
                customer["properties"].as_object_mut().expect("properties").remove("city");
                properties["order"]["properties"]["lines"]["items"]["required"] = json!(["article"]);
            }
            "write_report" => {
                tool["description"] =
                    json!("Write a report.\n\nReads the orders.\nTakes a minute.\nMay fail.");
                tool["output_schema"]["properties"]["state"]["enum"] = json!(["draft"]);
            }
            "now" => tool["name"] = json!("clock"),
            "notify" => tool["name"] = json!("restock"),
            _ => {}
        }
        if name == "notify" {
            tool["description"] = json!("Order more.");
            tool["parameters"] = json!({ "type": "object", "properties": {} });
        }
    }
    let message = compare(&old, &registry).expect("there are changes");
    let expected = r#"the tools differ from tools.lock: 7 breaking changes and 4 compatible changes

Breaking:

  clock
    the tool is renamed to `now`

  find_orders
    `limit`: the maximum falls from 500 to 100
    `status`: the value "lost" is removed

  place_order
    `order.customer.town` is renamed to `city`
    `order.lines[].quantity` becomes required

  restock
    the tool is removed

  write_report
    `state` of the result: the value "final" is new

Compatible:

  find_orders
    `query`: the description changes
      - The name.
      + A part of the name.
    `status`: the value "sent" is new

  notify
    the tool is new

  write_report
    the description changes
      - Reads the orders.
      - Takes a minute.
      - May fail.
      + Reads all orders of a month.
      + Takes a minute.

To update tools.lock, run this test with TOOLS_LOCK=overwrite in the environment."#;
    assert_eq!(message, expected);
}

/// The message about a change of the parameters of one dynamic tool.
fn compare_parameters(old: &Value, new: &Value) -> Option<String> {
    let registry = |parameters: &Value| {
        let tool = DynamicTool::new("tool", "", parameters.clone(), |_| async { Ok::<_, String>(()) });
        Registry::builder().dynamic(tool).build().expect("one tool")
    };
    compare(&lock_of(&registry(old)), &registry(new))
}

/// The kinds of changes of an argument, such as `1 breaking change`.
fn kinds(old: &Value, new: &Value) -> String {
    let schema = |value: &Value| json!({ "type": "object", "properties": { "value": value } });
    let message = compare_parameters(&schema(old), &schema(new)).expect("it changes");
    message.lines().next().and_then(|line| line.split_once(": ")).expect("a first line").1.to_owned()
}

#[test]
fn a_change_of_one_of_is_breaking_unless_its_alternatives_exclude_each_other() {
    let of = |keyword: &str, alternatives: &[Value]| json!({ keyword: alternatives });
    let constant = |value: &str| json!({ "const": value });
    let tagged = |tag: &str, kind: &str| json!({ "type": "object", "properties": { "kind": { "const": tag }, "x": { "type": kind } }, "required": ["kind"] });
    let (integer, text) = (json!({ "type": "integer" }), json!({ "type": "string" }));
    assert_eq!(
        kinds(&of("anyOf", std::slice::from_ref(&integer)), &of("anyOf", &[integer.clone(), text.clone()])),
        "1 compatible change"
    );
    assert_eq!(
        kinds(&of("oneOf", std::slice::from_ref(&integer)), &of("oneOf", &[integer, text])),
        "1 breaking change"
    );
    let (one, two) = ([constant("a"), constant("b")], [constant("a"), constant("b"), constant("c")]);
    assert_eq!(kinds(&of("oneOf", &one), &of("oneOf", &two)), "1 compatible change");
    assert_eq!(kinds(&of("oneOf", &two), &of("oneOf", &one)), "1 breaking change");
    let (one, two) =
        ([tagged("a", "integer"), tagged("b", "string")], [tagged("a", "number"), tagged("b", "string")]);
    assert_eq!(kinds(&of("oneOf", &one), &of("oneOf", &two)), "1 compatible change");
    let same_tags = [tagged("a", "integer"), tagged("a", "number")];
    assert_eq!(kinds(&of("oneOf", &one), &of("oneOf", &same_tags)), "2 breaking changes");
}

/// A schema whose definitions each contain the next one twice.
fn doubled(levels: usize, last: &Value, keyword: &str) -> Value {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        let both = match keyword {
            "properties" => json!({ "type": "object", "properties": { "a": next, "b": next } }),
            _ => {
                json!({ "anyOf": [{ "type": "array", "items": next }, { "type": "array", "items": next, "minItems": level }] })
            }
        };
        definitions.insert(format!("d{level}"), both);
    }
    definitions.insert(format!("d{levels}"), last.clone());
    json!({ "type": "object", "properties": { "root": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
}

/// Each definition is compared once, however often it is referred to.
#[test]
fn definitions_that_refer_to_each_other_twice_are_compared_in_linear_time() {
    for keyword in ["properties", "anyOf"] {
        let old = doubled(40, &json!({ "type": "string" }), keyword);
        let narrower = doubled(40, &json!({ "type": "integer" }), keyword);
        let message = compare_parameters(&old, &narrower).expect("it changes");
        assert!(message.contains(": 1 breaking change\n"), "{message}");
        let wider = doubled(40, &json!({ "type": ["string", "null"] }), keyword);
        let message = compare_parameters(&old, &wider).expect("it changes");
        assert!(message.contains(": 1 compatible change\n"), "{message}");
    }
}

#[test]
fn a_definition_that_changes_is_listed_once() {
    let lock = |zip: Value| {
        let place = json!({ "type": "object", "properties": { "zip": zip } });
        json!({
            "type": "object",
            "properties": { "from": { "$ref": "#/$defs/place" }, "to": { "$ref": "#/$defs/place" } },
            "$defs": { "place": place },
        })
    };
    let message = compare_parameters(&lock(json!({ "type": "string" })), &lock(json!({ "type": "integer" })));
    let message = message.expect("it changes");
    let breaking = "\n    `from.zip`: the type changes from string to integer\n";
    assert!(message.contains(breaking) && message.contains(": 1 breaking change\n"), "{message}");
}

#[test]
fn deep_schemas_are_too_complex() {
    let property = |next: Value| json!({ "type": "object", "properties": { "next": next } });
    let union = |next: Value| json!({ "anyOf": [{ "type": "array", "items": next }, { "type": "null" }] });
    let all = |next: Value| json!({ "allOf": [{ "type": "object" }, { "properties": { "next": next } }] });
    let wraps: [&dyn Fn(Value) -> Value; 3] = [&property, &union, &all];
    for wrap in wraps {
        let chain = |last: &str| {
            let mut definitions: Map<String, Value> = (0..300)
                .map(|level| {
                    (format!("d{level}"), wrap(json!({ "$ref": format!("#/$defs/d{}", level + 1) })))
                })
                .collect();
            definitions.insert("d300".to_owned(), json!({ "type": last }));
            json!({ "type": "object", "properties": { "root": { "$ref": "#/$defs/d0" } }, "$defs": definitions })
        };
        let message = compare_parameters(&chain("string"), &chain("integer")).expect("it changes");
        assert!(message.contains("the arguments: the schemas are too complex to compare"), "{message}");
        assert!(message.contains(": 1 breaking change"), "{message}");
    }
}

#[test]
fn a_union_that_contains_itself_is_a_breaking_change() {
    let schema = |value: Value| json!({ "type": "object", "properties": { "a": value }, "$defs": { "d": { "anyOf": [{ "$ref": "#/$defs/d" }, { "type": "integer" }] } } });
    let message =
        compare_parameters(&schema(json!({ "type": "string" })), &schema(json!({ "$ref": "#/$defs/d" })));
    let message = message.expect("it changes");
    assert!(message.contains("breaking"), "{message}");
}

#[test]
fn a_union_in_a_result_has_the_opposite_direction() {
    let registry = registry();
    let mut old = lock_of(&registry);
    for tool in old["tools"].as_array_mut().expect("tools") {
        if tool["name"] == "write_report" {
            tool["output_schema"]["properties"]["state"] =
                json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] });
        }
    }
    let message = compare(&old, &registry).expect("it changes");
    let changes = "\
    `state(string)` of the result accepts only [\"draft\",\"final\"] now
    `state` of the result: the alternative `integer` is removed
      - {\"type\":\"integer\"}
";
    assert!(message.contains(": 2 compatible changes\n") && message.contains(changes), "{message}");
}

#[test]
fn a_keyword_that_is_compared_as_a_whole_includes_its_references() {
    let schema = |last: &str| {
        json!({
            "type": "object",
            "properties": { "a": { "not": { "$ref": "#/$defs/b" } } },
            "$defs": { "b": { "$ref": "#/$defs/c" }, "c": { "type": last } },
        })
    };
    let message = compare_parameters(&schema("string"), &schema("null")).expect("it changes");
    assert!(message.contains(": 1 breaking change\n"), "{message}");
    assert!(message.contains("`a`: `not` changes, and its effect is unknown"), "{message}");
}

#[test]
fn a_property_that_is_only_required_may_have_any_value() {
    let required = json!({ "required": ["x"] });
    let described = json!({ "properties": { "x": { "type": "string" } }, "required": ["x"] });
    let optional = json!({ "properties": { "x": { "type": "string" } } });
    assert!(kinds(&required, &described).contains("breaking"));
    assert!(kinds(&described, &required).contains("compatible"));
    assert!(kinds(&optional, &required).contains("breaking"));
}

#[test]
fn changes_of_referenced_schemas_are_breaking() {
    let anchored = |kind: &str| {
        let target = json!({ "$anchor": "a", "type": kind });
        json!({ "type": "object", "properties": { "x": { "$ref": "#a" } }, "$defs": { "t": target } })
    };
    let message = compare_parameters(&anchored("string"), &anchored("integer")).expect("it changes");
    assert!(message.contains("`x`: the type changes from string to integer"), "{message}");
    let next_to = |kind: &str| json!({ "type": "object", "properties": { "x": { "$ref": "#/$defs/t", "maxLength": 9 } }, "$defs": { "t": { "type": kind } } });
    let message = compare_parameters(&next_to("string"), &next_to("integer")).expect("it changes");
    assert!(message.contains("`x`: the type changes from string to integer"), "{message}");
}

#[test]
fn unions_and_values_next_to_each_other_are_compared_as_a_whole() {
    let unions = |kind: &str| json!({ "anyOf": [{ "minimum": 1 }], "oneOf": [{ "type": kind }] });
    assert!(kinds(&unions("number"), &unions("integer")).contains("breaking"));
    let values = |values: Value| json!({ "const": 1, "enum": values });
    assert!(kinds(&values(json!([1, 2])), &values(json!([2]))).contains("breaking"));
    let floats = |maximum: u8| json!({ "oneOf": [{ "const": 1 }, { "const": 1.0 }, { "minimum": maximum }] });
    assert!(kinds(&floats(5), &floats(4)).contains("breaking"));
}

/// The time would be hours if each pair of alternatives were compared.
#[test]
fn a_union_may_have_many_alternatives() {
    let of = |last: usize| {
        let alternatives: Vec<Value> = (0..last)
            .map(|index| json!({ "type": "object", "required": [format!("field {index}")] }))
            .collect();
        json!({ "anyOf": alternatives })
    };
    assert_eq!(kinds(&of(4_999), &of(5_000)), "1 compatible change");
}
