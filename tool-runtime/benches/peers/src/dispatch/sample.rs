//! What the model sends, and what must go back.

use super::Dispatch;
use crate::Result;
use tool_runtime::ToolCall;

/// The calls of one reply.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) calls: Vec<ToolCall>,
    expected: Expected,
}

enum Expected {
    /// All libraries answer the same.
    Same,
    /// Each in words of its own, with this in them.
    Telling(&'static str),
}

const SCALARS: (&str, &str) = ("forecast", r#"{"city":"Beijing","days":3,"detail":true}"#);
const NESTED: (&str, &str) = (
    "plan_trip",
    r#"{"trip":{"stops":[{"city":"Beijing","nights":3},{"city":"Xi'an","nights":2}],"budget":900}}"#,
);
const WRONG: (&str, &str) = ("forecast", r#"{"city":"Beijing","days":"tomorrow","detail":true}"#);

pub(super) fn all() -> Vec<Sample> {
    let sample = |name, (tool, arguments), number, expected| {
        let calls =
            (0..number).map(|index| ToolCall::new(format!("call_{index}"), tool, arguments)).collect();
        Sample { name, calls, expected }
    };
    vec![
        sample("one call, three scalars", SCALARS, 1, Expected::Same),
        sample("one call, a nested struct", NESTED, 1, Expected::Same),
        sample("one of 64 at once, three scalars", SCALARS, 64, Expected::Same),
        sample("one of 64 at once, a nested struct", NESTED, 64, Expected::Same),
        sample("one call, a wrong argument", WRONG, 1, Expected::Telling("tomorrow")),
    ]
}

impl Sample {
    pub(super) async fn answered_by(&self, library: &impl Dispatch) -> Result<String> {
        match self.calls.as_slice() {
            [call] => library.answer(call).await,
            calls => library.answer_all(calls).await,
        }
    }

    /// Times of answers that differ would not be worth comparing.
    pub(super) fn check(&self, answers: &[String]) -> Result<()> {
        for answer in answers {
            let is_right = match self.expected {
                Expected::Same => answer == &answers[0] && !answer.contains("Error"),
                Expected::Telling(what) => answer.contains("call_0") && answer.contains(what),
            };
            if !is_right {
                return Err(format!("{}: an answer is {answer}, not {}", self.name, answers[0]).into());
            }
        }
        Ok(())
    }
}
