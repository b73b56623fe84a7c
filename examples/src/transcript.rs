//! A conversation that is printed as it goes on.

use tool_runtime::Message;

/// How much of a conversation is printed.
#[derive(Debug, Default)]
pub struct Transcript {
    printed: usize,
}

impl Transcript {
    /// Prints the messages that are new, each on a line.
    pub fn print(&mut self, messages: &[Message]) {
        for message in messages.iter().skip(self.printed) {
            self.printed += 1;
            println!("{}. {}", self.printed, serde_json::to_string(message).unwrap_or_default());
        }
    }
}
