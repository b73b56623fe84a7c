//! The tokens that responses and streams report.

use crate::{list, rows};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tool_runtime::message::{Prices, Usage};
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{
    Anthropic, Bedrock, ChatCompletions, Gemini, GeminiInteractions, Ollama, Responses, Wire,
};

/// Where a wire reports its tokens, as JSON pointers whose counts are summed.
struct Counts {
    wire: &'static dyn Wire,
    usage: &'static str,
    input: &'static [&'static str],
    cached: &'static [&'static str],
    cache_write: &'static [&'static str],
    output: &'static [&'static str],
    reasoning: &'static [&'static str],
}

/// The places of the counts in the format of each provider, without the code of the wires.
fn counts() -> [Counts; 7] {
    [
        Counts {
            wire: Box::leak(Box::new(ChatCompletions::new())),
            usage: "/usage",
            input: &["/prompt_tokens"],
            cached: &["/prompt_tokens_details/cached_tokens"],
            cache_write: &["/prompt_tokens_details/cache_write_tokens"],
            output: &["/completion_tokens"],
            reasoning: &["/completion_tokens_details/reasoning_tokens"],
        },
        Counts {
            wire: Box::leak(Box::new(Anthropic::new())),
            usage: "/usage",
            input: &["/input_tokens", "/cache_read_input_tokens", "/cache_creation_input_tokens"],
            cached: &["/cache_read_input_tokens"],
            cache_write: &["/cache_creation_input_tokens"],
            output: &["/output_tokens"],
            reasoning: &["/output_tokens_details/thinking_tokens"],
        },
        Counts {
            wire: Box::leak(Box::new(Responses::new())),
            usage: "/usage",
            input: &["/input_tokens"],
            cached: &["/input_tokens_details/cached_tokens"],
            cache_write: &["/input_tokens_details/cache_write_tokens"],
            output: &["/output_tokens"],
            reasoning: &["/output_tokens_details/reasoning_tokens"],
        },
        Counts {
            wire: Box::leak(Box::new(Gemini::new())),
            usage: "/usageMetadata",
            input: &["/promptTokenCount", "/toolUsePromptTokenCount"],
            cached: &["/cachedContentTokenCount"],
            cache_write: &[],
            output: &["/candidatesTokenCount", "/thoughtsTokenCount"],
            reasoning: &["/thoughtsTokenCount"],
        },
        Counts {
            wire: Box::leak(Box::new(GeminiInteractions::new())),
            usage: "/usage",
            input: &["/total_input_tokens", "/total_tool_use_tokens"],
            cached: &["/total_cached_tokens"],
            cache_write: &[],
            output: &["/total_output_tokens", "/total_thought_tokens"],
            reasoning: &["/total_thought_tokens"],
        },
        Counts {
            wire: Box::leak(Box::new(Bedrock::new())),
            usage: "/usage",
            input: &["/inputTokens", "/cacheReadInputTokens", "/cacheWriteInputTokens"],
            cached: &["/cacheReadInputTokens"],
            cache_write: &["/cacheWriteInputTokens"],
            output: &["/outputTokens"],
            reasoning: &[],
        },
        Counts {
            wire: Box::leak(Box::new(Ollama::new())),
            usage: "",
            input: &["/prompt_eval_count"],
            cached: &[],
            cache_write: &[],
            output: &["/eval_count"],
            reasoning: &[],
        },
    ]
}

impl Counts {
    /// The counts of a recorded usage: input, cached, written to the cache, output, reasoning.
    fn recorded(&self, usage: &Value) -> [u64; 5] {
        let sum = |places: &[&str]| -> u64 {
            let count = |place: &&str| value_at(usage, place)?.as_u64();
            places.iter().filter_map(count).sum()
        };
        [self.input, self.cached, self.cache_write, self.output, self.reasoning].map(sum)
    }
}

/// The value at this place. Some servers write names in snake case.
fn value_at<'v>(value: &'v Value, place: &str) -> Option<&'v Value> {
    let letters = place.chars().map(|letter| match letter {
        'A'..='Z' => format!("_{}", letter.to_ascii_lowercase()),
        letter => letter.to_string(),
    });
    value.pointer(place).or_else(|| value.pointer(&letters.collect::<String>()))
}

fn read(usage: Usage) -> [u64; 5] {
    let Usage {
        input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, ..
    } = usage;
    [input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens]
}

