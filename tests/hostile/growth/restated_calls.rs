//! One call in many items.

use super::{Row, row};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire;

/// The start of an item of one call.
fn start(input: &str) -> String {
    let call = format!(r#"{{"type":"tool_use","id":"c","name":"f","input":{input}}}"#);
    format!(r#"{{"type":"content_block_start","index":2,"content_block":{call}}}"#)
}

/// A piece of its arguments, which is the text of a JSON string.
fn piece(json: &str) -> String {
    let delta = format!(r#"{{"type":"input_json_delta","partial_json":"{json}"}}"#);
    format!(r#"{{"type":"content_block_delta","index":2,"delta":{delta}}}"#)
}

/// Many items of one call, of which the first has large arguments: in its start, before a piece that follows the end, or in a
/// piece, before items with empty pieces.
fn items_of_one_call(bytes: usize, is_in_start: bool) -> Vec<String> {
    let (large, small) = ("x".repeat(bytes / 2), start("{}"));
    let smalls = std::iter::repeat_n(small.clone(), bytes / 2 / small.len());
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#.to_owned();
    if is_in_start {
        let first = start(&format!(r#"{{"a":"{large}"}}"#));
        return [first].into_iter().chain(smalls).chain([end, piece(r#"{\"a\":\"y"#)]).collect();
    }
    let first = [start("{}"), piece(&format!(r#"{{\"a\":\"{large}\"}}"#))];
    let smalls = smalls.flat_map(|start| [start, piece("")]);
    first.into_iter().chain(smalls).chain([end]).collect()
}

pub(super) fn rows() -> Vec<Row> {
    let rows = [("start", true), ("piece", false)].map(|(name, is_in_start)| {
        row(
            format!("chunk of a stream, items, {name}"),
            move |bytes| items_of_one_call(bytes, is_in_start),
            |events| events.iter().map(String::len).sum(),
            |events| {
                let mut assembler = ReplyAssembler::new().wire(wire::by_name("anthropic").expect("a wire"));
                for event in events {
                    let _ = assembler.push(event).count();
                }
                assert_eq!(assembler.into_reply().expect("a reply").tool_calls.len(), 1);
            },
        )
    });
    rows.into()
}
