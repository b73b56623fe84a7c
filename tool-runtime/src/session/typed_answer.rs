//! Runs whose final answer has a type.

use super::answer_format::AnswerFormat;
use super::{Event, Run, RunEnd};
use crate::conversation::Request;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;

/// Marks a [`Run`] whose answer has the type `T`: see [`Run::answer_as`]. It has no values.
#[derive(Debug)]
pub struct AnswerAs<T>(PhantomData<fn() -> T>);

/// How a run with a [typed answer](Run::answer_as) ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the model may not have answered"]
pub enum TypedEnd<T> {
    /// The model answered with this value.
    Answered(T),
    /// The run has no answer: any end other than [`RunEnd::Answered`]. At a limit, the newest answer may be invalid: see
    /// [`ReplyWarning::InvalidAnswer`](crate::conversation::ReplyWarning::InvalidAnswer).
    NoAnswer(RunEnd),
}

impl<T> TypedEnd<T> {
    /// The answer; `None` if the run has none.
    ///
    /// ```
    /// use tool_runtime::session::{RunEnd, TypedEnd};
    ///
    /// assert_eq!(TypedEnd::Answered(7).into_answer(), Some(7));
    /// assert_eq!(TypedEnd::<u32>::NoAnswer(RunEnd::Truncated).into_answer(), None);
    /// ```
    #[must_use]
    pub fn into_answer(self) -> Option<T> {
        match self {
            TypedEnd::Answered(answer) => Some(answer),
            TypedEnd::NoAnswer(_) => None,
        }
    }
}

impl<'a, O: FnMut(&Event), P: FnMut(Request) -> Request, A, K> Run<'a, O, P, A, K> {
    /// Makes the answer of the run a value of the type `T`. The tools of the registry run as usual before the answer.
    ///
    /// The model receives the JSON Schema of `T`: as the response format of the API, if the wire
    /// [has one](crate::wire::Wire::writes_response_format) for this request, otherwise as a tool `final_answer`, which the model
    /// calls to answer. The setting `response_format` of each wire decides
    /// ([`UseResponseFormat`](crate::wire::UseResponseFormat)). A type that is not an object becomes the property `answer` of one.
    ///
    /// The answer is validated like the arguments of a tool. It may be in a code block of Markdown, and for a type that is not
    /// an object, the value alone is accepted as well. If it is invalid, the model receives the errors and answers again, within
    /// the limits of the run; a [warning](crate::conversation::ReplyWarning::InvalidAnswer) reports it. Choose small limits
    /// ([`max_replies`](Run::max_replies)), since some models never give a valid answer. A truncated answer and a reply in which
    /// the model declines end the run.
    ///
    /// The session keeps the answer as the text of its newest message, as it came. A call of `final_answer` becomes this text, so
    /// the conversation can continue on each wire, and without the tool. After an invalid text, the run adds a user message with
    /// the errors, which does not reset the limits. If the newest message is a valid answer already, the run sends no request.
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    /// use tool_runtime::session::{Session, TypedEnd};
    /// use tool_runtime::{Registry, tools};
    /// # use tool_runtime::AssistantMessage;
    /// # use tool_runtime::conversation::Request;
    ///
    /// /// An invoice.
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Invoice {
    ///     number: String,
    ///     /// In cents.
    ///     total: u64,
    /// }
    /// # async fn complete(request: Request) -> Result<AssistantMessage, std::io::Error> {
    /// #     Ok(AssistantMessage::from_text(match request.messages().len() {
    /// #         1 => r#"{"number":"A-7"}"#,
    /// #         _ => r#"{"number":"A-7","total":4200}"#,
    /// #     }))
    /// # }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::new(tools![])?;
    /// let mut session = Session::new().user("Invoice A-7 is over 42 euros. Write it as JSON.");
    /// match session.run(&registry).answer_as::<Invoice>().max_replies(3).complete(complete).await? {
    ///     TypedEnd::Answered(invoice) => println!("{}: {}", invoice.number, invoice.total),
    ///     TypedEnd::NoAnswer(end) => println!("no answer: {end}"),
    /// }
    /// # assert_eq!(session.final_text(), r#"{"number":"A-7","total":4200}"#);
    /// # let error = "Error: the answer is invalid: `total` is missing. Send the whole answer again, but add `total`.";
    /// # assert_eq!(session.messages()[2].text(), error);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`complete`](Run::complete) and [`stream`](Run::stream) return a [`TypedEnd`].
    pub fn answer_as<T: DeserializeOwned + JsonSchema>(self) -> Run<'a, O, P, AnswerAs<T>, K> {
        self.with_answer(AnswerFormat::new::<T>)
    }
}

/// The answer of a [`Run`]: text, for `()`, or a value, for [`AnswerAs`]. It decides what the run returns. It has no other
/// implementations, since the type of its format is private.
pub trait Answer {
    /// How a run ends: [`RunEnd`] or [`TypedEnd`].
    type End;

    #[doc(hidden)]
    fn __end(end: RunEnd, format: Option<&AnswerFormat>, text: &str) -> Self::End;
}

impl Answer for () {
    type End = RunEnd;

    fn __end(end: RunEnd, _: Option<&AnswerFormat>, _: &str) -> RunEnd {
        end
    }
}

impl<T: DeserializeOwned + JsonSchema> Answer for AnswerAs<T> {
    type End = TypedEnd<T>;

    fn __end(end: RunEnd, format: Option<&AnswerFormat>, text: &str) -> TypedEnd<T> {
        let format = format.filter(|_| end == RunEnd::Answered);
        match format.and_then(|format| format.decode(text).ok()) {
            Some(answer) => TypedEnd::Answered(answer),
            None => TypedEnd::NoAnswer(end),
        }
    }
}
