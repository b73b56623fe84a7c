//! A wire of a program that wraps another one.

use crate::weather_tools::registry;
use crate::{json, list};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::conversation::Request;
use tool_runtime::message::{Chunk, Message};
use tool_runtime::wire::{Body, ChatCompletions, Gemini, RequestParts, Wire, WireError};
use tool_runtime::{AssistantMessage, Conversation, Registry, tool, tools};

/// The time of day.
#[tool]
fn now() -> &'static str {
    "12:00"
}

/// Sends other tools than the request has.
#[derive(Debug)]
struct OtherTools(Registry);

impl Wire for OtherTools {
    fn name(&self) -> &'static str {
        Gemini::new().name()
    }
    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        Gemini::new().write(&parts.tools(self.0.schemas()))
    }
    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        Gemini::new().read_reply(body)
    }
    fn read_event(&self, data: &str) -> Chunk {
        Gemini::new().read_event(data)
    }
    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        Gemini::new().read_messages(body)
    }
    fn read_error(&self, body: &str) -> Option<String> {
        Gemini::new().read_error(body)
    }
}

#[test]
fn a_wire_that_sends_other_tools_does_not_change_later_requests() {
    let registry = registry();
    let request = Conversation::new().user("?").request(&registry);
    let names = |wire: &Arc<dyn Wire>| {
        let body = json(&request.clone().wire(Arc::clone(wire)).body().expect("it is written"));
        let declared = list(&body["tools"][0]["functionDeclarations"]).iter();
        declared.map(|tool| tool["name"].clone()).collect::<Value>()
    };
    let other: Arc<dyn Wire> = Arc::new(OtherTools(Registry::new(tools![now]).expect("one tool")));
    let gemini: Arc<dyn Wire> = Arc::new(Gemini::new());
    assert_eq!(names(&other), json!(["now"]));
    assert_eq!(names(&gemini), json!(["delete", "get_weather"]));
    assert_eq!(names(&other), json!(["now"]));
}

/// The wire of OpenAI for a gateway that permits only some tools.
#[derive(Debug)]
struct Permitted(Vec<String>);

impl Wire for Permitted {
    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        let permitted =
            |name: &String| parts.allowed_names().is_none_or(|mut names| names.any(|one| one == name));
        let names: Vec<String> = self.0.iter().filter(|name| permitted(name)).cloned().collect();
        ChatCompletions::new().write(&parts.allowed_tools(&names))
    }
    fn name(&self) -> &'static str {
        "chat_completions"
    }
    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        ChatCompletions::new().read_reply(body)
    }
    fn read_event(&self, data: &str) -> Chunk {
        ChatCompletions::new().read_event(data)
    }
    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        ChatCompletions::new().read_messages(body)
    }
    fn read_error(&self, body: &str) -> Option<String> {
        ChatCompletions::new().read_error(body)
    }
}

#[test]
fn a_wire_can_allow_fewer_tools_than_the_request() {
    let registry = registry();
    let request = Conversation::new().user("?").request(&registry);
    let names = |request: Request| {
        let permitted = Permitted(["delete", "get_weather"].map(str::to_owned).into());
        let body = json(&request.wire(permitted).body().expect("it is written"));
        list(&body["tools"]).iter().map(|tool| tool["function"]["name"].clone()).collect::<Value>()
    };
    assert_eq!(names(request.clone()), json!(["delete", "get_weather"]));
    assert_eq!(names(request.allowed_tools(["delete", "now"])), json!(["delete"]));
}
