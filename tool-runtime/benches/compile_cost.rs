//! The build cost of a tool: 200 tools of three parameters, compared with the same functions with a derived struct
//! each, as a program would have them without this crate.
//!
//! `cargo bench -p tool-runtime --bench compile_cost`
//!
//! The figure of a program with one tool is subtracted from each figure, since it is the cost of any program. The
//! programs take turns, and the best run counts: other load on the machine only adds time.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const TOOLS: usize = 200;
const RUNS: usize = 5;
/// The maximum ratio of the figure for tools to that for derived structs.
const BUDGET: f64 = 0.35;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[derive(Clone, Copy)]
enum Kind {
    Derived,
    Tool,
}

struct Program {
    kind: Kind,
    tools: usize,
    folder: PathBuf,
}

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_cost");
    let program = |kind, tools| Program::write(&root, kind, tools);
    let programs = [
        program(Kind::Derived, 1)?,
        program(Kind::Derived, TOOLS)?,
        program(Kind::Tool, 1)?,
        program(Kind::Tool, TOOLS)?,
    ];
    println!("{TOOLS} tools of 3 parameters; best of {RUNS} runs, minus the figure for 1 tool");
    println!("{:22}{:>14}{:>14}{:>9}{:>9}", "", "derived struct", "#[tool]", "ratio", "budget");
    for (name, command) in [("cargo check", "check"), ("cargo build", "build")] {
        let seconds = times(&root, &programs, command)?.map(|time| time.as_secs_f64());
        row(name, seconds, |seconds| format!("{seconds:.2} s"));
    }
    let mut sizes = [0.0; 4];
    for (program, size) in programs.iter().zip(&mut sizes) {
        program.cargo(&root, &["build", "--release"])?;
        let bytes = fs::metadata(root.join("target/release").join(program.name()))?.len();
        *size = u32::try_from(bytes)?.into();
    }
    // Only the size is the same in every run, so only it can fail.
    let ratio = row("release binary", sizes, |bytes| format!("{:.0} kB", bytes / 1000.0));
    if ratio <= BUDGET { Ok(()) } else { Err("the release binary is over its budget".into()) }
}

/// Prints a row, and returns the ratio. `figures` are those of 1 and 200 derived structs, then of 1 and 200 tools.
fn row(name: &str, figures: [f64; 4], format: impl Fn(f64) -> String) -> f64 {
    let (derived, tool) = (figures[1] - figures[0], figures[3] - figures[2]);
    let ratio = tool / derived;
    let verdict = if ratio > BUDGET { "  over" } else { "" };
    let (derived, tool) = (format(derived), format(tool));
    println!("{name:22}{derived:>14}{tool:>14}{ratio:>9.2}{BUDGET:>9.2}{verdict}");
    ratio
}

fn times(root: &Path, programs: &[Program; 4], command: &str) -> Result<[Duration; 4]> {
    let mut best = [Duration::MAX; 4];
    // The first run builds the dependencies, and does not count.
    for run in 0..=RUNS {
        for (program, best) in programs.iter().zip(&mut best) {
            let source = program.folder.join("src/main.rs");
            fs::write(&source, fs::read(&source)?)?;
            let started = Instant::now();
            program.cargo(root, &[command])?;
            if run > 0 {
                *best = started.elapsed().min(*best);
            }
        }
    }
    Ok(best)
}

impl Program {
    fn write(root: &Path, kind: Kind, tools: usize) -> Result<Self> {
        let prefix = match kind {
            Kind::Derived => "derived",
            Kind::Tool => "tool",
        };
        let program = Program { kind, tools, folder: root.join(format!("{prefix}-{tools}")) };
        fs::create_dir_all(program.folder.join("src"))?;
        fs::write(program.folder.join("Cargo.toml"), program.manifest())?;
        // The versions of dependencies that the workspace is tested with.
        fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"), program.folder.join("Cargo.lock"))?;
        fs::write(program.folder.join("src/main.rs"), program.source()?)?;
        Ok(program)
    }

    fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn manifest(&self) -> String {
        let dependencies = match self.kind {
            Kind::Derived => {
                "serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\nschemars = \"1\""
                    .to_owned()
            }
            Kind::Tool => format!("tool-runtime = {{ path = {:?} }}", env!("CARGO_MANIFEST_DIR")),
        };
        format!(
            "[package]\nname = \"{}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\n{dependencies}\ntokio = {{ version = \"1\", features = [\"rt\", \"macros\"] }}\n\
             [profile.release]\nstrip = true\n",
            self.name()
        )
    }

    fn source(&self) -> Result<String> {
        let mut source = String::new();
        source.push_str(match self.kind {
            Kind::Derived => DERIVED_HEAD,
            Kind::Tool => TOOL_HEAD,
        });
        for index in 0..self.tools {
            let template = match self.kind {
                Kind::Derived => DERIVED,
                Kind::Tool => TOOL,
            };
            source.push_str(&template.replace('@', &index.to_string()));
        }
        match self.kind {
            Kind::Derived => {
                source.push_str("fn registry() -> Vec<Entry> { vec![");
                for index in 0..self.tools {
                    write!(source, "(\"t{index}\", d{index} as Dispatch, schemars::schema_for!(A{index})),")?;
                }
                source.push_str("] }\n");
                source.push_str(DERIVED_MAIN);
            }
            Kind::Tool => source.push_str(TOOL_MAIN),
        }
        Ok(source)
    }

    fn cargo(&self, root: &Path, arguments: &[&str]) -> Result<()> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(arguments)
            .args(["--quiet", "--manifest-path"])
            .arg(self.folder.join("Cargo.toml"))
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TARGET_DIR", root.join("target"))
            .output()?;
        if output.status.success() {
            Ok(())
        } else {
            Err(format!("{}: {}", self.name(), String::from_utf8_lossy(&output.stderr)).into())
        }
    }
}

const DERIVED_HEAD: &str = "
use schemars::JsonSchema;
use serde::Deserialize;
use std::{future::Future, pin::Pin};

type Dispatch = fn(&str) -> Pin<Box<dyn Future<Output = String> + Send + '_>>;
type Entry = (&'static str, Dispatch, schemars::Schema);
";

const DERIVED: &str = "
/// Tool @.
async fn t@(city: String, days: Option<u8>, detail: bool) -> String { format!(\"{city}{days:?}{detail}@\") }
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct A@ {
    /// City.
    city: String,
    /// Days.
    days: Option<u8>,
    /// Detail.
    detail: bool,
}
fn d@(arguments: &str) -> Pin<Box<dyn Future<Output = String> + Send + '_>> {
    Box::pin(async move {
        match serde_json::from_str::<A@>(arguments) {
            Ok(a) => t@(a.city, a.days, a.detail).await,
            Err(error) => error.to_string(),
        }
    })
}
";

const DERIVED_MAIN: &str = r#"
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = registry();
    println!("{}", registry.iter().map(|tool| serde_json::to_string(&tool.2).unwrap().len()).sum::<usize>());
    println!("{}", registry[0].1("{\"city\":\"x\",\"detail\":true}").await);
}
"#;

const TOOL_HEAD: &str = "
use tool_runtime::{Registry, ToolCall, serde_json, tool};
";

const TOOL: &str = "
/// Tool @.
#[tool]
async fn t@(
    /// City.
    city: String,
    /// Days.
    days: Option<u8>,
    /// Detail.
    detail: bool,
) -> String {
    format!(\"{city}{days:?}{detail}@\")
}
";

const TOOL_MAIN: &str = r#"
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = Registry::collect().unwrap();
    println!("{}", registry.schemas().iter().map(|tool| serde_json::to_string(tool).unwrap().len()).sum::<usize>());
    println!("{:?}", registry.dispatch(&[ToolCall::new("c", "t0", "{\"city\":\"x\",\"detail\":true}")]).await);
}
"#;
