//! Calls of a model, and the expected messages.

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
    /// All libraries return equal messages.
    Equal,
    /// The messages differ, and contain this text.
    Containing(&'static str),
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
        sample("one call, three scalars", SCALARS, 1, Expected::Equal),
        sample("one call, a nested struct", NESTED, 1, Expected::Equal),
        sample("one of 64 at once, three scalars", SCALARS, 64, Expected::Equal),
        sample("one of 64 at once, a nested struct", NESTED, 64, Expected::Equal),
        sample("one call, a wrong argument", WRONG, 1, Expected::Containing("tomorrow")),
    ]
}

impl Sample {
    pub(super) async fn dispatch_with(&self, library: &impl Dispatch) -> Result<String> {
        match self.calls.as_slice() {
            [call] => library.dispatch_one(call).await,
            calls => library.dispatch_all(calls).await,
        }
    }

    /// Fails if the libraries return different messages, since their times could not be compared.
    pub(super) fn check(&self, messages: &[String]) -> Result<()> {
        for message in messages {
            let is_expected = match self.expected {
                Expected::Equal => message == &messages[0] && !message.contains("Error"),
                Expected::Containing(text) => message.contains("call_0") && message.contains(text),
            };
            if !is_expected {
                return Err(format!("{}: a message is {message}, not {}", self.name, messages[0]).into());
            }
        }
        Ok(())
    }
}
