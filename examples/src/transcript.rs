//! A conversation that is printed as it goes on.

use tool_runtime::Message;

/// The messages so far.
#[derive(Debug, Default)]
pub struct Transcript {
    messages: Vec<Message>,
}

impl Transcript {
    /// Adds a message and prints it.
    pub fn append(&mut self, message: impl Into<Message>) {
        let message = message.into();
        println!("{}. {}", self.messages.len() + 1, serde_json::to_string(&message).unwrap_or_default());
        self.messages.push(message);
    }

    /// For the next request.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }
}
