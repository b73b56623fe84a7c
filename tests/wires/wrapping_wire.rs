//! A wire of a program that wraps another one.

use crate::weather_tools::registry;
use crate::{json, list};
use serde_json::{Value, json};
use std::sync::Arc;
use tool_runtime::message::{Chunk, Message};
use tool_runtime::wire::{Body, Gemini, RequestParts, Wire, WireError};
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
