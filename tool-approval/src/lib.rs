//! Rules about the calls of a [`tool_runtime`] registry, as settings of a person or a program: which calls are allowed, which ask a
//! person, and which are denied.
//!
//! ```
//! use std::sync::{Arc, PoisonError, RwLock};
//! use tool_runtime::dispatch::Decision;
//! use tool_runtime::{Registry, ToolCall, tool, tools};
//! use tool_runtime_approval::{Rule, Rules};
//!
//! /// Runs a command in a shell.
//! #[tool(destructive, requires_approval)]
//! async fn run_command(command: &str) -> String {
//!     format!("{command} is done")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut rules = Rules::new()
//!     .command("run_command", "command") // this argument is a command of a shell
//!     .deny(Rule::tool("run_command").argument("command", "rm *"))
//!     .allow(Rule::tool("run_command").argument("command", "git status *"))
//!     .allow("read_*");
//! # let settings = r#"{"ask": ["send_mail"]}"#;
//! rules.extend(serde_json::from_str(&settings)?); // those of the user
//!
//! let rules = Arc::new(RwLock::new(rules)); // `rules.write()` changes them while the program runs
//! let registry = Registry::builder()
//!     .tools(tools![run_command])
//!     .before_call(move |call| {
//!         let decision = rules.read().unwrap_or_else(PoisonError::into_inner).decide(&call);
//!         async move {
//!             match decision {
//!                 Decision::Undecided if call.arguments().len() > 10_000 => Decision::Ask, // what the program decides itself
//!                 decided => decided,
//!             }
//!         }
//!     })
//!     .build()?;
//! let messages = registry
//!     .dispatch(&[
//!         ToolCall::new("call_1", "run_command", r#"{"command":"git status --short"}"#),
//!         ToolCall::new("call_2", "run_command", r#"{"command":"git status && sudo rm -rf /"}"#),
//!     ])
//!     .await;
//! assert_eq!(messages[0].content, "git status --short is done");
//! assert_eq!(
//!     messages[1].content,
//!     "Error: `run_command` with this `command` is denied by a rule: `rm *`. Do it another way, or ask the user."
//! );
//! # Ok(())
//! # }
//! ```
//!
//! The verdict about a call is the first of these that applies; the order in which rules are added does not matter:
//!
//! 1. A rule of [`deny`](Rules::deny) is about the call: it is denied.
//! 2. A person has allowed exactly this call ([`Rules::allow_like`]): it runs.
//! 3. A rule of [`ask`](Rules::ask) is about the call, or it is unclear whether one of `deny` or `ask` is: a person decides.
//! 4. A rule of [`allow`](Rules::allow) is about the call: it runs. For a tool with `requires_approval`, the rule must name the
//!    tool without a wildcard.
//! 5. A rule of `allow` has a pattern for a command that cannot be read with certainty: a person decides.
//! 6. Otherwise, the rules are undecided: the call runs unless its tool has `requires_approval`, or the program decides.
//!
//! [`Rules::verdict`] returns the verdict with its rule, for a page that shows it.
//!
//! # Settings
//!
//! Rules are a JSON object for a settings file. A rule without patterns of arguments is a string. Unknown fields and other
//! mistakes are errors.
//!
//! ```
//! # let text = r#"
//! {
//!   "commands": [{"tool": "run_command", "argument": "command"}],
//!   "deny": [{"tool": "run_command", "arguments": {"command": "rm *"}}],
//!   "ask": ["run_command"],
//!   "allow": ["read_*"],
//!   "allow_calls": [{"tool": "run_command", "arguments": {"command": "cargo test | tail"}}]
//! }
//! # "#;
//! # let rules: tool_runtime_approval::Rules = serde_json::from_str(text)?;
//! # assert_eq!(serde_json::to_value(rules)?, serde_json::from_str::<serde_json::Value>(text)?);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! [`Rules::extend`] merges files. To write [`Rules::allow_like`] back to a file, keep the rules of that file apart, and call it
//! on both. Declare the commands in the program, so that no file can omit them, and read a file that the
//! user did not write with [`Rules::without_allowed`]. [`Rules::unknown_names`] finds rules about tools and arguments that the
//! registry does not have.
//!
//! # Patterns
//!
//! In a pattern, `*` is any text, also an empty one, `\*` is a `*` and `\\` is a `\`. Every other character stands for itself,
//! and the whole text must match.
//!
//! - A value that is not a string is matched as its JSON text. A rule of `deny` or `ask` matches an array or an object if one
//!   of the values in it matches, or its whole JSON text, which includes the keys. A rule of `allow` matches it if there is a
//!   value in it, and each of them matches.
//! - In a rule of `allow`, `*` matches no line break.
//! - An absent argument has its default, which rules do not know. It is not allowed, and to deny or ask, it is unclear. So a rule
//!   about every tool with a pattern for `path` asks about each call without a `path`: name the tools that have one.
//! - A call whose arguments repeat a key, or have a number that cannot be compared exactly, is unclear to a rule about arguments.
//! - `src/*` also matches `src/../secret`: paths are texts. Let the tool check where a path leads.
//!
//! # Commands
//!
//! An argument that is declared with [`Rules::command`] is read as a command of `sh`, `dash` or `bash`, or as an array with a
//! program and its arguments. `rm *` also matches `rm` without arguments.
//!
//! To allow, a pattern must match the whole text, which is one program with its arguments. A command with an operator, an
//! expansion (except `~` and patterns of file names), a redirection, a comment or several lines is never allowed by a
//! pattern, and neither is one whose program has quotes in its name. [`Rules::allow_like`] allows such a command, as exactly
//! the same text, and so does a rule of `allow` without a pattern for the argument: `"run_command"` allows every command. A
//! pattern allows a program with all that its arguments can do: `git *` includes `git -c alias.x='!rm y' x`. A rule about a
//! subcommand does not see it after other options: `git push *` is not about `git -C . push`. So allow subcommands, such as `git
//! status *` and `git diff *`, instead of `git *`.
//!
//! To deny or ask, a pattern matches the whole text, or one of its parts:
//!
//! - each command of lists, pipelines, groups, compound commands, functions and substitutions;
//! - each command that a usual wrapper (`sudo`, `env`, `timeout`, `xargs`, `find -exec`) may run, and those in the script of
//!   `eval`, `sh -c` and similar programs;
//! - each redirection, as `> file` or `< file`.
//!
//! Quotes and assignments are removed from parts, words are separated by one space, and the program is also matched without its
//! folder, and in lower case without `.exe`. A text that only looks like a command is a part too: `rm *` denies
//! `case x in a) ;; rm) ;; esac`.
//!
//! To a rule with a pattern for the argument, the command is unclear, so a person decides, if the text cannot be read with
//! certainty: if a quote is not closed, for example, if shells read it differently, if it is longer than 64 KiB, if a shell
//! reads commands from its input, or if a pattern may match the text of an expansion: `$X -rf /` always, `rm $X` for the
//! pattern `rm -rf *`. A pattern that begins with `*` may match every command with an expansion.
//!
//! # No sandbox
//!
//! A rule of `deny` prevents mistakes of a model. It does not stop a model or a text that wants to run something: a script in
//! a file, an alias or a function of the shell, a variable such as `PATH` or `GIT_PAGER`, `python -c`, `make`, `git`, `docker`,
//! another program that deletes files, a program that runs its arguments and is no usual wrapper, a command in another
//! shell's language (`fish`, `cmd`, PowerShell), a value that is put together from several variables and then evaluated, and
//! another spelling of a path are all possible. Allow what is known instead of denying what is bad, ask about the rest, and
//! run commands in a container or under a user that can reach only what the model may change, without secrets in its
//! environment.
#![warn(clippy::disallowed_methods)]

mod command;
mod matching;
mod pattern;
mod rule;
mod rules;
mod shell;
mod unique_keys;
mod unknown_names;
mod verdict;

pub use rule::Rule;
pub use rules::{AllowedCall, Rules};
pub use verdict::Verdict;

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
