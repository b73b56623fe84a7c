//! What a reply in pieces costs: by its bytes, and not by their square.
//!
//! `cargo bench -p tool-runtime --features stream --bench stream`

use std::hint::black_box;
use std::time::{Duration, Instant};
use tool_runtime::serde_json::{self, Value};
use tool_runtime::stream::ReplyAssembler;

const RUNS: usize = 5;

/// A call with arguments of so many bytes, which come in pieces of so many.
fn chunks(bytes: usize, piece: usize) -> Vec<String> {
    let arguments = format!(r#"{{"text":"{}"}}"#, "x".repeat(bytes));
    let call = |call: &str| format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{call}]}}}}]}}"#);
    let mut chunks =
        vec![call(r#"{"index":0,"id":"call_1","type":"function","function":{"name":"say","arguments":""}}"#)];
    for piece in arguments.as_bytes().chunks(piece) {
        let piece = serde_json::to_string(&String::from_utf8_lossy(piece)).unwrap_or_default();
        chunks.push(call(&format!(r#"{{"index":0,"function":{{"arguments":{piece}}}}}"#)));
    }
    chunks.push(r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned());
    chunks
}

fn assemble(chunks: &[String]) -> usize {
    let mut reply = ReplyAssembler::new();
    let events: usize = chunks.iter().map(|chunk| reply.push(chunk).count()).sum();
    assert!(reply.finish().is_ok_and(|reply| reply.tool_calls.len() == 1));
    events
}

/// What cannot be done without: each chunk is parsed.
fn parse(chunks: &[String]) -> usize {
    chunks.iter().filter(|chunk| black_box(serde_json::from_str::<Value>(chunk)).is_ok()).count()
}

/// The median of several runs, by the chunk.
fn by_chunk(chunks: &[String], work: fn(&[String]) -> usize) -> Duration {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..RUNS {
        let begun = Instant::now();
        black_box(work(black_box(chunks)));
        times.push(begun.elapsed());
    }
    times.sort();
    times[RUNS / 2] / u32::try_from(chunks.len()).unwrap_or(u32::MAX)
}

fn main() {
    println!("medians of {RUNS} runs, by the chunk; arguments of one call in pieces of four bytes");
    let mut smallest = None;
    for bytes in [16 << 10, 128 << 10, 1 << 20, 8 << 20] {
        let chunks = chunks(bytes, 4);
        let (assembled, parsed) = (by_chunk(&chunks, assemble), by_chunk(&chunks, parse));
        let smallest = *smallest.get_or_insert(assembled);
        println!(
            "{:5} KiB: {assembled:?}; {:.2} times that of {} KiB, {:.2} times parsing the chunks as values",
            bytes >> 10,
            assembled.as_secs_f64() / smallest.as_secs_f64(),
            16,
            assembled.as_secs_f64() / parsed.as_secs_f64(),
        );
    }
}
