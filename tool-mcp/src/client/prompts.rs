//! The prompts of a server.

use super::output::{ContentLimit, content_block};
use super::pages::ListKind;
use super::{Client, ClientError};
use crate::message_size::truncated;
use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, JsonObject, Prompt, PromptArgument,
};
use serde_json::Value;
use tool_runtime::message::{Content, Message};

/// The size after which the texts of a definition are truncated, and the number of arguments that a prompt keeps.
const MAX_TEXT_BYTES: usize = 16 * 1024;
const MAX_ARGUMENTS: usize = 100;

/// The number of messages of a prompt.
const MAX_MESSAGES: usize = 1_000;

impl Client {
    /// The prompts of the server as they are now; none if the server has no prompts. Texts are truncated after 16 KiB. The
    /// limits of [`resources`](Client::resources) apply.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not respond in time, or has too many prompts.
    pub async fn prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        Ok(self.list(ListKind::Prompts).await?.iter().filter_map(prompt).collect())
    }

    /// The messages of a prompt with these arguments, for a conversation. Their roles are those of the user and the assistant. In
    /// a session: `session.edit(|messages| messages.extend(prompt))`. Their parts are those of
    /// [`read_resource`](Client::read_resource), with its limits; a prompt has at most 1,000 messages.
    ///
    /// The texts come from the server, and the model reads them as words of the user: show them to the person, or use only
    /// servers that are trusted.
    ///
    /// ```no_run
    /// # async fn run(client: tool_runtime_mcp::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// for message in client.prompt("refund", &[("order", "A-17")]).await? {
    ///     println!("{}", message.text());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot be reached, does not respond in time, or rejects the request: for example because an
    /// argument is missing.
    pub async fn prompt(&self, name: &str, arguments: &[(&str, &str)]) -> Result<Vec<Message>, ClientError> {
        let arguments: JsonObject =
            arguments.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        let mut params = GetPromptRequestParams::new(name);
        params.arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let result = self.request(request).await?;
        let Value::Array(messages) = &result["messages"] else { return Err(ClientError::UnexpectedResponse) };
        let mut limit = ContentLimit::new(&self.0.settings);
        let mut read: Vec<Message> =
            messages.iter().take(MAX_MESSAGES).map(|value| message(value, &mut limit)).collect();
        if messages.len() > MAX_MESSAGES {
            let left_out = messages.len() - MAX_MESSAGES;
            read.push(Message::user(format!("[{left_out} more messages are left out]")));
        }
        Ok(read)
    }
}

/// A message. Any role but that of the assistant is that of the user: a server gives no instructions.
fn message(message: &Value, limit: &mut ContentLimit<'_>) -> Message {
    let blocks = match &message["content"] {
        Value::Array(blocks) => blocks.iter().map(content_block).collect(),
        Value::String(text) => vec![rmcp::model::ContentBlock::text(text)],
        block => vec![content_block(block)],
    };
    let content = Content::from_parts(limit.parts(blocks));
    if message["role"] == "assistant" { Message::assistant(content) } else { Message::user(content) }
}

fn prompt(definition: &Value) -> Option<Prompt> {
    let text = |value: &Value| value.as_str().map(|text| truncated(text, MAX_TEXT_BYTES));
    let arguments = definition["arguments"].as_array().into_iter().flatten().take(MAX_ARGUMENTS);
    let arguments: Vec<PromptArgument> = arguments
        .filter_map(|definition| {
            let mut argument = PromptArgument::new(text(&definition["name"])?);
            argument.title = text(&definition["title"]);
            argument.description = text(&definition["description"]);
            argument.required = definition["required"].as_bool();
            Some(argument)
        })
        .collect();
    // A truncated name cannot be used.
    let name = definition["name"].as_str().filter(|name| !name.is_empty() && name.len() <= MAX_TEXT_BYTES)?;
    let arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
    let mut prompt = Prompt::new(name, text(&definition["description"]), arguments);
    prompt.title = text(&definition["title"]);
    Some(prompt)
}
