//! The time to assemble a streamed reply, which must be linear in its bytes.
//!
//! `cargo bench -p tool-runtime --bench stream`

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tool_runtime::serde_json::{self, Value};
use tool_runtime::stream::ReplyAssembler;

const RUNS: usize = 5;

/// The maximum ratio of the time of a chunk in a reply that is 64 times as long. Quadratic time would make it 64.
const BUDGET: f64 = 4.0;

/// The name of a shape, and its chunks by their number.
type Shape = (&'static str, fn(usize) -> Vec<String>);

const SHAPES: [Shape; 4] = [
    ("arguments in pieces of four bytes", |chunks| one_call(chunks, |_| "xxxx")),
    ("endless white space", |chunks| {
        one_call(chunks, |at| if at == 0 { r#"", "more": "# } else { "\n\n\n\n" })
    }),
    ("one call per chunk", |chunks| (0..chunks).map(|index| call(index, "{\\\"n\\\":1}")).collect()),
    ("text in pieces of four bytes", |chunks| (0..chunks).map(|_| delta(r#""content":"word""#)).collect()),
];

fn delta(delta: &str) -> String {
    format!(r#"{{"id":"1","object":"chat.completion.chunk","choices":[{{"index":0,"delta":{{{delta}}}}}]}}"#)
}

fn call(index: usize, arguments: &str) -> String {
    let function = format!(r#"{{"name":"say","arguments":"{arguments}"}}"#);
    delta(&format!(
        r#""tool_calls":[{{"index":{index},"id":"call_{index}","type":"function","function":{function}}}]"#
    ))
}

fn one_call(chunks: usize, piece: impl Fn(usize) -> &'static str) -> Vec<String> {
    let mut all = vec![call(0, r#"{\"text\":\""#)];
    for at in 0..chunks {
        let piece = serde_json::to_string(piece(at)).unwrap_or_default();
        all.push(delta(&format!(r#""tool_calls":[{{"index":0,"function":{{"arguments":{piece}}}}}]"#)));
    }
    all
}

fn assemble(chunks: &[String]) -> usize {
    let mut reply = ReplyAssembler::new();
    let events: usize = chunks.iter().map(|chunk| reply.push(chunk).count()).sum();
    assert!(reply.into_reply().is_ok());
    events
}

/// Parses each chunk, which any assembler must do.
fn parse(chunks: &[String]) -> usize {
    chunks.iter().filter(|chunk| black_box(serde_json::from_str::<Value>(chunk)).is_ok()).count()
}

/// The median time of several runs, per chunk.
fn time_per_chunk(chunks: &[String], work: fn(&[String]) -> usize) -> Duration {
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..RUNS {
        let started = Instant::now();
        black_box(work(black_box(chunks)));
        times.push(started.elapsed());
    }
    times.sort();
    times[RUNS / 2] / u32::try_from(chunks.len()).unwrap_or(u32::MAX)
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "medians of {RUNS} runs, per chunk; ratio to the shortest reply, and ratio to parsing the chunks as values"
    );
    let mut is_within = true;
    for (shape, chunks) in SHAPES {
        println!("{shape}");
        let mut smallest = None;
        for number in [1 << 12, 1 << 15, 1 << 18] {
            let chunks = chunks(number);
            let (assembled, parsed) = (time_per_chunk(&chunks, assemble), time_per_chunk(&chunks, parse));
            let smallest = *smallest.get_or_insert(assembled);
            let ratio = |other: Duration| assembled.as_secs_f64() / other.as_secs_f64();
            is_within &= ratio(smallest) <= BUDGET;
            let nanoseconds = assembled.as_nanos();
            println!("{number:8} chunks: {nanoseconds:5} ns  {:.2}  {:.2}", ratio(smallest), ratio(parsed));
        }
    }
    println!("a chunk of the longest reply, to one of the shortest: at most {BUDGET}");
    if is_within { Ok(()) } else { Err("the time is not linear in the bytes of a reply".into()) }
}
