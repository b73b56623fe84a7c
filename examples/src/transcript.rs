//! Printing of a conversation while it grows.

use std::fmt::Display;
use std::io::{self, Write as _};
use tool_runtime::message::Message;

/// The number of messages that are already printed.
#[derive(Debug, Default)]
pub struct Transcript {
    printed: usize,
}

impl Transcript {
    /// Prints the new messages, each on one line.
    pub fn print(&mut self, messages: &[Message]) {
        for message in messages.iter().skip(self.printed) {
            self.printed += 1;
            let message = serde_json::to_string(message).unwrap_or_default();
            print_line(format_args!("{}. {message}", self.printed));
        }
    }
}

/// Prints a line. Errors are ignored, since readers such as `head` may stop early.
pub fn print_line(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}
