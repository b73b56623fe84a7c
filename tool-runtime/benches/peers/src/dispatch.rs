//! The time to dispatch the calls of a reply.
//!
//! The input is a call whose arguments are a string of JSON, as the model sends it. The output is a message of role
//! `tool` with the id of the call, as JSON. Steps that a library leaves to its user, such as parsing the string or
//! pairing, count as its time. Building the registries does not count.

mod by_hand;
mod llm_tool;
mod message;
mod ours;
mod rig;
mod sample;
mod tools_rs;
mod trip;

use crate::libraries::Each;
use crate::row::{Row, Unit};
use crate::{Measured, Result};
use sample::Sample;
use std::hint::black_box;
use std::time::{Duration, Instant};
use tool_runtime::ToolCall;

/// Many short runs, so that a change of the speed of the machine affects all libraries.
const RUNS: usize = 41;
/// The number of calls in one run.
const CALLS_IN_A_RUN: u32 = 64 * 200;

/// Dispatches calls as a user of the library would.
///
/// [`ToolCall`] contains only the three strings that a model sends. An implementation may borrow from it but not move
/// it, since the history contains the reply.
trait Dispatch {
    /// The message for one call.
    async fn dispatch_one(&self, call: &ToolCall) -> Result<String>;

    /// The messages for the concurrent calls of one reply, as a JSON array.
    async fn dispatch_all(&self, calls: &[ToolCall]) -> Result<String>;
}

pub(crate) fn measure() -> Result<Measured> {
    // One thread, since the tools are too small to run on several.
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
        // This is also the warm-up.
        sample.check(&[
            sample.dispatch_with(&ours).await?,
            sample.dispatch_with(&llm_tool).await?,
            sample.dispatch_with(&tools_rs).await?,
            sample.dispatch_with(&rig).await?,
            sample.dispatch_with(&by_hand).await?,
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
        let [ours, llm_tool, tools_rs, rig] = &runs;
        let ratios = [ours, llm_tool, tools_rs, rig, &runs_by_hand].map(|times| ratios(times, ours));
        let spreads = ratios.each_ref().map(|ratios| quartile(ratios, 3) / quartile(ratios, 1));
        eprintln!(
            "    third quartile of the ratios, to the first: at most {:.2}",
            spreads.into_iter().fold(1.0, f64::max)
        );
        // Other load only adds to a time.
        let ours = quartile(ours, 1);
        let [figures @ .., by_hand] = ratios.map(|ratios| Some(ours * quartile(&ratios, 2)));
        rows.push(Row::new(sample.name, Unit::Seconds, figures).with_by_hand(by_hand));
    }
    let notes = vec![
        format!(
            "Dispatch: the time of one call, the first quartile of {RUNS} runs of {CALLS_IN_A_RUN} calls; the libraries take \
             turns, and a ratio is the median of the ratios of each turn."
        ),
        "By hand: the minimum, a `match`, a derived struct, and `join_all` for several calls. Only tool-runtime \
         catches panics, and validates structs against their schemas."
            .to_owned(),
        "Dispatch: llm-tool searches results for control tokens, which no other library does; the search is disabled. rig is \
         measured with its `ToolSet`, without its agent, which would add to its times."
            .to_owned(),
        "Dispatch: tool-runtime makes serde_json keep the order of object fields, for all libraries in this program. This \
         slows tools-rs and rig down, which convert arguments or results to values."
            .to_owned(),
        "A wrong argument: each library has its own error message, and some are longer than others.".to_owned(),
    ];
    Ok(Measured { rows, notes, ..Measured::default() })
}

/// The ratio of each time to our time in the same turn, which a change of the speed of the machine hardly affects.
fn ratios(times: &[f64], ours: &[f64]) -> Vec<f64> {
    times.iter().zip(ours).map(|(time, ours)| time / ours).collect()
}

/// A quartile; the second is the median.
fn quartile(values: &[f64], number: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() * number / 4]
}

/// The mean time of one call.
async fn time(sample: &Sample, library: &impl Dispatch) -> Result<Duration> {
    let batch = u32::try_from(sample.calls.len())?;
    let started = Instant::now();
    for _ in 0..CALLS_IN_A_RUN / batch {
        black_box(black_box(sample).dispatch_with(library).await?);
    }
    Ok(started.elapsed() / (CALLS_IN_A_RUN / batch * batch))
}