/// Where the wire of a recorded row reports its tokens.
fn of_row<'c>(counts: &'c [Counts], row: &Value) -> Option<&'c Counts> {
    let name = match row["wire"].as_str() {
        Some("openai-responses") => "responses",
        Some(name) => name,
        None => "chat_completions",
    };
    counts.iter().find(|counts| counts.wire.name() == name)
}

/// The usage of a stream.
fn streamed(wire: &'static dyn Wire, chunks: &[Value]) -> Option<Usage> {
    let mut assembler = ReplyAssembler::new();
    for chunk in chunks {
        assembler.push(wire.read_event(&chunk.to_string()));
    }
    assembler.into_reply().map_or_else(|error| error.partial.usage(), |reply| reply.usage())
}

#[test]
fn every_recorded_response_has_all_of_its_tokens() {
    let counts = counts();
    let mut found: BTreeMap<String, [u64; 6]> = BTreeMap::new();
    let mut add = |name: &str, tokens: [u64; 5]| {
        let sums = found.entry(name.to_owned()).or_default();
        sums[0] += 1;
        sums[1..].iter_mut().zip(tokens).for_each(|(sum, tokens)| *sum += tokens);
    };
    for row in rows::rows("other_wire.jsonl").unwrap_or_default() {
        let (source, response) = (&row["source"], &row["response"]);
        let Some(counts) = of_row(&counts, &row).filter(|_| response.is_object()) else { continue };
        let Some(recorded) = value_at(response, counts.usage).filter(|usage| usage.is_object()) else {
            continue;
        };
        let reply =
            counts.wire.read_reply(&response.to_string()).unwrap_or_else(|error| panic!("{source}: {error}"));
        let tokens = read(reply.usage().unwrap_or_default());
        assert_eq!(tokens, counts.recorded(recorded), "{source}: {recorded}");
        add(counts.wire.name(), tokens);
    }
    for (name, tokens) in &found {
        println!("{name}: {} responses, {:?} tokens", tokens[0], &tokens[1..]);
    }
    let has_reasoning =
        ["gemini", "responses"].iter().all(|name| found.get(*name).is_some_and(|sums| sums[5] > 0));
    assert!(found.is_empty() || has_reasoning && found["bedrock"][2] > 0, "{found:?}");
}

#[test]
fn every_recorded_stream_has_all_of_its_tokens() {
    let counts = counts();
    let mut streams: BTreeMap<&str, usize> = BTreeMap::new();
    let rows = rows::rows("streams.jsonl").into_iter().chain(rows::rows("other_wire.jsonl")).flatten();
    for row in rows.filter(|row| row["chunks"].is_array()) {
        let Some(counts) = of_row(&counts, &row) else { continue };
        let chunks = list(&row["chunks"]);
        let is_end = |chunk: &Value| chunk["type"] == "message_stop" || chunk["type"] == "response.completed";
        for chunks in chunks.split_inclusive(is_end) {
            // The newest count of each field: Anthropic sends those of the request at the beginning only.
            let mut usage = json!({});
            for chunk in chunks {
                let places = [chunk, &chunk["message"], &chunk["response"]];
                let new = places
                    .iter()
                    .find_map(|place| value_at(place, counts.usage).filter(|usage| usage.is_object()));
                for (field, value) in new.and_then(Value::as_object).into_iter().flatten() {
                    let is_zero = value == 0 && usage[field].as_u64().is_some_and(|known| known > 0);
                    if !value.is_null() && !is_zero {
                        usage[field] = value.clone();
                    }
                }
            }
            let recorded = counts.recorded(&usage);
            let tokens = read(streamed(counts.wire, chunks).unwrap_or_default());
            assert_eq!(tokens, recorded, "{}: {usage}", row["source"]);
            *streams.entry(counts.wire.name()).or_default() += usize::from(recorded != [0; 5]);
        }
    }
    println!("{streams:?}");
    let has_all = ["anthropic", "chat_completions", "gemini", "responses"]
        .iter()
        .all(|name| streams.contains_key(name));
    assert!(has_all || streams.is_empty() && rows::rows("streams.jsonl").is_none(), "{streams:?}");
}

