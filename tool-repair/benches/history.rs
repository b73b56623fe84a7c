//! Validation, repair and trimming of a long history, compared with copying it.
//!
//! `cargo bench -p tool-runtime-repair --bench history`

#![allow(clippy::cast_precision_loss, reason = "the numbers are small")]

#[path = "../../tool-runtime/benches/medians.rs"]
mod medians;

use std::error::Error;
use std::hint::black_box;
use tool_runtime::history::{TrimBudget, validate};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, Conversation, ToolCall, ToolMessage};
use tool_runtime_repair::repair;

/// Exchanges of seven messages: a question, two calls, their tool messages, one more call, its tool message, and an
/// answer.
fn history(messages: usize) -> Vec<Message> {
    let mut history = vec![Message::system("Be brief.")];
    for exchange in 0.. {
        let id = |number: usize| format!("call_{exchange}_{number}");
        let call = |number| ToolCall::new(id(number), "get_weather", r#"{"city":"Beijing","days":3}"#);
        let result =
            |number| ToolMessage::new(id(number), "Beijing: 25 degrees and sunny, for three days").into();
        history.push(Message::user("How will the weather be in Beijing, and in Rome?"));
        history.push(AssistantMessage::from_tool_calls(vec![call(0), call(1)]).into());
        history.extend([result(0), result(1)]);
        history.push(AssistantMessage::from_tool_calls(vec![call(2)]).into());
        history.push(result(2));
        history.push(Message::assistant("It will be sunny."));
        if history.len() >= messages {
            break;
        }
    }
    history
}

/// The same with two errors in every exchange: one tool message is missing, and one is after the next reply.
fn broken(messages: usize) -> Vec<Message> {
    let mut broken = history(messages);
    for exchange in broken[1..].chunks_exact_mut(7) {
        exchange.swap(5, 6);
    }
    let indexed = broken.into_iter().enumerate();
    indexed.filter(|(index, _)| index % 7 != 3).map(|(_, message)| message).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("medians of {} runs, per message, and the ratio to copying", medians::RUNS);
    println!(
        "{:>9}{:>11}{:>18}{:>18}{:>18}{:>18}",
        "messages", "copied", "validate", "repair", "repair, broken", "trim to a half"
    );
    for number in [100, 1_000, 10_000] {
        let (whole, broken) = (history(number), broken(number));
        validate(&whole)?;
        assert!(repair(broken.clone()).1.len() >= broken.len() / 7 * 2, "two repairs in every exchange");
        let budget = TrimBudget::max_messages(number / 2);
        let chat = Conversation::try_from(whole.clone())?;
        let [copied, copied_broken, validated, repaired, repaired_broken, trimmed] = medians::measure([
            &mut || drop(black_box(whole.clone())),
            &mut || drop(black_box(broken.clone())),
            &mut || drop(black_box(validate(black_box(&whole)))),
            &mut || drop(black_box(repair(whole.clone()))),
            &mut || drop(black_box(repair(broken.clone()))),
            &mut || drop(black_box(chat.clone().trim(&budget))),
        ]);
        let format = |time: f64, history: &[Message], copied: f64| {
            format!("{:.0} ns {:>6.2}", time / history.len() as f64, time / copied)
        };
        println!(
            "{:9}{:>8.0} ns{:>18}{:>18}{:>18}{:>18}",
            whole.len(),
            copied / whole.len() as f64,
            format(validated, &whole, copied),
            format(repaired, &whole, copied),
            format(repaired_broken, &broken, copied_broken),
            format(trimmed, &whole, copied)
        );
    }
    println!("`repair` and `trim` take the history by value: their times include a copy");
    Ok(())
}
