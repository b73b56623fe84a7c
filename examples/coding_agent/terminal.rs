//! The terminal of the agent, and its command line.

use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::{env, thread};
use tokio::signal::ctrl_c;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The lines that the user types.
pub(crate) struct Terminal(UnboundedReceiver<String>);

impl Terminal {
    pub(crate) fn open() -> Self {
        let (sender, lines) = unbounded_channel();
        let typed = || io::stdin().lines().map_while(Result::ok);
        // A thread of the runtime would keep the program alive until the next line.
        thread::spawn(move || typed().try_for_each(|line| sender.send(line)));
        Terminal(lines)
    }

    /// The answer to a question; `None` after Ctrl-C, and at the end of the input.
    pub(crate) async fn ask(&mut self, question: impl Display) -> Option<String> {
        print(question);
        tokio::select! { line = self.0.recv() => line, _ = ctrl_c() => None }
    }

    /// Passes on the lines that the user has typed before a question.
    pub(crate) fn typed_before(&mut self, take: impl FnMut(String)) {
        std::iter::from_fn(|| self.0.try_recv().ok()).for_each(take);
    }

    /// Passes on each line until Ctrl-C.
    pub(crate) async fn until_ctrl_c(&mut self, mut take: impl FnMut(String)) {
        let mut ctrl_c = pin!(ctrl_c());
        loop {
            tokio::select! {
                Some(line) = self.0.recv() => take(line),
                _ = &mut ctrl_c => return,
            }
            print("(the agent reads this before its next request)\n");
        }
    }
}

/// Prints at once, without control characters, which could change the terminal. Errors are ignored: the session is more
/// important.
pub(crate) fn print(text: impl Display) {
    let mut text = text.to_string();
    text.retain(|character| ['\n', '\t'].contains(&character) || !character.is_control());
    let mut stdout = io::stdout();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

pub(crate) fn print_first_line(text: &str) {
    print(format_args!("  {}\n", text.lines().next().unwrap_or_default()));
}

/// The folder, and whether its stored session is continued.
pub(crate) fn arguments() -> Result<(PathBuf, bool), String> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let (folder, is_continued) = match &*arguments {
        [folder] => (Path::new(folder), false),
        [folder, option] if option == "--continue" => (Path::new(folder), true),
        _ => return Err("usage: coding_agent FOLDER [--continue]".to_owned()),
    };
    let found = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok((found, is_continued))
}
