//! The definitions of tools as requests contain them.

use crate::tokens::count_tokens;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use tool_runtime::message::Message;
use tool_runtime::schema::ToolSchema;
use tool_runtime::wire::{
    Anthropic, Bedrock, Body, ChatCompletions, Gemini, GeminiInteractions, Ollama, RequestParts, Responses,
    Wire, WireError,
};
use tool_runtime::{Conversation, Registry};

/// A wire, plain or strict.
struct Format {
    wire: Arc<dyn Wire>,
    strict: bool,
}

impl Format {
    fn plain(wire: impl Wire + 'static) -> Self {
        Format { wire: Arc::new(wire), strict: false }
    }

    fn strict(wire: impl Wire + 'static) -> Self {
        Format { wire: Arc::new(wire), strict: true }
    }
}

/// Each wire, and its strict form if it has one.
fn formats() -> [Format; 12] {
    [
        Format::plain(ChatCompletions::new()),
        Format::strict(ChatCompletions::new().strict(true)),
        Format::plain(Anthropic::new()),
        Format::strict(Anthropic::new().strict(true)),
        Format::plain(Responses::new()),
        Format::strict(Responses::new().strict(true)),
        Format::plain(Gemini::new()),
        Format::strict(Gemini::new().strict(true)),
        Format::plain(GeminiInteractions::new()),
        Format::strict(GeminiInteractions::new().strict(true)),
        Format::plain(Bedrock::new()),
        Format::plain(Ollama::new()),
    ]
}

/// The definitions of one tool, or of all tools of a request, in the format of a wire.
#[derive(Debug, Serialize)]
pub(crate) struct Definition {
    wire: &'static str,
    /// Whether the wire asks for strict definitions.
    strict: bool,
    /// Whether all of them are strict.
    is_strict: bool,
    /// The fields of the request that come from tools.
    #[serde(rename = "definition")]
    fields: Map<String, Value>,
    tokens: usize,
    bytes: usize,
    /// The changes of the definitions, and the reasons why they are not strict.
    report: Vec<String>,
    /// The reason why the request cannot be written.
    error: Option<String>,
}

/// The definition of one tool, for each wire.
pub(crate) fn definitions(tool: &ToolSchema) -> Vec<Definition> {
    let messages = [Message::user("Hello!")];
    let parts = RequestParts::new(&messages).tools(std::slice::from_ref(tool));
    each_format(&messages, |wire| wire.write(&parts))
}

/// The definitions of all tools of a request, for each wire: only their sizes and their reports.
pub(crate) fn request_sizes(registry: &Registry) -> Vec<Definition> {
    let chat = Conversation::new().user("Hello!");
    let mut requests =
        each_format(chat.messages(), |wire| chat.request(registry).wire(Arc::clone(wire)).body());
    for request in &mut requests {
        request.fields = Map::new();
    }
    requests
}

fn each_format(
    messages: &[Message],
    write: impl Fn(&Arc<dyn Wire>) -> Result<Body, WireError>,
) -> Vec<Definition> {
    let definition = |Format { wire, strict }: Format| {
        let written = write(&wire).and_then(|with| Ok((wire.write(&RequestParts::new(messages))?, with)));
        let (fields, report, is_strict, error) = match written {
            Ok((without, with)) => {
                let report = with.report();
                let is_strict = strict && report.not_strict_tools.is_empty();
                let lines = report.to_string().lines().map(str::to_owned).collect();
                (added_fields(&without, &with), lines, is_strict, None)
            }
            Err(error) => (Map::new(), Vec::new(), false, Some(error.to_string())),
        };
        let text: String = fields.values().map(Value::to_string).collect();
        let (tokens, bytes) = (count_tokens(&text), text.len());
        Definition { wire: wire.name(), strict, is_strict, fields, tokens, bytes, report, error }
    };
    formats().into_iter().map(definition).collect()
}

/// The fields that only the second body has, or has with another value.
fn added_fields(without: &Body, with: &Body) -> Map<String, Value> {
    let fields = |body: &Body| match serde_json::to_value(body) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let (without, mut with) = (fields(without), fields(with));
    with.retain(|field, value| without.get(field) != Some(value));
    with
}
