//! A request has the messages, the tools and the choice, and nothing for which a server would refuse it.

use crate::schemas::now;
use serde::Serialize;
use serde_json::{Value, json};
use tool_runtime::conversation::{Request, RequestError};
use tool_runtime::schema::Dialect;
use tool_runtime::{Conversation, Registry, ToolChoice, tool, tools};

#[derive(Serialize)]
struct Body {
    model: &'static str,
    #[serde(flatten)]
    request: Request,
}

fn body(request: Request) -> Value {
    let body = Body { model: "a-model", request };
    let text = serde_json::to_string(&body).expect("it is written");
    let value = serde_json::to_value(&body).expect("it is written");
    assert_eq!(serde_json::from_str::<Value>(&text).expect("it is JSON"), value);
    value
}

fn registry() -> Registry {
    Registry::new(tools![now]).expect("one tool")
}

#[test]
fn what_a_server_refuses_is_left_out() {
    let chat = Conversation::new().user("Hello!");
    let messages = json!([{"role": "user", "content": "Hello!"}]);
    let empty = Registry::new(tools![]).expect("no tools");
    assert_eq!(body(chat.request(&empty)), json!({"model": "a-model", "messages": messages}));
    let choice = chat.request(&empty).tool_choice(ToolChoice::None).expect("no tool may be called");
    assert_eq!(body(choice), json!({"model": "a-model", "messages": messages}));
    let with_tools = body(chat.request(&registry()));
    assert_eq!(with_tools["tools"][0]["function"]["name"], "now");
    assert_eq!(with_tools.get("tool_choice"), None);
}

#[test]
fn each_request_has_its_choice() {
    let chat = Conversation::new().user("Hello!");
    let with = |choice| body(chat.request(&registry()).tool_choice(choice).expect("there is a tool"));
    assert_eq!(with(ToolChoice::None)["tool_choice"], "none");
    assert_eq!(with(ToolChoice::Required)["tool_choice"], "required");
    assert_eq!(
        with(ToolChoice::Tool("now".to_owned()))["tool_choice"],
        json!({"type": "function", "function": {"name": "now"}}),
    );
    assert_eq!(with(ToolChoice::Auto).get("tool_choice"), None);
}

#[test]
fn to_name_a_tool_that_is_not_in_the_request_is_an_error() {
    /// Turns the light on.
    #[tool]
    fn light() {}

    let all = Registry::new(tools![now, light]).expect("two tools");
    let some = all.subset(["light"]).expect("it is there");
    let choice = all.tool_choice("now").expect("it is there");
    let error = Conversation::new().user("?").request(&some).tool_choice(choice).expect_err("it is left out");
    assert_eq!(
        error.to_string(),
        "the tool to be called is not in the request: there is no tool `now`. Available: `light`.",
    );
    let none = Registry::new(tools![]).expect("no tools");
    let error = Conversation::new().user("?").request(&none).tool_choice(ToolChoice::Required);
    assert_eq!(error.expect_err("there is none"), RequestError::NoTools);
}

#[test]
fn a_tool_whose_name_was_mapped_is_chosen_by_the_name_that_the_server_sees() {
    let tool = tool_runtime::DynamicTool::new("time.now", "The time.", Value::Null, |_| async {
        Ok::<_, String>(())
    });
    let registry = Registry::builder().map_names(true).dynamic(tool).build().expect("one tool");
    let choice = ToolChoice::Tool("time.now".to_owned());
    let request = Conversation::new().user("?").request(&registry).tool_choice(choice).expect("it is there");
    assert_eq!(body(request)["tool_choice"]["function"]["name"], "time_now");
}

#[test]
fn the_dialect_is_that_of_the_registry_or_of_the_request() {
    let strict = |request: Request| body(request)["tools"][0]["function"]["strict"] == true;
    let chat = Conversation::new().user("Hello!");
    assert!(!strict(chat.request(&registry())));
    assert!(strict(chat.request(&registry()).dialect(Dialect::OpenAiStrict)));
    let registry = Registry::builder()
        .tools(tools![now])
        .dialect(Dialect::OpenAiStrict)
        .build()
        .expect("it can be strict");
    assert!(strict(chat.request(&registry)));
}

#[test]
fn a_request_that_is_on_its_way_does_not_change() {
    let chat = Conversation::new().user("Hello!");
    let request = chat.request(&registry());
    let chat = chat.user("Are you there?");
    assert_eq!((request.messages().len(), chat.messages().len()), (1, 2));
}
