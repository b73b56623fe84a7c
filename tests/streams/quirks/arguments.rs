//! Arguments, in whatever form they come.

use super::{OSLO, ROME, rome, rome_and_oslo};
use crate::{assembled, called, calls, finish, told};
use serde_json::{Value, json};

#[test]
fn arguments_are_an_object() {
    let call = |arguments: Value| json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": arguments } });
    let chunks = [calls(&[call(json!({ "city": "Rome" }))]), finish("tool_calls")];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert_eq!(told(chunks)[2], format!("0 complete get_weather({ROME})"));
    // An empty one may stand in front of the arguments.
    let chunks = [calls(&[call(json!({}))]), finish("tool_calls")];
    assert_eq!(told(chunks), ["0 started get_weather", "0 complete get_weather({})", "finished tool_calls"]);
    // Said again, it is the same call.
    let chunks = [
        calls(&[call(json!({ "city": "Rome" }))]),
        calls(&[call(json!({ "city": "Rome" }))]),
        finish("stop"),
    ];
    assert_eq!(called(chunks), rome("a"));
    // Behind half of a text, it is another call.
    let chunks = [calls(&[call(json!("{\"ci"))]), calls(&[call(json!({ "city": "Rome" }))]), finish("stop")];
    assert_eq!(called(chunks), [["a", "get_weather", "{\"ci"], ["", "get_weather", ROME]]);
    // Another one is another call, unless what was there was an empty text of an object.
    let chunks = [
        calls(&[call(json!({ "city": "Rome" }))]),
        calls(&[call(json!({ "city": "Oslo" }))]),
        finish("stop"),
    ];
    assert_eq!(called(chunks)[1][2], OSLO);
    let chunks = [calls(&[call(json!("{}"))]), calls(&[call(json!({ "city": "Rome" }))]), finish("stop")];
    assert_eq!(called(chunks), rome("a"));
}

#[test]
fn name_and_arguments_have_no_function_around_them() {
    let call = json!({ "index": 0, "id": "a", "type": "function", "name": "get_weather", "arguments": "{\"city\":" });
    let more = json!({ "index": 0, "arguments": "\"Rome\"}" });
    assert_eq!(called([calls(&[call]), calls(&[more]), finish("stop")]), rome("a"));
}

#[test]
fn arguments_are_null_or_empty_or_never_there() {
    for function in [
        json!({ "name": "now", "arguments": null }),
        json!({ "name": "now", "arguments": "" }),
        json!({ "name": "now" }),
    ] {
        let chunks = [calls(&[json!({ "index": 0, "id": "a", "function": function })]), finish("tool_calls")];
        assert_eq!(called(chunks.clone()), [["a", "now", "{}"]]);
        assert_eq!(told(chunks), ["0 started now", "finished tool_calls", "0 complete now({})"]);
    }
}

#[test]
fn arguments_of_two_calls_come_behind_one_another() {
    // In one piece.
    let glued = json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": format!("{ROME}{OSLO}") } });
    assert_eq!(called([calls(&[glued]), finish("stop")]), rome_and_oslo(["a", ""]));
    // In two, the second of which is not said to be another call.
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]),
        calls(&[json!({ "index": 0, "function": { "name": "", "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "function": { "name": "", "arguments": "{\"city\"" } })]),
        calls(&[json!({ "index": 0, "function": { "name": "", "arguments": ":\"Oslo\"}" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["a", ""]));
    // And each piece has the id.
    let piece = |piece: &str| {
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": piece } })])
    };
    let chunks = [piece(ROME), piece("{\"city\""), piece(":\"Oslo\"}"), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", "a"]));
    let piece = |piece: &str| {
        calls(&[json!({ "id": "a", "function": { "name": "get_weather", "arguments": piece } })])
    };
    let chunks = [piece(ROME), piece("{\"city\""), piece(":\"Oslo\"}"), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", "a"]), "without an index, too");
    // And the name comes late.
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": OSLO } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), [["a", "", ROME], ["", "", OSLO]]);
}

#[test]
fn an_empty_object_stands_in_front_of_the_arguments() {
    for nothing in [json!({}), json!("{}"), json!("{ \n}")] {
        let chunks = [
            calls(&[
                json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": nothing } }),
            ]),
            calls(&[json!({ "index": 0, "function": { "arguments": ROME } })]),
            finish("tool_calls"),
        ];
        assert_eq!(called(chunks), rome("a"));
    }
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "{}" } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": "{\"city\"" } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": ":\"Rome\"}" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome("a"));
    // In one piece with them.
    let both = json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": format!("{{}}{ROME}") } });
    assert_eq!(called([calls(&[both]), finish("stop")]), rome("a"));
}

#[test]
fn arguments_are_said_again_without_a_head_or_with_none_behind_them() {
    let head =
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]);
    let piece = |arguments: Value| calls(&[json!({ "index": 0, "function": { "arguments": arguments } })]);
    for again in
        [json!(ROME), json!(" { \"city\" : \"Rome\" }"), json!({ "city": "Rome" }), json!("{}"), json!({})]
    {
        let chunks = [head.clone(), piece(json!(ROME)), piece(again.clone()), finish("stop")];
        assert_eq!(called(chunks), rome("a"), "{again}");
    }
    let glued = piece(json!(format!("{ROME}{ROME}{OSLO}{OSLO}")));
    assert_eq!(called([head, glued, finish("stop")]), rome_and_oslo(["a", ""]));
}

#[test]
fn what_stands_behind_the_arguments_is_left_out() {
    let piece = |piece: &str| {
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": piece } })])
    };
    assert_eq!(called([piece(ROME), piece("}"), piece(" \n"), finish("tool_calls")]), rome("a"));
    assert_eq!(called([piece(&format!("{ROME}}}\n")), finish("tool_calls")]), rome("a"));
}

#[test]
fn a_call_of_a_custom_tool_has_its_input_in_pieces() {
    let none = json!({ "index": 0, "id": "a", "type": "custom", "custom": { "name": "run" } });
    assert_eq!(
        called([calls(&[none]), finish("tool_calls")]),
        [["a", "run", ""]],
        "no object is made of nothing"
    );
    let piece = |piece: &str| json!({ "index": 0, "custom": { "input": piece } });
    let first = json!({ "index": 0, "id": "a", "type": "custom", "custom": { "name": "run", "input": "" } });
    let reply =
        assembled([calls(&[first]), calls(&[piece("{}"), piece(" {1} "), piece("x")]), finish("tool_calls")]);
    assert_eq!(reply.tool_calls[0].name, "run");
    assert_eq!(reply.tool_calls[0].arguments, "{} {1} x");
    assert_eq!(
        serde_json::to_value(&reply.tool_calls[0]).expect("it is JSON"),
        json!({ "id": "a", "type": "custom", "custom": { "name": "run", "input": "{} {1} x" } })
    );
}
