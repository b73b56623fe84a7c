//! A lock file of the tools of a [`tool_runtime`] registry, for the tests of a program: a test with [`assert_tools_lock`] fails
//! if a tool changes, and classifies the change as breaking or compatible.
//!
//! The package is a development dependency. It enables the feature `testing` of `tool-runtime`, in tests only:
//!
//! ```toml
//! [dev-dependencies]
//! # In a project next to a checkout of the repository; after the first release: "0.1" in place of the path.
//! tool-runtime-lock = { path = "../tool-runtime/tool-lock" }
//! ```
//!
//! [`tools_lock`] is the text of the file alone, and [`compare_tools_lock`] the list of the changes.
#![warn(clippy::disallowed_methods)]

mod change;
mod compare;
mod file;
mod json_type;
mod line_diff;
mod location;
mod number;
mod references;
mod renames;
mod report;
mod schemas;
mod similar_name;
mod sorted;
mod tools;

pub use compare::{InvalidLockError, ToolChange, compare_tools_lock};

use file::Lock;
use report::report;
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::Path;
use std::{env, fmt, fs};
use tool_runtime::Registry;
use tools::compare_tools;

const VARIABLE: &str = "TOOLS_LOCK";
const OVERWRITE: &str = "overwrite";

/// Asserts that the tools of a registry are those of a lock file in the repository of the program, with the name, title,
/// description, annotations, `requires_approval`, schema of the arguments and output schema of each tool.
///
/// Such a test shows each change of a tool in a review, with its effect on programs and models that know the old tools. Every
/// change fails the test:
///
/// | Change | Arguments | Results |
/// | --- | --- | --- |
/// | a removed or renamed tool | breaking | |
/// | a new tool | compatible | |
/// | a removed or renamed field | breaking | breaking if it was required |
/// | a new required field, a field that becomes required | breaking | compatible |
/// | a new optional field, a field that becomes optional | compatible | breaking if the old schema rejects it |
/// | a narrower type, limit or `enum`, other fields rejected | breaking | compatible |
/// | a wider type, limit or `enum`, other fields accepted | compatible | breaking |
/// | `read_only`, `idempotent` or `requires_approval` no longer declared as true | breaking | |
/// | `destructive` or `open_world` no longer declared as false, or declared as true | breaking | |
/// | a description, title, default or example | compatible | compatible |
/// | a change that the comparison does not understand | breaking | breaking |
///
/// After a breaking change of the arguments, the tool may reject a call that it accepted before; after a breaking change of the
/// result, a program that reads the results may not understand one. A new optional field of an open object is compatible,
/// unless its `additionalProperties` or `patternProperties` described such a field before.
///
/// The lock file has the schema against which arguments are validated
/// ([`RegisteredTool::enforced_schema`](tool_runtime::registry::RegisteredTool::enforced_schema)); the one in requests [may
/// accept more](macro@tool_runtime::tool#published-schemas). The lock file contains neither the order of the arguments nor
/// rules that only a decoder enforces: a change from `String` to `IpAddr` is not noticed.
///
/// # Write the file
///
/// Run the tests with `TOOLS_LOCK=overwrite`: the assertion writes the file, prints the changes to the standard error, and
/// passes. Then review the difference and commit the file. The file is the same on each machine.
///
/// A relative path starts at the working directory, which `cargo test` sets to the folder of the package.
///
/// ```no_run
/// use tool_runtime::{Registry, tool, tools};
/// use tool_runtime_lock::assert_tools_lock;
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(a: i32, #[arg(default = 0)] b: i32) -> i32 {
///     a + b
/// }
///
/// // with `#[test]`
/// fn the_tools_do_not_change_unnoticed() {
///     let registry = Registry::new(tools![add]).expect("one tool");
///     assert_tools_lock(&registry, "tools.lock");
/// }
/// # the_tools_do_not_change_unnoticed();
/// ```
///
/// After a change of `a` from a number to an integer, the test fails with this message:
///
/// ```text
/// the tools differ from tools.lock: 1 breaking change
///
/// Breaking:
///
///   add
///     `a`: the type narrows from number to integer
///
/// To update tools.lock, run this test with TOOLS_LOCK=overwrite in the environment.
/// ```
///
/// # Panics
///
/// - The tools differ from the file. The message lists the breaking changes and the compatible ones, each with its tool, the
///   path of the argument, and lines with `-` and `+` where they help.
/// - The file is missing, cannot be read or written, is not a lock file, or has another version.
/// - `TOOLS_LOCK` has a value other than `overwrite`.
#[track_caller]
pub fn assert_tools_lock(registry: &Registry, path: impl AsRef<Path>) {
    if let Err(message) = check(registry, path.as_ref(), env::var_os(VARIABLE).as_deref()) {
        panic!("{message}");
    }
}

/// The text of the lock file that [`assert_tools_lock`] compares a registry with and writes, for programs that write it in
/// another way.
///
/// ```
/// use tool_runtime::{Registry, tools};
/// use tool_runtime_lock::tools_lock;
///
/// assert_eq!(tools_lock(&Registry::new(tools![])?), "{\n  \"version\": 1,\n  \"tools\": []\n}\n");
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
///
/// # Panics
///
/// A schema is too deep to be read as JSON.
#[must_use]
#[track_caller]
pub fn tools_lock(registry: &Registry) -> String {
    match Lock::from_registry(registry) {
        Ok((_, text)) => text,
        Err(message) => panic!("{message}"),
    }
}

fn check(registry: &Registry, path: &Path, variable: Option<&OsStr>) -> Result<(), String> {
    let (new, text) = Lock::from_registry(registry)?;
    let name = path.display().to_string();
    let read = || match fs::read_to_string(path) {
        Ok(text) => Lock::read(&text).map_err(|problem| format!("{name} {problem}")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(missing(path)),
        Err(error) => Err(format!("{name} cannot be read: {error}")),
    };
    match variable {
        None => {
            let old = read().map_err(|problem| format!("{problem}\n{}", how_to_write(path)))?;
            let changes = compare_tools(&old, &new);
            if changes.is_empty() {
                return Ok(());
            }
            Err(format!("{}\n{}", report(&name, &changes), how_to_write(path)))
        }
        Some(value) if value == OVERWRITE => {
            match read() {
                Ok(old) if old == new => return Ok(()),
                Ok(old) => match compare_tools(&old, &new) {
                    // Only the order of the tools differs.
                    changes if changes.is_empty() => {}
                    changes => print_line(format_args!("{}", report(&name, &changes))),
                },
                Err(problem) => print_line(format_args!("{problem}")),
            }
            fs::write(path, text).map_err(|error| format!("{name} cannot be written: {error}"))?;
            print_line(format_args!("{name} is written"));
            Ok(())
        }
        Some(value) => Err(format!(
            "{VARIABLE} is {value:?}: set it to `{OVERWRITE}` to write {name}, or unset it to compare the tools with the file"
        )),
    }
}

/// Prints a line although the test passes: the test harness hides the output of `eprintln`.
fn print_line(line: fmt::Arguments<'_>) {
    // Without a standard error, there is no reader.
    let _ = writeln!(io::stderr(), "{line}");
}

/// The path and, if it is relative, the folder in which it starts.
fn missing(path: &Path) -> String {
    let folder = env::current_dir().ok().filter(|_| path.is_relative());
    let folder = folder.map(|folder| format!(" in {}", folder.display())).unwrap_or_default();
    format!("{} does not exist{folder}", path.display())
}

fn how_to_write(path: &Path) -> String {
    let verb = if path.exists() { "update" } else { "create" };
    format!("To {verb} {}, run this test with {VARIABLE}={OVERWRITE} in the environment.", path.display())
}

/// The program of the README, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
