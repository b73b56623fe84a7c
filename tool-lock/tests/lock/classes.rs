//! One test per class of change. Each edits the lock of the shop, which then is the old one.

use super::compare;
use super::shop::{lock_of, registry};
use serde_json::{Value, json};

/// The tools of the lock by name.
struct Old(Value);

impl Old {
    fn tool(&mut self, name: &str) -> &mut Value {
        let tools = self.0["tools"].as_array_mut().expect("a list of tools");
        tools.iter_mut().find(|tool| tool["name"] == name).expect("the shop has the tool")
    }

    /// The value at a pointer in the parameters of a tool.
    fn at(&mut self, tool: &str, pointer: &str) -> &mut Value {
        let parameters = &mut self.tool(tool)["parameters"];
        let text = parameters.to_string();
        parameters.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} is not in {text}"))
    }

    fn remove(&mut self, tool: &str, pointer: &str) {
        let (object, key) = pointer.rsplit_once('/').expect("a pointer to a field");
        let removed = self.at(tool, object).as_object_mut().expect("an object").remove(key);
        assert!(removed.is_some(), "{pointer} is there");
    }
}

/// The whole message about one change in the tool `tool`.
fn expected(kind: &str, tool: &str, lines: &[&str]) -> String {
    let heading = if kind == "breaking" { "Breaking" } else { "Compatible" };
    let (first, diff) = lines.split_first().expect("a change has a line");
    let diff = diff.iter().fold(String::new(), |text, line| text + "      " + line + "\n");
    format!(
        "the tools differ from tools.lock: 1 {kind} change\n\n{heading}:\n\n  {tool}\n    {first}\n{diff}\n\
         To update tools.lock, run this test with TOOLS_LOCK=overwrite in the environment."
    )
}

#[track_caller]
fn assert_change(kind: &str, tool: &str, lines: &[&str], edit: impl FnOnce(&mut Old)) {
    let registry = registry();
    let mut old = Old(lock_of(&registry));
    assert_eq!(compare(&old.0, &registry), None);
    edit(&mut old);
    let message = compare(&old.0, &registry).expect("a change fails the test");
    assert_eq!(message, expected(kind, tool, lines));
}

macro_rules! changes {
    ($($name:ident: $kind:ident $tool:literal [$($line:literal),+] $edit:expr;)+) => {
        $(#[test]
        fn $name() {
            assert_change(stringify!($kind), $tool, &[$($line),+], $edit);
        })+
    };
}

