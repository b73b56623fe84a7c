//! What it costs to answer the calls of a reply.
//!
//! It starts from what the model sent, a call whose arguments are a string of JSON, and ends in what goes back, a
//! message of role `tool` with that call's id, as JSON. What a library leaves to its user on this way, from reading the
//! string to the pairing, belongs to its time. Registries are built once, outside of it.

mod by_hand;
mod llm_tool;
mod message;
mod ours;
mod rig;
mod sample;
mod tools_rs;
mod trip;

use crate::libraries::Each;
use crate::median::median;
use crate::table::{Row, Unit};
use crate::{Measured, Result};
use sample::Sample;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tool_runtime::ToolCall;

const RUNS: usize = 5;
/// How often a sample's calls are answered in one run.
const CALLS_IN_A_RUN: u32 = 64 * 1_000;

/// Answers calls as a user of the library would.
///
/// [`ToolCall`] is here only the three strings that a model sends: whoever takes one may borrow of it, but not move,
/// since the reply that it belongs to goes into the history.
trait Dispatch {
    /// The message for one call.
    async fn answer(&self, call: &ToolCall) -> Result<String>;

    /// The messages for the calls of one reply, which run side by side, as a JSON array.
    async fn answer_all(&self, calls: &[ToolCall]) -> Result<String>;
}

pub(crate) fn measure() -> Result<Measured> {
    // One thread: the tools are too small to be worth another.
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(measure_samples())
}

async fn measure_samples() -> Result<Measured> {
    let (ours, llm_tool) = (ours::Ours::new()?, llm_tool::LlmTool::new());
    let (tools_rs, rig) = (tools_rs::ToolsRs::new()?, rig::Rig::new());
    let by_hand = by_hand::ByHand;
    let mut rows = Vec::new();
    for sample in sample::all() {
        eprintln!("dispatch: {}", sample.name);
        // Which also warms up.
        sample.check(&[
            sample.answered_by(&ours).await?,
            sample.answered_by(&llm_tool).await?,
            sample.answered_by(&tools_rs).await?,
            sample.answered_by(&rig).await?,
            sample.answered_by(&by_hand).await?,
        ])?;
        let mut runs: Each<Vec<f64>> = Default::default();
        let mut runs_by_hand = Vec::new();
        for _ in 0..RUNS {
            let times = [
                time(&sample, &ours).await?,
                time(&sample, &llm_tool).await?,
                time(&sample, &tools_rs).await?,
                time(&sample, &rig).await?,
            ];
            for (runs, time) in runs.iter_mut().zip(times) {
                runs.push(time.as_secs_f64());
            }
            runs_by_hand.push(time(&sample, &by_hand).await?.as_secs_f64());
        }
        let row = Row::new(sample.name, Unit::Seconds, runs.map(median));
        rows.push(row.beside(median(runs_by_hand)));
    }
    let notes = vec![
        format!("Dispatch: times for one call, medians of {RUNS} runs of {CALLS_IN_A_RUN} calls, in turns."),
        "By hand: the least that answers, a `match` and a derived struct, and `join_all` for many. Of all, only tool-runtime reads the clock for each call, \
         catches panics, and holds structs to their schema."
            .to_owned(),
        "Dispatch: the search of llm-tool for control tokens in results, which no other does, is switched off; rig is \
         measured without its agent and that one's registry, which add to it."
            .to_owned(),
        "Dispatch: rig has serde_json keep the order of the fields of objects, for all libraries of this program, which \
         is a loss for tools-rs: it makes values of arguments and results."
            .to_owned(),
        "A wrong argument: each library answers in words of its own, some in more than others.".to_owned(),
    ];
    Ok(Measured { rows, notes })
}

/// How long one call takes.
async fn time(sample: &Sample, library: &impl Dispatch) -> Result<Duration> {
    let at_once = u32::try_from(sample.calls.len())?;
    let begun = Instant::now();
    for _ in 0..CALLS_IN_A_RUN / at_once {
        black_box(black_box(sample).answered_by(library).await?);
    }
    Ok(begun.elapsed() / (CALLS_IN_A_RUN / at_once * at_once))
}
