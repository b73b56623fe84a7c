//! Assignment of pieces to calls.

use super::{OSLO, ROME, rome, rome_and_oslo};
use crate::{called, calls, complete_call, event_log, finish};
use serde_json::{Value, json};

#[test]
fn index_and_type_are_missing() {
    let chunks = [
        calls(&[json!({ "id": "a", "function": { "name": "get_weather", "arguments": ROME } })]),
        calls(&[json!({ "id": "b", "function": { "name": "get_weather", "arguments": "{\"city\"" } })]),
        calls(&[json!({ "function": { "arguments": ":\"Oslo\"}" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
}

#[test]
fn the_first_index_is_1() {
    let chunks = [
        calls(&[json!({ "index": 1, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]),
        calls(&[json!({ "index": 1, "function": { "arguments": ROME } })]),
        calls(&[json!({ "index": 2, "id": "b", "function": { "name": "get_weather", "arguments": "" } })]),
        calls(&[json!({ "index": 2, "function": { "arguments": OSLO } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks.clone()), rome_and_oslo(["a", "b"]));
    assert_eq!(event_log(chunks)[0], "0 started get_weather", "events count the calls of the reply");
}

#[test]
fn several_ids_share_one_index() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "id": "b", "function": { "name": "get_weather", "arguments": OSLO } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
    // In pieces, each with the id of its call.
    let piece = |id: &str, name: &str, piece: &str| {
        calls(&[json!({ "index": 0, "id": id, "function": { "name": name, "arguments": piece } })])
    };
    let chunks = [
        piece("a", "get_weather", "{\"city\""),
        piece("b", "now", ""),
        piece("a", "", ":\"Rome\"}"),
        piece("b", "", "{\"zone\":1}"),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), [["a", "get_weather", ROME], ["b", "now", "{\"zone\":1}"]]);
    // The head of a call of the same tool, followed by its arguments.
    let chunks = [
        piece("a", "get_weather", ""),
        piece("", "", ROME),
        piece("b", "get_weather", ""),
        piece("", "", OSLO),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
}

#[test]
fn several_calls_without_arguments_share_one_index() {
    let now = |id: &str| json!({ "index": 0, "id": id, "function": { "name": "now", "arguments": "" } });
    let called = called([calls(&[now("a")]), calls(&[now("b")]), finish("tool_calls")]);
    assert_eq!(called, [["a", "now", "{}"], ["b", "now", "{}"]]);
}

#[test]
fn calls_share_one_index_and_have_no_id() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "", "function": { "name": "get_weather", "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "id": "", "function": { "name": "get_weather", "arguments": OSLO } })]),
        calls(&[json!({ "index": 0, "id": "", "function": { "name": "now", "arguments": "{}" } })]),
        finish("stop"),
    ];
    let mut expected = rome_and_oslo(["", ""]);
    expected.push(["", "now", "{}"].map(str::to_owned));
    assert_eq!(called(chunks), expected);
}

#[test]
fn two_calls_have_the_same_id() {
    let call = |index, arguments: &str| json!({ "index": index, "id": "call_0", "function": { "name": "get_weather", "arguments": arguments } });
    let chunks = [calls(&[call(0, ROME)]), calls(&[call(1, OSLO)]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", ""]));
    // The same id and the same index.
    let chunks = [calls(&[call(0, ROME)]), calls(&[call(0, OSLO)]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", ""]));
}

#[test]
fn id_and_name_are_repeated_in_each_piece() {
    for id in ["a", ""] {
        let piece = |piece: &str| {
            calls(&[
                json!({ "index": 0, "id": id, "type": "function", "function": { "name": "get_weather", "arguments": piece } }),
            ])
        };
        let chunks = [piece(""), piece("{\"city\""), piece(":\"Rome\""), piece("}"), finish("tool_calls")];
        assert_eq!(called(chunks), rome(id));
    }
}

#[test]
fn id_and_name_are_null_or_empty_in_later_pieces() {
    for nothing in [json!(null), json!("")] {
        let first = json!({ "index": 0, "id": "a", "type": "function", "function": { "name": "get_weather", "arguments": "{\"city\"" } });
        let later = json!({ "index": 0, "id": nothing, "type": null, "function": { "name": nothing, "arguments": ":\"Rome\"}" } });
        assert_eq!(called([calls(&[first]), calls(&[later]), finish("tool_calls")]), rome("a"));
    }
}

#[test]
fn each_piece_has_a_different_id() {
    let piece =
        |id: &str, piece: &str| calls(&[json!({ "index": 0, "id": id, "function": { "arguments": piece } })]);
    for begun in ["{", ""] {
        let first =
            json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": begun } });
        let (more, last) = (piece("b", &ROME[begun.len()..8]), piece("c", &ROME[8..]));
        assert_eq!(called([calls(&[first]), more, last, piece("d", ""), finish("tool_calls")]), rome("a"));
    }
    // Each piece also has the name, as with vLLM and a tool choice; the last piece is empty.
    let piece = |id: &str, piece: &str| {
        calls(&[json!({ "index": 0, "id": id, "function": { "name": "get_weather", "arguments": piece } })])
    };
    let chunks =
        [piece("a", "{"), piece("b", "\"city\""), piece("c", ":\"Rome\"}"), piece("d", ""), finish("stop")];
    assert_eq!(called(chunks), rome("a"));
    let chunks =
        [piece("a", ""), piece("b", "{\"city\""), piece("c", ""), piece("d", ":\"Rome\"}"), piece("e", "\n")];
    assert_eq!(called(chunks), rome("a"));
    let nested = [piece("a", "{\"in\":"), piece("b", "{\"city\":1}"), piece("c", "}"), finish("stop")];
    assert_eq!(called(nested), [["a", "get_weather", "{\"in\":{\"city\":1}}"]]);
}

#[test]
fn a_head_after_a_complete_call_of_the_tool_is_a_call_once_it_has_arguments() {
    let head =
        calls(&[json!({ "index": 0, "id": "b", "function": { "name": "get_weather", "arguments": "" } })]);
    let of_index =
        |index: usize| json!({ "index": index, "function": { "name": "get_weather", "arguments": OSLO } });
    let chunks = [calls(&[complete_call(0, "Rome")]), head.clone(), calls(&[of_index(0)]), finish("stop")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "b"]));
    let chunks = [calls(&[complete_call(0, "Rome")]), head.clone(), calls(&[of_index(1)]), finish("stop")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", ""]), "these arguments do not belong to the head");
    let chunks =
        [calls(&[complete_call(0, "Rome")]), head, calls(&[complete_call(0, "Oslo")]), finish("stop")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", ""]), "neither do these, which have another id");
}

#[test]
fn a_complete_call_is_repeated() {
    for again in [json!("{ \"city\" : \"Rome\" }\n"), json!({ "city": "Rome" })] {
        let again =
            json!({ "index": 0, "id": "call_0", "function": { "name": "get_weather", "arguments": again } });
        let chunks = [calls(&[complete_call(0, "Rome")]), calls(&[again]), finish("tool_calls")];
        assert_eq!(called(chunks), rome("call_0"), "with other white space, or as an object");
    }
    let chunks =
        [calls(&[complete_call(0, "Rome")]), calls(&[complete_call(0, "Rome")]), finish("tool_calls")];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(event_log(chunks).iter().filter(|event| event.contains("complete")).count(), 1);
}

#[test]
fn the_name_arrives_late() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "type": "function" })]),
        calls(&[json!({ "index": 0, "function": { "arguments": "{\"city\"" } })]),
        calls(&[json!({ "index": 0, "function": { "name": "get_weather" } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": ":\"Rome\"}" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert_eq!(
        event_log(chunks)[..2],
        ["0 started get_weather", "0 {\"city\""],
        "the events of the known parts come then"
    );
}

#[test]
fn the_name_arrives_after_the_arguments() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "function": { "name": "get_weather" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert!(event_log(chunks).contains(&format!("0 complete get_weather({ROME})")));
    // For the second call.
    let chunks = [
        calls(&[complete_call(0, "Rome")]),
        calls(&[json!({ "index": 1, "function": { "arguments": OSLO } })]),
        calls(&[json!({ "index": 1, "id": "b", "function": { "name": "get_weather" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "b"]));
}

#[test]
fn the_name_comes_in_pieces() {
    let name = |piece: &str| calls(&[json!({ "index": 0, "function": { "name": piece, "arguments": "" } })]);
    let arguments = calls(&[json!({ "index": 0, "id": "a", "function": { "arguments": ROME } })]);
    let chunks = [name("get"), name("_"), name("weather"), arguments.clone(), finish("tool_calls")];
    assert_eq!(called(chunks), rome("a"), "even if the id arrives late");
    let chunks = [name("get"), name("get_"), name("get_weather"), arguments, finish("tool_calls")];
    assert_eq!(called(chunks), rome("a"), "even if each piece repeats the name so far");
}

#[test]
fn another_name_with_arguments_is_another_call() {
    let now = calls(&[json!({ "index": 0, "function": { "name": "now", "arguments": "" } })]);
    let weather = calls(&[json!({ "index": 0, "function": { "name": "get_weather", "arguments": ROME } })]);
    assert_eq!(called([now, weather, finish("stop")]), [["", "now", "{}"], ["", "get_weather", ROME]]);
}

#[test]
fn two_calls_without_index_and_id_come_one_after_the_other() {
    let call = |name: &str, arguments: &str| json!({ "function": { "name": name, "arguments": arguments } });
    let chunks = [calls(&[call("get_weather", ROME)]), calls(&[call("now", "{}")]), finish("tool_calls")];
    assert_eq!(called(chunks), [["", "get_weather", ROME], ["", "now", "{}"]]);
    let chunks = [calls(&[call("now", "")]), calls(&[call("today", "")]), finish("tool_calls")];
    assert_eq!(called(chunks), [["", "now", "{}"], ["", "today", "{}"]]);
}

#[test]
fn the_index_is_a_string_or_another_type() {
    let piece =
        |index: Value, piece: &str| calls(&[json!({ "index": index, "function": { "arguments": piece } })]);
    for index in [json!("0"), json!(0), json!(null), json!({})] {
        let call =
            json!({ "index": index, "id": "a", "function": { "name": "get_weather", "arguments": "" } });
        let chunks =
            [calls(&[call]), piece(index.clone(), "{\"city\""), piece(index, ":\"Rome\"}"), finish("stop")];
        assert_eq!(called(chunks), rome("a"));
    }
}

#[test]
fn the_pieces_of_a_call_have_another_index_than_its_head() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]),
        calls(&[json!({ "index": 1, "function": { "arguments": "{\"city\"" } })]),
        calls(&[json!({ "index": 1, "function": { "arguments": ":\"Rome\"}" } })]),
        calls(&[json!({ "index": 2, "function": { "arguments": "\n" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome("a"));
}

#[test]
fn only_later_pieces_have_an_index() {
    let chunks = [
        calls(&[json!({ "id": "a", "function": { "name": "get_weather", "arguments": "" } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": "{\"city\"" } })]),
        calls(&[json!({ "index": 0, "function": { "arguments": ":\"Rome\"}" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome("a"));
}

#[test]
fn the_index_changes_in_a_call_that_keeps_its_id() {
    let piece = |index: usize, piece: &str| {
        calls(&[json!({ "index": index, "id": "a", "function": { "arguments": piece } })])
    };
    let call =
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "" } })]);
    assert_eq!(called([call, piece(1, "{\"city\""), piece(2, ":\"Rome\"}"), finish("stop")]), rome("a"));
}

#[test]
fn another_name_is_another_call_even_with_the_same_id_and_index() {
    for id in ["a", ""] {
        let piece = |name: &str, piece: &str| {
            calls(&[json!({ "index": 0, "id": id, "function": { "name": name, "arguments": piece } })])
        };
        let chunks = [piece("get_weather", ROME), piece("now", "{\"zone\":1}"), finish("stop")];
        assert_eq!(called(chunks), [[id, "get_weather", ROME], ["", "now", "{\"zone\":1}"]]);
    }
    // The first call is incomplete and does not run.
    let cut = calls(&[json!({ "index": 0, "function": { "name": "get_weather", "arguments": "{\"ci" } })]);
    let now = calls(&[json!({ "index": 0, "function": { "name": "now", "arguments": "{\"zone\":1}" } })]);
    assert_eq!(
        called([cut, now, finish("stop")]),
        [["", "get_weather", "{\"ci"], ["", "now", "{\"zone\":1}"]]
    );
}

#[test]
fn the_first_of_two_calls_of_a_tool_has_no_id() {
    let without = json!({ "index": 0, "function": { "name": "get_weather", "arguments": ROME } });
    let with = json!({ "index": 0, "id": "b", "function": { "name": "get_weather", "arguments": OSLO } });
    assert_eq!(called([calls(&[without]), calls(&[with]), finish("stop")]), rome_and_oslo(["", "b"]));
}

#[test]
fn the_name_is_repeated_after_a_complete_call() {
    // With the index of the call, it is a repetition.
    let head =
        |index: Value| calls(&[json!({ "index": index, "function": { "name": "now", "arguments": "" } })]);
    let whole = |index: Value| {
        calls(&[json!({ "index": index, "function": { "name": "now", "arguments": "{\"zone\":1}" } })])
    };
    let chunks = [whole(json!(0)), head(json!(0)), finish("stop")];
    assert_eq!(called(chunks), [["", "now", "{\"zone\":1}"]]);
    // Without an index, it starts a call.
    let chunks = [whole(json!(null)), head(json!(null)), finish("stop")];
    assert_eq!(called(chunks), [["", "now", "{\"zone\":1}"], ["", "now", "{}"]]);
}

#[test]
fn two_calls_with_the_same_id_come_alternately() {
    let head = |index: usize| json!({ "index": index, "id": "call_0", "function": { "name": "get_weather", "arguments": "" } });
    let piece = |index: usize, piece: &str| json!({ "index": index, "id": "call_0", "function": { "arguments": piece } });
    let chunks = [
        calls(&[head(0), head(1)]),
        calls(&[piece(0, "{\"city\""), piece(1, "{\"city\"")]),
        calls(&[piece(0, ":\"Rome\"}"), piece(1, ":\"Oslo\"}")]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", ""]));
}

#[test]
fn an_id_is_a_number() {
    let call = json!({ "index": 0, "id": 7, "function": { "name": "get_weather", "arguments": ROME } });
    assert_eq!(called([calls(&[call]), finish("stop")]), rome("7"));
}
