//! The reasoning of a reply, where the provider sends it as text.

use serde_json::Value;
use tool_runtime::AssistantMessage;

/// The reasoning; `None` if the reply has none, or an encrypted one.
pub(super) fn reasoning(reply: &AssistantMessage) -> Option<String> {
    let mut fields = ["reasoning_content", "reasoning"].into_iter();
    let field = fields.find_map(|field| reply.extra(field)?.as_str());
    let text = field.map_or_else(|| texts_of_items(reply), str::to_owned);
    (!text.is_empty()).then_some(text)
}

fn texts_of_items(reply: &AssistantMessage) -> String {
    let items = reply.native_items().filter_map(|item| serde_json::from_str::<Value>(item).ok());
    items.flat_map(|item| texts(&item)).collect::<Vec<_>>().join("\n\n")
}

/// The texts of reasoning in an item of a provider.
fn texts(item: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let list = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|part| text(&part["text"])).collect()
    };
    match item["type"].as_str() {
        // Anthropic.
        Some("thinking") => text(&item["thinking"]).into_iter().collect(),
        // Responses; `content` has the whole reasoning, which open models send.
        Some("reasoning") => {
            let whole = list(&item["content"]);
            if whole.is_empty() { list(&item["summary"]) } else { whole }
        }
        // Gemini's Interactions API.
        Some("thought") => list(&item["summary"]),
        // Gemini.
        _ if item["thought"] == true => text(&item["text"]).into_iter().collect(),
        // Bedrock, whose items have no type.
        _ => text(&item["reasoningContent"]["reasoningText"]["text"]).into_iter().collect(),
    }
}
