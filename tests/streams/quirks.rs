//! What servers do otherwise than documented, each by its name.

use crate::{assembled, called, calls, delta, finish, told, whole};
use serde_json::{Value, json};
use tool_runtime::stream::{Chunk, ReplyAssembler};

const ROME: &str = r#"{"city":"Rome"}"#;
const OSLO: &str = r#"{"city":"Oslo"}"#;

/// What `Rome`, and then `Oslo`, are asked for with.
fn rome_and_oslo(ids: [&str; 2]) -> Vec<[String; 3]> {
    vec![[ids[0], "get_weather", ROME].map(str::to_owned), [ids[1], "get_weather", OSLO].map(str::to_owned)]
}

fn rome(id: &str) -> Vec<[String; 3]> {
    vec![[id, "get_weather", ROME].map(str::to_owned)]
}

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
    assert_eq!(told(chunks)[0], "0 started get_weather", "events count the calls of the reply");
}

#[test]
fn one_index_stands_for_several_ids() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "id": "b", "function": { "name": "get_weather", "arguments": OSLO } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
    // In pieces, each with its id.
    let piece = |id: &str, name: &str, piece: &str| json!({ "index": 0, "id": id, "function": { "name": name, "arguments": piece } });
    let chunks = [
        calls(&[piece("a", "get_weather", "{\"city\"")]),
        calls(&[piece("b", "get_weather", "{\"city\"")]),
        calls(&[piece("a", "", ":\"Rome\"}")]),
        calls(&[piece("b", "", ":\"Oslo\"}")]),
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
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "call_0"]));
    // And the same index.
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
fn each_piece_has_an_id_of_its_own() {
    let piece =
        |id: &str, piece: &str| calls(&[json!({ "index": 0, "id": id, "function": { "arguments": piece } })]);
    for begun in ["{", ""] {
        let first =
            json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": begun } });
        let (more, last) = (piece("b", &ROME[begun.len()..8]), piece("c", &ROME[8..]));
        assert_eq!(called([calls(&[first]), more, last, piece("d", ""), finish("tool_calls")]), rome("a"));
    }
    // And the name, too.
    let piece = |id: &str, piece: &str| {
        calls(&[json!({ "index": 0, "id": id, "function": { "name": "get_weather", "arguments": piece } })])
    };
    let chunks = [piece("a", "{"), piece("b", "\"city\""), piece("c", ":\"Rome\"}"), finish("tool_calls")];
    assert_eq!(called(chunks), rome("a"));
}

#[test]
fn a_whole_call_is_said_again() {
    for again in [json!("{ \"city\" : \"Rome\" }\n"), json!({ "city": "Rome" })] {
        let again =
            json!({ "index": 0, "id": "call_0", "function": { "name": "get_weather", "arguments": again } });
        let chunks = [calls(&[whole(0, "Rome")]), calls(&[again]), finish("tool_calls")];
        assert_eq!(called(chunks), rome("call_0"), "with other white space, or as an object");
    }
    let chunks = [calls(&[whole(0, "Rome")]), calls(&[whole(0, "Rome")]), finish("tool_calls")];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(told(chunks).iter().filter(|told| told.contains("complete")).count(), 1);
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
        told(chunks)[..2],
        ["0 started get_weather", "0 {\"city\""],
        "and what was known is told then"
    );
}

