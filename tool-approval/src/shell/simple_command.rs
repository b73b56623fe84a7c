//! The program of a simple command, and the commands that it runs in turn.

use super::list::Word;
use super::programs::{adds_words, doubt, is_shell, runs_words, takes_scripts};
use super::{Read, Reader};

/// Words after which a command begins.
const BEFORE_COMMANDS: &[&str] =
    &["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "in", "!", "{", "}"];

/// Variables whose value a shell runs or evaluates.
const RUN_VARIABLES: &[&str] = &["BASH_ENV", "ENV", "PROMPT_COMMAND", "PS4"];

impl Reader {
    /// Reads a simple command, or the words of a compound one up to an operator.
    pub(super) fn command(&mut self, words: &[Word], has_input: bool, depth: usize) -> Read<()> {
        self.first_command(words, has_input, depth)?;
        // After `]]`, `then` and `do` need no operator.
        let starts = words.iter().enumerate().filter(|(_, word)| word.is_unquoted("]]"));
        for (position, _) in starts {
            self.first_command(&words[position + 1..], has_input, depth)?;
        }
        Ok(())
    }

    /// Reads the command that the words begin with.
    fn first_command(&mut self, words: &[Word], has_input: bool, depth: usize) -> Read<()> {
        let mut words = words;
        while let [first, rest @ ..] = words {
            let is = |text: &&str| first.is_unquoted(text);
            if BEFORE_COMMANDS.iter().any(is) {
                words = rest;
            } else if is(&"case") {
                // The text to compare, and a pattern.
                return Ok(());
            } else if is(&"for") || is(&"select") {
                // A name and values, unless the body follows at once.
                let body = rest.iter().position(|word| word.is_unquoted("do"));
                words = body.map_or(&[], |body| &rest[body..]);
            } else if is(&"function") {
                words = rest.get(1..).unwrap_or_default();
            } else if let Some(name) = assigned(first) {
                if name.contains('[') {
                    return Err("the command assigns to an element of an array");
                }
                if RUN_VARIABLES.contains(&name) {
                    self.doubt = Some("the command sets a variable whose value a shell runs");
                }
                words = rest;
            } else {
                break;
            }
        }
        if words.is_empty() { Ok(()) } else { self.program(words, has_input, depth) }
    }

    /// Adds a command, and the commands that its program runs in turn.
    pub(super) fn program(&mut self, words: &[Word], has_input: bool, depth: usize) -> Read<()> {
        let mut follows_wrapper = false;
        let mut follows_added_words = false;
        let mut are_scripts_read = false;
        for (position, word) in words.iter().enumerate() {
            if position > 0 && !follows_wrapper {
                break;
            }
            let rest = &words[position + 1..];
            self.push_part(word, rest)?;
            // A program cannot run `.`, which is a folder to it.
            if word.unknown.is_some() || (follows_added_words && word.text == ".") {
                continue;
            }
            let name = name_of(&word.text);
            let is_wrapper = runs_words(&name, rest);
            if follows_added_words && is_wrapper {
                self.doubt = Some("the command runs a program whose name may be added to it");
            }
            self.doubt = doubt(&name, rest).or(self.doubt);
            follows_wrapper |= is_wrapper;
            follows_added_words |= adds_words(&name, rest);
            if name == "eval" {
                self.evaluate(rest, depth);
            }
            if is_shell(&name) {
                self.shell(rest, has_input);
            }
            if takes_scripts(&name) && !are_scripts_read {
                are_scripts_read = true;
                self.scripts(rest, depth);
            }
        }
        Ok(())
    }

    /// Adds the command that begins with a word, with the whole path of its program and with its name alone.
    fn push_part(&mut self, word: &Word, rest: &[Word]) -> Read<()> {
        // An expansion in a name may contain spaces and slashes. The value of an assignment is no name, unless it is divided.
        let in_value = |at: &usize| !word.may_split && assigned(word).is_some_and(|name| *at > name.len());
        let mut unknown = word.unknown.map(|at| if in_value(&at) { at } else { 0 });
        let mut arguments = String::new();
        for argument in rest {
            self.charge(argument.text.len())?;
            arguments.push(' ');
            if let (None, Some(at)) = (unknown, argument.unknown) {
                unknown = Some(word.text.len() + arguments.len() + at);
            }
            arguments.push_str(&argument.text);
        }
        let mut names = vec![word.text.clone()];
        if word.unknown.is_none() {
            names.extend([file_name(&word.text).to_owned(), name_of(&word.text)]);
            names.dedup();
        }
        for name in names {
            let unknown = unknown.map(|at| (at + name.len()).saturating_sub(word.text.len()));
            self.push(name + &arguments, unknown)?;
        }
        Ok(())
    }

    /// Reads the script of `eval`.
    fn evaluate(&mut self, words: &[Word], depth: usize) {
        if words.iter().any(|word| word.unknown.is_some()) {
            self.doubt = Some("the script of `eval` is unknown");
            return;
        }
        let is_end_of_options = |word: &Word| word.text == "--";
        let words = if words.first().is_some_and(is_end_of_options) { &words[1..] } else { words };
        let script: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        self.inner_script(&script.join(" "), depth);
    }

    /// Reads the arguments that may be scripts.
    fn scripts(&mut self, words: &[Word], depth: usize) {
        for word in words {
            let is_option = word.text.starts_with(['-', '+']);
            if word.unknown.is_some() || (is_option && word.text.contains(char::is_whitespace)) {
                self.doubt = Some("a script in the command is unknown");
            } else if !is_option {
                self.inner_script(&word.text, depth);
            }
        }
    }

    /// Reads a script whose problems do not prevent the search for further parts.
    fn inner_script(&mut self, text: &str, depth: usize) {
        if let Err(doubt) = self.script(text, depth + 1) {
            self.doubt = Some(doubt);
        }
    }

    /// Checks that a shell reads its commands neither from its standard input nor from a descriptor.
    fn shell(&mut self, words: &[Word], has_input: bool) {
        let is_option = |word: &Word| word.text.starts_with(['-', '+']);
        // Other options have values, or read the standard input.
        let is_known = |word: &Word| match word.text.strip_prefix("--") {
            Some(name) => matches!(name, "login" | "norc" | "noprofile" | "posix"),
            None => {
                word.text.len() > 1 && word.text[1..].bytes().all(|option| b"ceuxvlnfp".contains(&option))
            }
        };
        let is_device = |word: &Word| word.text.contains("/dev/") || word.text.contains("/proc/");
        let has_script = words.iter().any(|word| !is_option(word));
        let has_unknown = words.iter().any(|word| (is_option(word) && !is_known(word)) || is_device(word));
        if has_input || !has_script || has_unknown {
            self.doubt = Some("a shell reads commands that are unknown");
        }
    }
}

/// The name to which a word assigns, with its subscript.
fn assigned(word: &Word) -> Option<&str> {
    let (target, _) = word.text.split_once('=')?;
    let target = target.strip_suffix('+').unwrap_or(target);
    let name = target.split('[').next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_target = name == target || target.ends_with(']');
    (is_name && is_target && word.unknown.is_none_or(|at| at >= name.len())).then_some(target)
}

/// The path of a program without its folder.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of a program in the form that a file system without case compares.
fn name_of(path: &str) -> String {
    let name = file_name(path).to_lowercase();
    match name.strip_suffix(".exe") {
        Some(short) => short.to_owned(),
        None => name,
    }
}
