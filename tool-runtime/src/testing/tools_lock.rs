//! A lock of the tools of a registry, for the tests of programs.

mod change;
mod file;
mod line_diff;
mod path;
mod renames;
mod report;
mod schemas;
mod tools;

use crate::registry::Registry;
use file::Lock;
use report::report;
use std::ffi::OsStr;
use std::path::Path;
use std::{env, fs, io};
use tools::compare_tools;

const VARIABLE: &str = "TOOLS_LOCK";
const OVERWRITE: &str = "overwrite";

/// Asserts that the tools of a registry are those of a lock: a file in the repository of the program, with the name, title,
/// description, annotations, schema of the arguments and output schema of each tool.
///
/// A test with this assertion shows each change of a tool in a review, together with its effect on programs and models that
/// know the old tools. Every change fails the test:
///
/// - A **breaking** change rejects a call that was valid before, or returns a result that the old output schema rejects: a
///   removed or renamed tool or argument, a new required argument, an argument that becomes required, a narrower type or
///   limit, a removed value of an enum, an object that rejects other fields now, an annotation with a lost promise
///   (`read_only` and `idempotent` lost, `destructive` and `open_world` gained). A change that the comparison does not
///   understand is breaking.
/// - A **compatible** change is any other: a new tool, a new optional argument, a wider type or limit, a new value of an
///   enum, an argument that becomes optional, a description, a default.
///
/// For an output schema the direction is the opposite: a new value of an enum in a result is breaking, since a program that
/// reads results may not know it.
///
/// A new optional argument is compatible also if the object accepted other fields before, provided that its schema did not
/// describe them.
///
/// The lock has the published schema of the arguments. The order of the arguments is not part of it, and neither are the rules
/// that are [enforced but not published](macro@crate::tool#published-schemas): the lock shows that the items of an array become
/// unique only as a change of a description, which is compatible.
///
/// # Write the lock
///
/// Run the tests with `TOOLS_LOCK=overwrite`: the assertion writes the file, prints the changes to the standard error, and
/// passes. Then review the difference and commit the file. The file is the same on each machine.
///
/// A relative path starts at the working directory, which `cargo test` sets to the folder of the package.
///
/// ```
/// use tool_runtime::testing::assert_tools_lock;
/// use tool_runtime::{Registry, tool, tools};
///
/// /// Adds two numbers.
/// #[tool(read_only)]
/// fn add(a: i32, #[arg(default = 0)] b: i32) -> i32 {
///     a + b
/// }
///
/// let registry = Registry::new(tools![add])?;
/// # let folder = std::env::temp_dir().join(format!("tools-lock-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("tools.lock");
/// // `TOOLS_LOCK=overwrite` writes this file:
/// let lock = r#"{
///   "version": 1,
///   "tools": [
///     {
///       "name": "add",
///       "description": "Adds two numbers.",
///       "annotations": {
///         "read_only": true
///       },
///       "parameters": {
///         "additionalProperties": false,
///         "properties": {
///           "a": {
///             "maximum": 2147483647,
///             "minimum": -2147483648,
///             "type": "integer"
///           },
///           "b": {
///             "default": 0,
///             "maximum": 2147483647,
///             "minimum": -2147483648,
///             "type": "integer"
///           }
///         },
///         "required": [
///           "a"
///         ],
///         "type": "object"
///       }
///     }
///   ]
/// }
/// "#;
/// std::fs::write(&path, lock)?; // path: "tools.lock"
/// assert_tools_lock(&registry, &path);
///
/// // `a` was a number, so a call with 1.5 is an error now.
/// let before = lock.replacen(r#""type": "integer""#, r#""type": "number""#, 1);
/// std::fs::write(&path, before)?;
/// let panic = std::thread::spawn(move || assert_tools_lock(&registry, path)).join().unwrap_err();
/// let message = panic.downcast_ref::<String>().expect("the message is text");
/// assert!(message.contains("`a`: the type narrows from number to integer"), "{message}");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
///
/// - The tools differ from the lock. The message lists the breaking changes and the compatible ones, each with its tool, the
///   path of the argument, and lines with `-` and `+` where they help.
/// - The file is missing, is not a lock, or has another version. The message has the command that writes it.
/// - `TOOLS_LOCK` has a value other than `overwrite`.
#[track_caller]
pub fn assert_tools_lock(registry: &Registry, path: impl AsRef<Path>) {
    if let Err(message) = check(registry, path.as_ref(), env::var_os(VARIABLE).as_deref()) {
        panic!("{message}");
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
                Ok(old) => eprintln!("{}", report(&name, &compare_tools(&old, &new))),
                Err(problem) => eprintln!("{problem}"),
            }
            fs::write(path, text).map_err(|error| format!("{name} cannot be written: {error}"))?;
            eprintln!("{name} is written");
            Ok(())
        }
        Some(value) => Err(format!(
            "{VARIABLE} is {value:?}: set it to `{OVERWRITE}` to write {name} anew, or unset it to compare the tools with it"
        )),
    }
}

/// The path, with the folder that a relative one starts at.
fn missing(path: &Path) -> String {
    let folder = env::current_dir().ok().filter(|_| path.is_relative());
    let folder = folder.map(|folder| format!(" in {}", folder.display())).unwrap_or_default();
    format!("{} does not exist{folder}", path.display())
}

fn how_to_write(path: &Path) -> String {
    format!("To write {} anew, run this test with {VARIABLE}={OVERWRITE} in the environment.", path.display())
}
