//! Types that are not objects, and answers that are coerced like arguments.

use super::super::stored;
use super::{Setup, find, setups};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use tool_runtime::session::{RunEnd, TypedEnd};
use tool_runtime::{AssistantMessage, Registry, Session, tools};
use tool_runtime_testing::{ScriptedModel, assert_valid};

/// The end of a run with these answers.
async fn end<T: DeserializeOwned + JsonSchema>(setup: &Setup, answers: &[&str]) -> (TypedEnd<T>, Session) {
    let registry = Registry::new(tools![find]).expect("one tool");
    let model = ScriptedModel::new(answers.iter().map(|json| setup.answer(json)).collect::<Vec<_>>());
    let mut session = Session::new().user("Go on.");
    let run =
        session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<T>().max_replies(answers.len());
    let end = run.complete(|request| model.complete(request)).await;
    assert_valid(&session);
    (end.unwrap_or_else(|error| panic!("{}: {error}", setup.name())), session)
}

async fn assert_answer<T>(json: &str, expected: T)
where
    T: DeserializeOwned + JsonSchema + Clone + PartialEq + Debug,
{
    for setup in setups() {
        let (end, _) = end::<T>(&setup, &[json]).await;
        assert_eq!(end, TypedEnd::Answered(expected.clone()), "{}", setup.name());
    }
}

/// The error that the model receives, and the end after a valid answer.
async fn assert_error<T>(json: &str, error: &str, valid: &str)
where
    T: DeserializeOwned + JsonSchema,
{
    for setup in setups() {
        let (end, session) = end::<T>(&setup, &[json, valid]).await;
        assert!(end.into_answer().is_some(), "{}", setup.name());
        let message = session.messages()[2].text();
        assert!(message.contains(error), "{}: {message}", setup.name());
    }
}

/// The state of an order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// Not sent yet.
    Open,
    Sent,
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Decision {
    Refund { cents: u32 },
    Refuse { reason: String },
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}