#[test]
fn the_name_arrives_behind_the_arguments() {
    let chunks = [
        calls(&[json!({ "index": 0, "id": "a", "function": { "arguments": ROME } })]),
        calls(&[json!({ "index": 0, "function": { "name": "get_weather" } })]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert!(told(chunks).contains(&format!("0 complete get_weather({ROME})")));
}

#[test]
fn the_name_comes_in_pieces() {
    let name = |piece: &str| calls(&[json!({ "index": 0, "function": { "name": piece, "arguments": "" } })]);
    let arguments = calls(&[json!({ "index": 0, "id": "a", "function": { "arguments": ROME } })]);
    let chunks = [name("get"), name("_"), name("weather"), arguments.clone(), finish("tool_calls")];
    assert_eq!(called(chunks), rome("a"), "the id arrives late, too");
    let chunks = [name("get"), name("get_"), name("get_weather"), arguments, finish("tool_calls")];
    assert_eq!(called(chunks), rome("a"), "each piece has what was before");
}

#[test]
fn a_whole_call_comes_in_one_delta_with_the_finish_reason() {
    let chunk = json!({ "choices": [{
        "index": 0,
        "delta": { "role": "assistant", "content": "", "tool_calls": [whole(0, "Rome")] },
        "finish_reason": "tool_calls",
    }] });
    assert_eq!(called([chunk.clone()]), rome("call_0"));
    assert_eq!(told([chunk]).last().map(String::as_str), Some("finished tool_calls"));
}

#[test]
fn several_pieces_of_one_call_come_in_one_chunk() {
    let piece =
        |piece: &str| json!({ "index": 0, "id": null, "function": { "name": null, "arguments": piece } });
    let first = json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": "{" } });
    let chunks = [
        calls(&[first, piece("\"ci"), piece("ty\""), piece(":")]),
        calls(&[piece("\"Rome\""), piece("}")]),
        finish("stop"),
    ];
    assert_eq!(called(chunks.clone()), rome("a"));
    assert_eq!(told(chunks)[..5], ["0 started get_weather", "0 {", "0 {\"ci", "0 {\"city\"", "0 {\"city\":"]);
}

#[test]
fn two_calls_come_in_one_chunk() {
    let chunks = [calls(&[whole(0, "Rome"), whole(1, "Oslo")]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "call_1"]));
    let without_index = |id: &str, arguments: &str| json!({ "id": id, "function": { "name": "get_weather", "arguments": arguments } });
    let chunks = [calls(&[without_index("a", ROME), without_index("b", OSLO)]), finish("tool_calls")];
    assert_eq!(called(chunks), rome_and_oslo(["a", "b"]));
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
fn the_index_is_a_text_or_something_else() {
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
fn what_is_of_another_kind_than_documented_does_not_end_the_reply() {
    for chunk in [
        r#"{"choices":[{"index":0,"delta":[]}]}"#,
        r#"{"choices":[{"index":0,"delta":""}]}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":[{"index":"0","delta":{"tool_calls":""}}]}"#,
        r#"{"choices":[{"index":0.0,"delta":{"tool_calls":{}},"finish_reason":false}]}"#,
        r#"{"choices":[{"delta":{}}],"choices":[{"delta":{}}]}"#,
        "\u{feff}{\"choices\":[]}",
        "null",
    ] {
        let chunks =
            [chunk.to_owned(), delta(json!({ "content": "Hi" })).to_string(), finish("stop").to_string()];
        assert_eq!(told(chunks), ["text Hi", "finished stop"], "{chunk}");
    }
    let number = r#"{"choices":[{"delta":{"content":5,"tool_calls":{"id":"a","function":{"name":"get_weather","arguments":{"city":"Rome"}}}}}]}"#;
    let reply = assembled([number.to_owned(), finish("stop").to_string()]);
    assert_eq!(reply.content.as_deref(), Some("5"));
    assert_eq!(reply.tool_calls[0].arguments, ROME);
}

#[test]
fn several_chunks_come_as_a_list() {
    let chunks = json!([calls(&[whole(0, "Rome")]), calls(&[whole(1, "Oslo")]), finish("stop")]);
    assert_eq!(called([chunks.to_string()]), rome_and_oslo(["call_0", "call_1"]));
    assert_eq!(called([chunks]), rome_and_oslo(["call_0", "call_1"]));
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
fn another_name_is_another_call_whatever_else_is_the_same() {
    for id in ["a", ""] {
        let piece = |name: &str, piece: &str| {
            calls(&[json!({ "index": 0, "id": id, "function": { "name": name, "arguments": piece } })])
        };
        let chunks = [piece("get_weather", ROME), piece("now", "{\"zone\":1}"), finish("stop")];
        assert_eq!(called(chunks), [[id, "get_weather", ROME], [id, "now", "{\"zone\":1}"]]);
    }
    // The first of them has no end, and is not run.
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
fn the_name_comes_again_behind_a_whole_call() {
    // With its index, it is said again.
    let head =
        |index: Value| calls(&[json!({ "index": index, "function": { "name": "now", "arguments": "" } })]);
    let whole = |index: Value| {
        calls(&[json!({ "index": index, "function": { "name": "now", "arguments": "{\"zone\":1}" } })])
    };
    let chunks = [whole(json!(0)), head(json!(0)), finish("stop")];
    assert_eq!(called(chunks), [["", "now", "{\"zone\":1}"]]);
    // Without one, it begins a call.
    let chunks = [whole(json!(null)), head(json!(null)), finish("stop")];
    assert_eq!(called(chunks), [["", "now", "{\"zone\":1}"], ["", "now", "{}"]]);
}

#[test]
fn two_calls_have_the_same_id_and_come_by_turns() {
    let head = |index: usize| json!({ "index": index, "id": "call_0", "function": { "name": "get_weather", "arguments": "" } });
    let piece = |index: usize, piece: &str| json!({ "index": index, "id": "call_0", "function": { "arguments": piece } });
    let chunks = [
        calls(&[head(0), head(1)]),
        calls(&[piece(0, "{\"city\""), piece(1, "{\"city\"")]),
        calls(&[piece(0, ":\"Rome\"}"), piece(1, ":\"Oslo\"}")]),
        finish("tool_calls"),
    ];
    assert_eq!(called(chunks), rome_and_oslo(["call_0", "call_0"]));
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
fn what_stands_behind_the_arguments_is_left_out() {
    let piece = |piece: &str| {
        calls(&[json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": piece } })])
    };
    assert_eq!(called([piece(ROME), piece("}"), piece(" \n"), finish("tool_calls")]), rome("a"));
    assert_eq!(called([piece(&format!("{ROME}}}\n")), finish("tool_calls")]), rome("a"));
}

#[test]
fn there_are_no_choices() {
    let chunks = [
        json!({ "choices": [], "prompt_filter_results": [] }),
        json!({ "choices": null, "object": "chat.completion.chunk" }),
        json!({ "type": "ping" }),
        "".into(),
        delta(json!({ "content": "Hi" })),
        json!({ "choices": [{ "index": 0, "delta": null, "finish_reason": "stop" }] }),
        json!({ "choices": [], "usage": { "total_tokens": 3 } }),
        json!({ "usage": { "total_tokens": 3 } }),
    ];
    assert_eq!(told(chunks.clone()), ["text Hi", "finished stop"]);
    assert_eq!(assembled(chunks).content.as_deref(), Some("Hi"));
}

#[test]
fn the_finish_reason_is_repeated() {
    let chunks = [calls(&[whole(0, "Rome")]), finish("tool_calls"), finish("tool_calls"), finish("")];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(told(chunks).iter().filter(|told| told.starts_with("finished")).count(), 1);
}

#[test]
fn the_finish_reason_comes_with_each_piece() {
    let piece = |piece: &str| {
        let call =
            json!({ "index": 0, "id": "a", "function": { "name": "get_weather", "arguments": piece } });
        json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] })
    };
    assert_eq!(called([piece(""), piece("{\"city\""), piece(":\"Rome\"}")]), rome("a"));
}

#[test]
fn the_finish_reason_is_something_else_than_text() {
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": "Hi" }, "finish_reason": 7 }] });
    let reply = assembled([chunk]);
    assert_eq!((reply.content.as_deref(), reply.finish_reason()), (Some("Hi"), None));
}

#[test]
fn a_finish_reason_that_says_cut_short_counts_whenever_it_comes() {
    for reasons in [["length", "tool_calls"], ["tool_calls", "length"]] {
        let reply = assembled([calls(&[whole(0, "Rome")]), finish(reasons[0]), finish(reasons[1])]);
        assert_eq!(reply.finish_reason(), Some("length"));
    }
    assert_eq!(assembled([finish("stop"), finish("tool_calls")]).finish_reason(), Some("stop"));
}

#[test]
fn there_is_no_finish_reason() {
    let chunks = [calls(&[whole(0, "Rome")])];
    assert_eq!(called(chunks.clone()), rome("call_0"));
    assert_eq!(assembled(chunks).finish_reason(), None);
    // The end of the stream is said all the same.
    let now = json!({ "index": 0, "id": "a", "function": { "name": "now", "arguments": "" } });
    assert_eq!(
        told([calls(&[now]), "[DONE]".into()]),
        ["0 started now", "0 complete now({})", "finished without a reason"]
    );
}

#[test]
fn only_the_choice_that_comes_first_is_read() {
    let choice =
        |index: usize, text: &str| json!({ "choices": [{ "index": index, "delta": { "content": text } }] });
    let chunks = [choice(1, "Yes"), choice(0, "No"), choice(1, ".")];
    assert_eq!(assembled(chunks).content.as_deref(), Some("Yes."));
}

#[test]
fn the_server_does_not_stream() {
    let response = json!({ "object": "chat.completion", "choices": [{
        "index": 0,
        "message": { "role": "assistant", "content": "Look.", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "get_weather", "arguments": ROME } }] },
        "finish_reason": "tool_calls",
    }] });
    assert_eq!(called([response.clone()]), rome("a"));
    assert_eq!(told([response])[0], "text Look.");
    // Where the pieces came, the whole behind them adds nothing.
    let behind = json!({ "choices": [{ "index": 0, "message": { "role": "assistant", "content": "Hi" }, "finish_reason": "stop" }] });
    assert_eq!(assembled([delta(json!({ "content": "Hi" })), behind.clone()]).content.as_deref(), Some("Hi"));
    // Beside a delta that brings nothing, it is the reply.
    assert_eq!(assembled([delta(json!({ "content": "" })), behind]).content.as_deref(), Some("Hi"));
    let beside = json!({ "choices": [{ "delta": {}, "message": { "content": "Hi" } }] });
    assert_eq!(assembled([beside]).content.as_deref(), Some("Hi"));
}

#[test]
fn a_piece_that_says_nothing_begins_no_call() {
    let chunks = [
        calls(&[json!(null), json!({}), json!({ "index": 0, "type": "function", "function": {} })]),
        finish("stop"),
    ];
    assert_eq!(called(chunks), Vec::<[String; 3]>::new());
}

#[test]
fn an_id_is_a_number() {
    let call = json!({ "index": 0, "id": 7, "function": { "name": "get_weather", "arguments": ROME } });
    assert_eq!(called([calls(&[call]), finish("stop")]), rome("7"));
}

#[test]
fn a_call_of_a_custom_tool_has_its_input_in_pieces() {
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

#[test]
fn chunks_come_in_the_types_of_clients() {
    #[derive(serde::Serialize)]
    struct Theirs {
        choices: Vec<Value>,
    }
    let theirs =
        Theirs { choices: vec![json!({ "index": 0, "delta": { "tool_calls": [whole(0, "Rome")] } })] };
    let read: Chunk = serde_json::from_value(finish("tool_calls")).expect("it is a chunk");
    let mut reply = ReplyAssembler::new();
    assert_eq!(reply.push(Chunk::of(&theirs)).count(), 3);
    assert_eq!(reply.push(read).count(), 1);
    assert_eq!(reply.finish().expect("it went well").tool_calls.len(), 1);
}
