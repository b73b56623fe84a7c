//! A request has the messages, the tools and the tool choice, and no field that servers reject.

use crate::schemas::now;
use serde::Serialize;
use serde_json::{Value, json};
use tool_runtime::conversation::Request;
use tool_runtime::wire::{self, ChatCompletions};
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
fn empty_tools_and_choices_without_tools_are_left_out() {
    let chat = Conversation::new().user("Hello!");
    let messages = json!([{"role": "user", "content": "Hello!"}]);
    let empty = Registry::new(tools![]).expect("no tools");
    assert_eq!(body(chat.request(&empty)), json!({"model": "a-model", "messages": messages}));
    let choice = chat.request(&empty).tool_choice(ToolChoice::None);
    assert_eq!(body(choice), json!({"model": "a-model", "messages": messages}));
    let with_tools = body(chat.request(&registry()));
    assert_eq!(with_tools["tools"][0]["function"]["name"], "now");
    assert_eq!(with_tools.get("tool_choice"), None);
}

#[test]
fn each_request_has_its_tool_choice() {
    let chat = Conversation::new().user("Hello!");
    let with = |choice| body(chat.request(&registry()).tool_choice(choice));
    assert_eq!(with(ToolChoice::None)["tool_choice"], "none");
    assert_eq!(with(ToolChoice::Required)["tool_choice"], "required");
    assert_eq!(
        with(ToolChoice::Tool("now".to_owned()))["tool_choice"],
        json!({"type": "function", "function": {"name": "now"}}),
    );
    assert_eq!(with(ToolChoice::Auto).get("tool_choice"), None);
}

#[test]
fn a_choice_of_a_tool_that_is_not_in_the_request_is_ignored_and_reported() {
    /// Turns the light on.
    #[tool]
    fn light() {}

    let all = Registry::new(tools![now, light]).expect("two tools");
    let some = all.subset(["light"]).expect("it is there");
    let choice = all.tool_choice("now").expect("it is there");
    let request = Conversation::new().user("?").request(&some).tool_choice(choice.clone());
    let written = request.wire(ChatCompletions::new()).body().expect("it is written");
    assert!(written.get("tool_choice").is_none());
    assert_eq!(written.report().ignored_choice, Some(choice));
    assert_eq!(written.report().to_string(), "the tool choice is ignored: the request has no tool `now`");
    let none = Registry::new(tools![]).expect("no tools");
    let request = Conversation::new().user("?").request(&none).tool_choice(ToolChoice::Required);
    let written = request.wire(ChatCompletions::new()).body().expect("it is written");
    assert_eq!(written.report().ignored_choice, Some(ToolChoice::Required));
}

#[test]
fn a_tool_choice_uses_the_new_name_of_a_renamed_tool() {
    let tool = tool_runtime::DynamicTool::new("time.now", "The time.", Value::Null, |_| async {
        Ok::<_, String>(())
    });
    let registry = Registry::builder().rename_invalid_names(true).dynamic(tool).build().expect("one tool");
    let choice = ToolChoice::Tool("time.now".to_owned());
    let request = Conversation::new().user("?").request(&registry).tool_choice(choice);
    assert_eq!(body(request.clone())["tool_choice"]["function"]["name"], "time_now");
    let allowed = body(request.allowed_tools(["time.now"]));
    assert_eq!(allowed["tools"][0]["function"]["name"], "time_now");
}

#[test]
fn a_request_does_not_change_with_the_conversation() {
    let chat = Conversation::new().user("Hello!");
    let request = chat.request(&registry());
    let chat = chat.user("Are you there?");
    assert_eq!((request.messages().len(), chat.messages().len()), (1, 2));
}

#[test]
fn a_request_limits_the_tools_that_the_model_may_call() {
    /// Turns the light on.
    #[tool]
    fn light() {}

    let all = Registry::new(tools![now, light]).expect("two tools");
    let request = Conversation::new().user("Hello!").request(&all).allowed_tools(["now"]);
    let sent = body(request.clone());
    assert_eq!(sent["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!((&sent["tools"][0]["function"]["name"], sent.get("tool_choice")), (&json!("now"), None));

    let native = body(request.wire(ChatCompletions::new().native_allowed_tools(true)));
    assert_eq!(native["tools"].as_array().map(Vec::len), Some(2), "the prompt cache stays valid");
    let tools = json!([{"type": "function", "function": {"name": "now"}}]);
    assert_eq!(
        native["tool_choice"],
        json!({"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}})
    );

    let unknown = Conversation::new().user("Hello!").request(&all).allowed_tools(["sleep"]);
    let unknown = unknown.wire(ChatCompletions::new()).body().expect("it is written");
    assert_eq!(unknown.report().unknown_tools, ["sleep"]);
    assert!(unknown.get("tools").is_none());
}

#[test]
fn a_request_may_forbid_parallel_calls() {
    let chat = Conversation::new().user("Hello!");
    assert_eq!(body(chat.request(&registry())).get("parallel_tool_calls"), None);
    let request = chat.request(&registry()).parallel_calls(false);
    assert_eq!(body(request)["parallel_tool_calls"], false);
    let empty = Registry::new(tools![]).expect("no tools");
    let without_tools = body(chat.request(&empty).parallel_calls(false));
    assert_eq!(without_tools.get("parallel_tool_calls"), None, "servers reject the field without tools");
}

#[test]
fn a_tool_choice_outside_of_the_allowed_tools_is_ignored_and_reported() {
    /// The date.
    #[tool]
    fn today() {}

    let registry = Registry::new(tools![now, today]).expect("two tools");
    let request = Conversation::new().user("?").request(&registry);
    let request = request.tool_choice(registry.tool_choice("now").expect("it is there"));
    let request = request.allowed_tools(["today"]);
    for wire in ["chat_completions", "anthropic"] {
        let request = request.clone().wire(wire::by_name(wire).expect("it is enabled"));
        let body = request.body().expect("it is written");
        assert!(body.get("tool_choice").is_none(), "{wire}");
        assert_eq!(body.report().ignored_choice, Some(ToolChoice::Tool("now".to_owned())), "{wire}");
    }
    let none = request.allowed_tools(Vec::<String>::new());
    let body = none.wire(ChatCompletions::new()).body().expect("it is written");
    assert!(body.get("tools").is_none() && body.report().ignored_choice.is_some());
}