changes! {
    // Tools.
    a_removed_tool: breaking "restock" ["the tool is removed"] |old| {
        let tool = json!({ "name": "restock", "description": "Order more.", "parameters": { "type": "object" } });
        old.0["tools"].as_array_mut().expect("a list").push(tool);
    };
    a_new_tool: compatible "ship" ["the tool is new"] |old| {
        old.0["tools"].as_array_mut().expect("a list").retain(|tool| tool["name"] != "ship");
    };
    a_tool_with_a_similar_name: breaking "find_order" ["the tool is renamed to `find_orders`"] |old| {
        old.tool("find_orders")["name"] = json!("find_order");
    };
    a_tool_with_another_name_and_equal_schema: breaking "clock" ["the tool is renamed to `now`"] |old| {
        old.tool("now")["name"] = json!("clock");
    };
    a_description_of_a_tool: compatible "write_report" ["the description changes", "- Reads the orders.", "+ Reads all orders of a month."] |old| {
        old.tool("write_report")["description"] = json!("Write a report.\n\nReads the orders.\nTakes a minute.");
    };
    a_title: compatible "add_category" ["the title changes", "- New category", "+ Add category"] |old| {
        old.tool("add_category")["title"] = json!("New category");
    };
    read_only_is_no_longer_declared: breaking "cancel_order" ["`read_only` changes from `true` to not declared"] |old| {
        old.tool("cancel_order")["annotations"]["read_only"] = json!(true);
    };
    idempotent_is_no_longer_declared: breaking "cancel_order" ["`idempotent` changes from `true` to not declared"] |old| {
        old.tool("cancel_order")["annotations"]["idempotent"] = json!(true);
    };
    a_tool_becomes_destructive: breaking "cancel_order" ["`destructive` changes from not declared to `true`"] |old| {
        old.tool("cancel_order")["annotations"].as_object_mut().expect("annotations").remove("destructive");
    };
    destructive_is_no_longer_declared_as_false: breaking "now" ["`destructive` changes from `false` to not declared"] |old| {
        old.tool("now")["annotations"]["destructive"] = json!(false);
    };
    read_only_is_declared: compatible "find_orders" ["`read_only` changes from not declared to `true`"] |old| {
        old.tool("find_orders").as_object_mut().expect("a tool").remove("annotations");
    };
    open_world_becomes_false: compatible "now" ["`open_world` changes from `true` to `false`"] |old| {
        old.tool("now")["annotations"]["open_world"] = json!(true);
    };

    // Arguments.
    a_removed_argument: breaking "find_orders" ["`page` is removed"] |old| {
        old.at("find_orders", "/properties")["page"] = json!({ "type": "integer" });
    };
    a_removed_field: breaking "place_order" ["`order.lines[].price` is removed"] |old| {
        old.at("place_order", "/properties/order/properties/lines/items/properties")["price"] = json!({ "type": "number" });
    };
    an_argument_with_a_similar_name: breaking "cancel_order" ["`reasons` is renamed to `reason`"] |old| {
        let reason = old.at("cancel_order", "/properties/reason").take();
        old.remove("cancel_order", "/properties/reason");
        old.at("cancel_order", "/properties")["reasons"] = reason;
    };
    an_argument_with_another_name_and_equal_schema: breaking "place_order" ["`order.customer.town` is renamed to `city`"] |old| {
        let customer = old.at("place_order", "/properties/order/properties/customer/properties");
        customer["town"] = customer["city"].take();
        customer.as_object_mut().expect("properties").remove("city");
    };
    a_new_required_argument: breaking "find_orders" ["`query` is a new required argument"] |old| {
        old.remove("find_orders", "/properties/query");
        old.remove("find_orders", "/required");
    };
    a_new_optional_argument: compatible "find_orders" ["`status` is a new optional argument"] |old| {
        old.remove("find_orders", "/properties/status");
    };
    a_new_optional_field_of_an_open_object: compatible "place_order" ["`order.note` is a new optional field"] |old| {
        old.remove("place_order", "/properties/order/properties/note");
    };
    a_new_field_that_was_accepted_with_any_value: breaking "price" ["`amount` is a new optional argument"] |old| {
        old.remove("price", "/properties/amount");
    };
    an_argument_becomes_required: breaking "find_orders" ["`query` becomes required"] |old| {
        old.remove("find_orders", "/required");
    };
    an_argument_becomes_optional: compatible "find_orders" ["`limit` becomes optional"] |old| {
        *old.at("find_orders", "/required") = json!(["limit", "query"]);
    };
    other_fields_are_rejected: breaking "find_orders" ["the arguments: other arguments are rejected now"] |old| {
        old.remove("find_orders", "/additionalProperties");
    };
    other_fields_are_accepted: compatible "ship" ["the arguments: other arguments are accepted now"] |old| {
        old.at("ship", "")["additionalProperties"] = json!(false);
    };

    // Types and values.
    a_narrower_type: breaking "cancel_order" ["`id`: the type narrows from number to integer"] |old| {
        *old.at("cancel_order", "/properties/id/type") = json!("number");
    };
    a_wider_type: compatible "price" ["`amount`: the type widens from integer to number"] |old| {
        *old.at("price", "/properties/amount/type") = json!("integer");
    };
    another_type: breaking "cancel_order" ["`id`: the type changes from string to integer"] |old| {
        *old.at("cancel_order", "/properties/id") = json!({ "type": "string", "maxLength": 9 });
    };
    null_is_accepted: compatible "cancel_order" ["`reason`: the type widens from string to string or null"] |old| {
        *old.at("cancel_order", "/properties/reason/type") = json!("string");
    };
    a_removed_value_of_an_enum: breaking "find_orders" ["`status`: the value \"lost\" is removed"] |old| {
        old.at("find_orders", "/properties/status/enum").as_array_mut().expect("values").push(json!("lost"));
    };
    a_new_value_of_an_enum: compatible "find_orders" ["`status`: the value \"sent\" is new"] |old| {
        old.at("find_orders", "/properties/status/enum").as_array_mut().expect("values").retain(|value| *value != "sent");
    };
    an_enum_in_place_of_any_string: breaking "find_orders" ["`status` accepts only [\"open\",\"paid\",\"sent\",null] now"] |old| {
        old.remove("find_orders", "/properties/status/enum");
    };

    // Limits.
    a_lower_maximum: breaking "find_orders" ["`limit`: the maximum falls from 500 to 100"] |old| {
        *old.at("find_orders", "/properties/limit/maximum") = json!(500);
    };
    a_higher_maximum: compatible "find_orders" ["`limit`: the maximum rises from 50 to 100"] |old| {
        *old.at("find_orders", "/properties/limit/maximum") = json!(50);
    };
    an_exclusive_minimum: breaking "price" ["`amount`: the minimum rises from 0 to 0 (exclusive)"] |old| {
        let amount = old.at("price", "/properties/amount");
        *amount = json!({ "type": "number", "minimum": 0, "multipleOf": 5 });
    };
    a_longer_minimum_length: breaking "write_report" ["`month`: the minimum length rises from 4 to 7"] |old| {
        *old.at("write_report", "/properties/month/minLength") = json!(4);
    };
    a_removed_limit: compatible "cancel_order" ["`reason`: the maximum length of 80 is removed"] |old| {
        old.at("cancel_order", "/properties/reason")["maxLength"] = json!(80);
    };
    fewer_items: breaking "notify" ["`times`: the maximum number of items falls from 9 to 3"] |old| {
        *old.at("notify", "/properties/times/maxItems") = json!(9);
    };
    unique_items: breaking "notify" ["`times`: items must be unique now"] |old| {
        old.remove("notify", "/properties/times/uniqueItems");
    };
    a_new_pattern: breaking "ship" ["`from.zip`: the pattern is added", "+ \"^[0-9]{5}$\""] |old| {
        *old.at("ship", "") = json!({
            "type": "object",
            "properties": {
                "from": {
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "zip": { "type": "string" } },
                    "required": ["street"],
                },
                "to": { "$ref": "#/$defs/place" },
            },
            "required": ["from", "to"],
            "$defs": old.at("ship", "/$defs").clone(),
        });
    };
    another_divisor: breaking "price" ["`amount`: `multipleOf` changes, and its effect is unknown", "- 3", "+ 5"] |old| {
        *old.at("price", "/properties/amount/multipleOf") = json!(3);
    };

    // Descriptions.
    a_description_of_an_argument: compatible "find_orders" ["`query`: the description changes", "- The name.", "+ A part of the name."] |old| {
        old.at("find_orders", "/properties/query")["description"] = json!("The name.");
    };
    a_default: compatible "find_orders" ["`limit`: `default` changes", "- 10", "+ 20"] |old| {
        old.at("find_orders", "/properties/limit")["default"] = json!(10);
    };

    // Arrays, maps, unions and references.
    an_item_of_a_tuple: breaking "price" ["`size[1]`: the type narrows from number to integer"] |old| {
        *old.at("price", "/properties/size/prefixItems/1/type") = json!("number");
    };
    the_values_of_a_map: breaking "set_labels" ["`labels.*`: the type narrows from string or null to string"] |old| {
        *old.at("set_labels", "/properties/labels/additionalProperties/type") = json!(["string", "null"]);
    };
    a_field_of_an_alternative: breaking "place_order" ["`payment(card).owner` is removed"] |old| {
        let card = old.at("place_order", "/properties/payment/oneOf/0/properties");
        card["owner"] = json!({ "type": "string" });
    };
    a_field_of_an_alternative_with_one_property: breaking "notify" ["`channel.mail`: the type narrows from string or null to string"] |old| {
        *old.at("notify", "/properties/channel/anyOf/0/properties/mail/type") = json!(["string", "null"]);
    };
    a_removed_alternative: breaking "place_order" [
        "`payment`: the alternative `cash` is removed",
        "- {\"properties\":{\"kind\":{\"const\":\"cash\",\"type\":\"string\"}},\"required\":[\"kind\"],\"type\":\"object\"}"
    ] |old| {
        let cash = json!({ "type": "object", "properties": { "kind": { "type": "string", "const": "cash" } }, "required": ["kind"] });
        old.at("place_order", "/properties/payment/oneOf").as_array_mut().expect("alternatives").push(cash);
    };
    a_new_alternative: compatible "notify" [
        "`channel`: the alternative `phone` is new",
        "+ {\"additionalProperties\":false,\"properties\":{\"phone\":{\"type\":\"string\"}},\"required\":[\"phone\"],\"type\":\"object\"}"
    ] |old| {
        old.at("notify", "/properties/channel/anyOf").as_array_mut().expect("alternatives").pop();
    };
    a_type_inside_itself: breaking "add_category" ["`category.children[].rank` is removed"] |old| {
        let node = "/$defs/Category/properties/children/items";
        let mut inner = old.at("add_category", "/$defs/Category").clone();
        inner["properties"]["rank"] = json!({ "type": "integer" });
        old.at("add_category", "/$defs")["Inner"] = inner;
        *old.at("add_category", node) = json!({ "$ref": "#/$defs/Inner" });
    };
    a_recursive_type: breaking "add_category" ["`category.title`: the type changes from integer to string"] |old| {
        *old.at("add_category", "/$defs/Category/properties/title/type") = json!("integer");
    };
    a_definition_of_two_fields_that_differ_now: breaking "cancel_order" ["`reason`: the type changes from integer to string or null"] |old| {
        let id = old.at("cancel_order", "/properties/id").clone();
        old.tool("cancel_order")["parameters"]["$defs"] = json!({ "Id": id });
        *old.at("cancel_order", "/properties/id") = json!({ "$ref": "#/$defs/Id" });
        *old.at("cancel_order", "/properties/reason") = json!({ "$ref": "#/$defs/Id" });
    };
    a_keyword_that_is_not_compared: breaking "price" [
        "`extra`: `not` changes, and its effect is unknown",
        "- {\"type\":\"null\"}",
        "+ {\"type\":\"string\"}"
    ] |old| {
        *old.at("price", "/properties/extra/not/type") = json!("null");
    };
    the_same_schema_in_place_of_its_definition: compatible "ship" ["the arguments: the schema changes, and accepts the same values"] |old| {
        let place = old.at("ship", "/$defs/place").clone();
        *old.at("ship", "/properties/from") = place;
    };

    // Results.
    a_new_value_in_a_result: breaking "write_report" ["`state` of the result: the value \"final\" is new"] |old| {
        old.tool("write_report")["output_schema"]["properties"]["state"]["enum"] = json!(["draft"]);
    };
    a_removed_value_in_a_result: compatible "write_report" ["`state` of the result: the value \"lost\" is removed"] |old| {
        old.tool("write_report")["output_schema"]["properties"]["state"]["enum"] = json!(["draft", "final", "lost"]);
    };
    a_new_field_of_a_result: compatible "write_report" ["`remark` of the result is a new field"] |old| {
        let schema = &mut old.tool("write_report")["output_schema"];
        schema["properties"].as_object_mut().expect("properties").remove("remark");
        schema["required"].as_array_mut().expect("names").retain(|name| name != "remark");
    };
    a_removed_field_of_a_result: breaking "write_report" ["`pages` of the result is removed"] |old| {
        let schema = &mut old.tool("write_report")["output_schema"];
        schema["properties"]["pages"] = json!({ "type": "integer" });
        schema["required"].as_array_mut().expect("names").push(json!("pages"));
    };
    a_wider_type_of_a_result: breaking "write_report" ["`remark` of the result: the type widens from string to string or null"] |old| {
        old.tool("write_report")["output_schema"]["properties"]["remark"]["type"] = json!("string");
    };
    a_declared_output_schema: compatible "write_report" ["an output schema is declared"] |old| {
        old.tool("write_report").as_object_mut().expect("a tool").remove("output_schema");
    };
    a_lost_output_schema: breaking "now" ["the output schema is not declared any more"] |old| {
        old.tool("now")["output_schema"] = json!({ "type": "string" });
    };
}
