//! Arguments in undocumented forms.

use super::{OSLO, ROME, rome, rome_and_oslo};
use crate::{assembled, called, calls, event_log, finish};
use serde_json::{Value, json};

#[test]
fn arguments_are_an_object() {
    let call = |arguments: Value| json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": arguments } });
    let chunks = [calls(&[call(json!({ "city": "Rome" }))]), finish("tool_calls")];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert_eq!(event_log(chunks)[2], format!("0 complete get_weather({ROME})"));
    // An empty object may be a placeholder for arguments that follow.
    let chunks = [calls(&[call(json!({}))]), finish("tool_calls")];
    assert_eq!(
        event_log(chunks),
        ["0 started get_weather", "0 complete get_weather({})", "finished tool_calls"]
    );
    // Repeated arguments belong to the same call.
    let chunks = [
        calls(&[call(json!({ "city": "Rome" }))]),
        calls(&[call(json!({ "city": "Rome" }))]),
        finish("stop"),
    ];
    assert_eq!(called(chunks), rome("a"));
    // An object after incomplete text starts another call.
    let chunks = [calls(&[call(json!("{\"ci"))]), calls(&[call(json!({ "city": "Rome" }))]), finish("stop")];
    assert_eq!(called(chunks), [["a", "get_weather", "{\"ci"], ["", "get_weather", ROME]]);
    // A different object starts another call, unless the text so far was an empty object.
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
fn arguments_are_null_empty_or_missing() {
    for function in [
        json!({ "name": "now", "arguments": null }),
        json!({ "name": "now", "arguments": "" }),
        json!({ "name": "now" }),
    ] {
        let chunks = [calls(&[json!({ "index": 0, "id": "a", "function": function })]), finish("tool_calls")];
        assert_eq!(called(chunks.clone()), [["a", "now", "{}"]]);
        assert_eq!(event_log(chunks), ["0 started now", "finished tool_calls", "0 complete now({})"]);
    }
}

#[test]
fn arguments_of_two_calls_are_concatenated() {
    // In one piece.
    let glued = json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": format!("{ROME}{OSLO}") } });
    assert_eq!(called([calls(&[glued]), finish("stop")]), rome_and_oslo(["a", ""]));
    // In two pieces, without a sign that the second one starts another call.
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]),
        calls(&[json!({ "index": 0, "function": { "name": "", "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "function": { "name": "", "arguments": "{\"city\"" } })]),
        calls(&[json!({ "index": 0, "function": { "name": "", "arguments": ":\"Oslo\"}" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["a", ""]));
    // Each piece has the id.
    let piece = |piece: &str| {
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": piece } })])
    };
    let chunks = [piece(ROME), piece("{\"city\""), piece(":\"Oslo\"}"), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", ""]));
    let piece = |piece: &str| {
        calls(&[json!({ "id": "a", "function": { "name": "get_weather", "arguments": piece } })])
    };
    let chunks = [piece(ROME), piece("{\"city\""), piece(":\"Oslo\"}"), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", ""]), "even without an index");
    // The name comes late.
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": OSLO } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), [["a", "", ROME], ["", "", OSLO]]);
}

#[test]
fn an_empty_object_comes_before_the_arguments() {
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
    // In the same piece as the arguments.
    let both = json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": format!("{{}}{ROME}") } });
    assert_eq!(called([calls(&[both]), finish("stop")]), rome("a"));
}

#[test]
fn arguments_are_repeated_after_the_pieces() {
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
fn text_after_the_arguments_is_ignored() {
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
        serde_json::to_value(&reply.tool_calls[0]).expect("the call serializes"),
        json!({ "id": "a", "type": "custom", "custom": { "name": "run", "input": "{} {1} x" } })
    );
}
