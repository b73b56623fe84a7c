//! A wire of a program that wraps another one.

use crate::weather_tools::registry;
use crate::{json, list};
use serde_json::{Value, json};
use std::fmt;
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

/// Changes a request before `inner` writes it.
struct Wrapped<W, F> {
    inner: W,
    write: F,
}

impl<W, F> fmt::Debug for Wrapped<W, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wrapped")
    }
}

impl<W, F> Wire for Wrapped<W, F>
where
    W: Wire,
    F: Fn(&W, &RequestParts<'_>) -> Result<Body, WireError> + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        self.inner.name()
    }
    fn write(&self, parts: &RequestParts<'_>) -> Result<Body, WireError> {
        (self.write)(&self.inner, parts)
    }
    fn read_reply(&self, body: &str) -> Result<AssistantMessage, WireError> {
        self.inner.read_reply(body)
    }
    fn read_event(&self, data: &str) -> Chunk {
        self.inner.read_event(data)
    }
    fn read_messages(&self, body: &str) -> Result<Vec<Message>, WireError> {
        self.inner.read_messages(body)
    }
    fn read_error(&self, body: &str) -> Option<String> {
        self.inner.read_error(body)
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
    let others = Registry::new(tools![now]).expect("one tool");
    let write = move |gemini: &Gemini, parts: &RequestParts<'_>| gemini.write(&parts.tools(others.schemas()));
    let other: Arc<dyn Wire> = Arc::new(Wrapped { inner: Gemini::new(), write });
    let gemini: Arc<dyn Wire> = Arc::new(Gemini::new());
    assert_eq!(names(&other), json!(["now"]));
    assert_eq!(names(&gemini), json!(["delete", "get_weather"]));
    assert_eq!(names(&other), json!(["now"]));
}

#[test]
fn a_wire_can_allow_fewer_tools_than_the_request() {
    let registry = registry();
    let request = Conversation::new().user("?").request(&registry);
    let write = |wire: &ChatCompletions, parts: &RequestParts<'_>| {
        let allowed = |name: &str| parts.allowed_names().is_none_or(|mut names| names.any(|one| one == name));
        let permitted = ["delete", "get_weather"].into_iter().filter(|name| allowed(name));
        wire.write(&parts.allowed_tools(&permitted.map(str::to_owned).collect::<Vec<_>>()))
    };
    let names = |request: Request| {
        let wire = Wrapped { inner: ChatCompletions::new(), write };
        let body = json(&request.wire(wire).body().expect("it is written"));
        list(&body["tools"]).iter().map(|tool| tool["function"]["name"].clone()).collect::<Value>()
    };
    assert_eq!(names(request.clone()), json!(["delete", "get_weather"]));
    assert_eq!(names(request.allowed_tools(["delete", "now"])), json!(["delete"]));
}
