//! A conversation that is printed as it goes on.

use std::fmt::Display;
use std::io::{self, Write as _};
use tool_runtime::message::Message;

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
            let message = serde_json::to_string(message).unwrap_or_default();
            print_line(format_args!("{}. {message}", self.printed));
        }
    }
}

/// Prints a line; a reader that has seen enough, such as `head`, does not matter.
pub fn print_line(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}
