//! A session of 200 replies with results of up to 1 MB, with each strategy: `cargo bench --package tool-runtime-compaction`.
//!
//! It prints the table of the documentation (`src/strategies.md`). Tokens are estimates; the share of the prefix, which a provider's
//! cache can read again, and the number of changes of the prefix do not depend on the machine.

use fastrand::Rng;
use serde_json::json;
use std::cell::RefCell;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tool_runtime::conversation::Request;
use tool_runtime::history::TrimBudget;
use tool_runtime::session::{Flow, RunEnd};
use tool_runtime::{AssistantMessage, Registry, RunContext, Session, ToolCall, tool, tools};
use tool_runtime_compaction::{Compaction, Spill, SpillResults, estimated_tokens};

const REPLIES: usize = 200;
const MARK: usize = 100_000;
const LIMIT: usize = 16_000;

/// Reads a file.
#[tool(read_only)]
fn read(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 40);
    for line in 0.. {
        if text.len() >= bytes {
            break;
        }
        // Writing to a string never fails.
        let _ = writeln!(text, "{line}: let value_{} = compute({});", line % 97, line * 31 % 1013);
    }
    text
}

#[derive(Clone, Copy, PartialEq)]
enum Shortening {
    Nothing,
    Trim { to: usize },
    Compact { to: usize },
}

#[derive(Clone, Copy, PartialEq)]
enum LongResults {
    Whole,
    Truncated,
    Stored,
}

/// The sizes of the requests of a session.
#[derive(Default)]
struct Measured {
    requests: usize,
    tokens: usize,
    most_tokens: usize,
    bytes: usize,
    /// The bytes that are equal at the beginning of the request before.
    prefix: usize,
    /// The requests that change what the request before has.
    changes: usize,
    before: String,
}

impl Measured {
    fn add(&mut self, request: &Request) {
        let tokens = request.messages().iter().map(estimated_tokens).sum();
        let body = serde_json::to_string(&json!(request)["messages"]).unwrap_or_default();
        let common = self.before.bytes().zip(body.bytes()).take_while(|(before, now)| before == now).count();
        self.requests += 1;
        self.tokens += tokens;
        self.most_tokens = self.most_tokens.max(tokens);
        self.bytes += body.len();
        self.prefix += common;
        // The last bracket is followed by other messages.
        self.changes += usize::from(common + 1 < self.before.len());
        self.before = body;
    }
}

/// The same calls for each strategy: sizes between 200 bytes and 1 MB, small ones more often.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 200 and 1,000,000")]
fn sizes() -> Vec<usize> {
    let mut rng = Rng::with_seed(57);
    (0..REPLIES).map(|_| (200.0 * 5_000_f64.powf(rng.f64())) as usize).collect()
}

async fn run(shortening: Shortening, results: LongResults) -> (Measured, Duration) {
    let spill = Spill::memory().above(LIMIT);
    let registry = Registry::builder().tools(tools![read]);
    let registry = match results {
        LongResults::Whole => registry,
        LongResults::Truncated => registry.max_result_bytes(LIMIT),
        LongResults::Stored => registry.spill(spill),
    };
    let registry = registry.build().expect("the tools are valid").with(&RunContext::new().run_id("bench"));
    let measured = RefCell::new(Measured::default());
    let (mut sizes, mut number) = (sizes().into_iter(), 0);
    let mut measuring = Duration::ZERO;
    let started = Instant::now();
    let mut session = Session::new().system("You write programs.").user("Find the bug.");
    let run = session.run(&registry).max_replies(usize::MAX);
    let run = match shortening {
        Shortening::Nothing => run,
        Shortening::Trim { to } => run.between_replies(move |mut session| {
            Box::pin(async move {
                if session.messages().iter().map(estimated_tokens).sum::<usize>() > MARK {
                    let _ = session
                        .trim(&TrimBudget::max_tokens(to, estimated_tokens).keep_newest_exchange(false));
                }
                Ok(Flow::Continue)
            })
        }),
        Shortening::Compact { to } => {
            let compaction = Compaction::above(MARK, estimated_tokens).down_to(to);
            run.compact(compaction.summarise(async |_| {
                Ok::<_, std::io::Error>("The bug is not in the files so far.".repeat(20))
            }))
        }
    };
    let ended = run.complete(|request| {
        let before = Instant::now();
        measured.borrow_mut().add(&request);
        measuring += before.elapsed();
        number += 1;
        let reply = match sizes.next() {
            Some(bytes) => {
                let call =
                    ToolCall::new(format!("call_{number}"), "read", json!({ "bytes": bytes }).to_string());
                AssistantMessage::from_tool_calls([call])
            }
            None => AssistantMessage::from_text("It is fixed."),
        };
        async { Ok::<_, std::io::Error>(reply) }
    });
    assert_eq!(ended.await.expect("no request fails"), RunEnd::Answered);
    (measured.into_inner(), started.elapsed().saturating_sub(measuring))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let strategies = [
        ("nothing", Shortening::Nothing, LongResults::Whole),
        ("trim at the mark", Shortening::Trim { to: MARK }, LongResults::Whole),
        ("trim to half", Shortening::Trim { to: MARK / 2 }, LongResults::Whole),
        ("compaction at the mark", Shortening::Compact { to: MARK }, LongResults::Whole),
        ("compaction to 40 %", Shortening::Compact { to: MARK * 2 / 5 }, LongResults::Whole),
        ("`max_result_bytes(16_000)`", Shortening::Nothing, LongResults::Truncated),
        ("spill above 16,000 bytes", Shortening::Nothing, LongResults::Stored),
        ("spill, trim at the mark", Shortening::Trim { to: MARK }, LongResults::Stored),
        ("spill, trim to half", Shortening::Trim { to: MARK / 2 }, LongResults::Stored),
        ("spill, compaction at the mark", Shortening::Compact { to: MARK }, LongResults::Stored),
        ("spill, compaction to 40 %", Shortening::Compact { to: MARK * 2 / 5 }, LongResults::Stored),
    ];
    println!(
        "| Strategy | Tokens per request | Most tokens | Share of the prefix | Changes of the prefix | Time | Memory |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, shortening, results) in strategies {
        let mut ended = None;
        let memory = allocation_counter::measure(|| {
            ended = futures_util::FutureExt::now_or_never(run(shortening, results));
        });
        let Some((measured, time)) = ended else { panic!("a run waits for nothing") };
        println!(
            "| {name} | {} | {} | {} % | {} | {:.2} s | {} MB |",
            measured.tokens / measured.requests,
            measured.most_tokens,
            measured.prefix * 100 / measured.bytes,
            measured.changes,
            time.as_secs_f64(),
            memory.bytes_max / 1_000_000,
        );
    }
}