/// A wire, a response, the events of a stream, and the tokens of both.
type Case = (&'static dyn Wire, Value, Vec<Value>, [u64; 5]);

/// A response and a stream of each wire: 100 tokens of the request, of which 60 are read from the cache and 30 are written to it, and
/// 20 tokens of the reply, of which 8 are its reasoning.
#[test]
fn responses_and_streams_have_cache_writes_and_reasoning() {
    let cases: [Case; 4] = [
        (
            counts()[0].wire,
            json!({ "choices": [{ "message": { "content": "Hi" }, "finish_reason": "stop" }], "usage": {
                "prompt_tokens": 100, "completion_tokens": 20,
                "prompt_tokens_details": { "cached_tokens": 60, "cache_write_tokens": 30 },
                "completion_tokens_details": { "reasoning_tokens": 8 } } }),
            vec![
                json!({ "choices": [{ "delta": { "content": "Hi" }, "finish_reason": "stop" }] }),
                json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 20,
                    "prompt_tokens_details": { "cached_tokens": 60, "cache_write_tokens": 30 },
                    "completion_tokens_details": { "reasoning_tokens": 8 } } }),
            ],
            [100, 60, 30, 20, 8],
        ),
        (
            counts()[1].wire,
            json!({ "content": [{ "type": "text", "text": "Hi" }], "stop_reason": "end_turn", "usage": {
                "input_tokens": 10, "cache_read_input_tokens": 60, "cache_creation_input_tokens": 30, "output_tokens": 20,
                "output_tokens_details": { "thinking_tokens": 8 } } }),
            vec![
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10, "cache_read_input_tokens": 60,
                    "cache_creation_input_tokens": 30, "output_tokens": 1 } } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 20,
                    "output_tokens_details": { "thinking_tokens": 8 } } }),
                json!({ "type": "message_stop" }),
            ],
            [100, 60, 30, 20, 8],
        ),
        (
            counts()[4].wire,
            json!({ "status": "completed", "steps": [], "usage": { "total_input_tokens": 100, "total_cached_tokens": 60,
                "total_output_tokens": 12, "total_thought_tokens": 8 } }),
            vec![
                json!({ "event_type": "interaction.completed", "interaction": { "status": "completed", "usage": {
                "total_input_tokens": 100, "total_cached_tokens": 60, "total_output_tokens": 12, "total_thought_tokens": 8 } } }),
            ],
            [100, 60, 0, 20, 8],
        ),
        (
            counts()[5].wire,
            json!({ "output": { "message": { "role": "assistant", "content": [{ "text": "Hi" }] } }, "stopReason": "end_turn",
                "usage": { "inputTokens": 10, "cacheReadInputTokens": 60, "cacheWriteInputTokens": 30, "outputTokens": 20 } }),
            vec![
                json!({ "messageStop": { "stopReason": "end_turn" } }),
                json!({ "metadata": { "usage": { "inputTokens": 10, "cacheReadInputTokens": 60, "cacheWriteInputTokens": 30,
                    "outputTokens": 20 } } }),
            ],
            [100, 60, 30, 20, 0],
        ),
    ];
    for (wire, response, events, expected) in cases {
        let reply = wire.read_reply(&response.to_string()).expect("it is read");
        assert_eq!(read(reply.usage().expect("it has tokens")), expected, "{}", wire.name());
        assert_eq!(
            read(streamed(wire, &events).expect("it has tokens")),
            expected,
            "the stream of {}",
            wire.name()
        );
    }
}

#[test]
fn the_money_of_a_reply_is_that_of_its_tokens() {
    // A response of Claude at 3 dollars for input, 0.30 for cached input, 3.75 for cache writes and 15 for output.
    let body = json!({ "content": [], "stop_reason": "end_turn", "usage": { "input_tokens": 21, "cache_read_input_tokens": 188_086,
        "cache_creation_input_tokens": 456, "output_tokens": 393 } });
    let usage =
        Anthropic::new().read_reply(&body.to_string()).expect("it is read").usage().expect("it has tokens");
    let prices = Prices::per_million(3.0, 15.0).cached_input(0.3).cache_write(3.75);
    // 21 * 3 = 63; 188,086 * 0.3 = 56,425.8; 456 * 3.75 = 1,710; 393 * 15 = 5,895: 64,093.8 millionths.
    assert!((prices.cost(&usage) - 0.064_093_8).abs() < 1e-12, "{}", prices.cost(&usage));
    // Without a cache: 188,563 * 3 + 393 * 15.
    assert!((Prices::per_million(3.0, 15.0).cost(&usage) - 0.571_584).abs() < 1e-12);
    assert!(prices.cost(&Usage::default()).abs() < 1e-12);
}