#[tokio::test]
async fn a_type_that_is_not_an_object_is_the_property_answer() {
    assert_answer(r#"{"answer":"tea"}"#, "tea".to_owned()).await;
    assert_answer(r#"{"answer":7}"#, 7_u8).await;
    assert_answer(r#"{"answer":true}"#, true).await;
    assert_answer(r#"{"answer":["a","b"]}"#, vec!["a".to_owned(), "b".to_owned()]).await;
    assert_answer(r#"{"answer":null}"#, None::<u8>).await;
    assert_answer(r#"{"answer":"sent"}"#, Status::Sent).await;
    assert_answer(r#"{"answer":{"kind":"refund","cents":420}}"#, Decision::Refund { cents: 420 }).await;
    assert_answer(r#"{"answer":[1,"tea"]}"#, (1_u8, "tea".to_owned())).await;
    assert_error::<u8>(r#"{"answer":256}"#, "`answer`: expected an integer from 0 to 255", r#"{"answer":1}"#)
        .await;
    assert_error::<Vec<u8>>(r#"{"answer":[1,"a"]}"#, "`answer[1]`", r#"{"answer":[]}"#).await;
    assert_error::<Option<u8>>("{}", "`answer` is missing", r#"{"answer":null}"#).await;
    let missing = r#"{"answer":{"kind":"refuse"}}"#;
    assert_error::<Decision>(
        missing,
        "`answer.reason` is missing",
        r#"{"answer":{"kind":"refund","cents":1}}"#,
    )
    .await;
}

#[tokio::test]
async fn maps_and_recursive_types_are_objects() {
    let inner = Folder { name: "b".to_owned(), folders: vec![] };
    let folder = Folder { name: "a".to_owned(), folders: vec![inner] };
    assert_answer(r#"{"name":"a","folders":[{"name":"b","folders":[]}]}"#, folder).await;
    assert_error::<Folder>(
        r#"{"name":"a","folders":[{"name":"b","folders":[{"name":7,"folders":[]}]}]}"#,
        "`folders[0].folders[0].name`: expected a string, got integer `7`",
        r#"{"name":"a","folders":[]}"#,
    )
    .await;
    assert_answer(r#"{"open":1}"#, BTreeMap::from([(Status::Open, 1)])).await;
    assert_error::<BTreeMap<Status, u8>>(r#"{"lost":1}"#, "`lost` is not an argument", "{}").await;
}

/// A text is accepted as the value itself, since models without a response format often write it so.
#[tokio::test]
async fn the_object_around_a_value_may_be_missing() {
    for (text, expected) in
        [("[1,2]", vec![1, 2]), ("```json\n{\"answer\": [3]}\n```\n", vec![3]), ("```\n[]```", vec![])]
    {
        for setup in setups() {
            let registry = Registry::new(tools![]).expect("no tools");
            let model = ScriptedModel::new([AssistantMessage::from_text(text)]);
            let mut session = Session::new().user("Go on.");
            let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Vec<u8>>();
            let end = run.complete(|request| model.complete(request)).await.expect("valid");
            assert_eq!(end, TypedEnd::Answered(expected.clone()), "{}", setup.name());
            assert_eq!(session.final_text(), text, "the text stays as it came");
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
struct Report {
    #[serde(default)]
    title: String,
    pages: u32,
    #[serde(default)]
    note: Option<String>,
}

#[tokio::test]
async fn answers_are_coerced_like_arguments() {
    let report = Report { title: String::new(), pages: 3, note: None };
    // Integers that are written as `3.0`.
    assert_answer(r#"{"pages":3.0}"#, report.clone()).await;
    for setup in setups() {
        // A strict schema requires all properties, and the model sends null for an absent one. The session may be loaded by
        // a process that has not sent the schema.
        let (answer, session) = end::<Report>(&setup, &[r#"{"title":null,"pages":3,"note":null}"#]).await;
        assert_eq!(answer, TypedEnd::Answered(report.clone()), "{}", setup.name());
        let model = ScriptedModel::new([setup.answer("{}")]);
        let mut again = stored(&session);
        let run = again.run(&Registry::new(tools![]).expect("no tools")).answer_as::<Report>();
        let answer = run.complete(|request| model.complete(request)).await.expect("no request is sent");
        assert_eq!(answer, TypedEnd::Answered(report.clone()), "{}", setup.name());
        let registry = Registry::builder().lenient_arguments(true).build().expect("no tools");
        let model = ScriptedModel::new([setup.answer(r#"{pages: "3", note: None,}"#)]);
        let mut session = Session::new().user("Go on.");
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Report>();
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        assert_eq!(end, TypedEnd::Answered(report.clone()), "{}", setup.name());
    }
}

#[tokio::test]
async fn a_json_value_can_be_the_answer() {
    assert_answer(r#"{"answer":[1,{"a":null}]}"#, serde_json::json!([1, {"a": null}])).await;
    assert_answer("{}", BTreeMap::<String, serde_json::Value>::new()).await;
}

/// In a call, no text means no arguments. A reply without text is not an answer.
#[tokio::test]
async fn an_empty_text_is_not_an_object_without_fields() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Note {
        #[serde(default)]
        text: String,
    }
    for setup in setups() {
        let registry = Registry::new(tools![]).expect("no tools");
        let model = ScriptedModel::new([AssistantMessage::from_text(" "), setup.answer("")]);
        let mut session = Session::new().user("Go on.");
        let run = session.run(&registry).wire(Arc::clone(&setup.wire)).answer_as::<Note>().max_replies(2);
        let end = run.complete(|request| model.complete(request)).await.expect("valid");
        let error = session.messages()[2].text();
        assert!(error.starts_with("Error: the answer is empty. Answer with one JSON object"), "{error}");
        let (expected, text) = if setup.has_format {
            (TypedEnd::NoAnswer(RunEnd::ReplyLimit), "")
        } else {
            (TypedEnd::Answered(Note { text: String::new() }), "{}")
        };
        assert_eq!((end, session.final_text()), (expected, text), "{}", setup.name());
    }
}

/// A type whose schema is too deep for the validator.
#[tokio::test]
async fn a_bare_value_cannot_add_fields_to_its_object() {
    type Deep<T> = Vec<Vec<Vec<Vec<Vec<Vec<Vec<Vec<T>>>>>>>>;
    type Deeper = Option<Deep<Deep<Deep<Deep<Deep<u8>>>>>>;
    let setup = &setups()[0];
    let answers = [r#"null,"x":2"#, r#"{"answer":null,"x":2}"#, r#"{"answer":null}"#];
    let (end, session) = end::<Deeper>(setup, &answers).await;
    assert_eq!(end, TypedEnd::Answered(None));
    assert_eq!(session.messages().len(), 6, "the first two are rejected");
}

#[tokio::test]
async fn a_panic_of_a_decoder_is_an_invalid_answer() {
    #[derive(Debug, PartialEq, JsonSchema)]
    struct Page(u8);
    impl<'de> Deserialize<'de> for Page {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let page = u8::deserialize(deserializer)?;
            assert!(page < 100, "a page of another book");
            Ok(Page(page))
        }
    }
    for setup in setups() {
        let (end, session) = end::<Page>(&setup, &[r#"{"answer":100}"#, r#"{"answer":7}"#]).await;
        assert_eq!(end, TypedEnd::Answered(Page(7)), "{}", setup.name());
        assert!(session.messages()[2].text().contains("it cannot be decoded"), "{}", setup.name());
    }
}
