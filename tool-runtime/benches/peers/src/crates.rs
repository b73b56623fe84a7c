//! The packages that users compare: the crates that each one adds to a program, and the Rust that it requires.

use crate::{Measured, Result, cargo};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A name, and the dependency as a user of tools adds it. `@` is the folder of tool-runtime.
const DEPENDENCIES: [(&str, &str); 10] = [
    ("tool-runtime", "tool-runtime = { path = \"@\" }"),
    ("rig", "rig = \"=0.46.0\""),
    (
        "rig, no HTTP client",
        "rig = { version = \"=0.46.0\", default-features = false, features = [\"agent\", \"derive\"] }",
    ),
    // A server over stdio.
    ("rmcp", "rmcp = { version = \"=3.11.0\", features = [\"transport-io\"] }"),
    ("llm-tool", "llm-tool = \"=0.10.5\""),
    ("tools-rs", "tools-rs = \"=0.3.3\""),
    // Requests and replies without a client: everything else is written by hand.
    (
        "async-openai",
        "async-openai = { version = \"=0.43.0\", default-features = false, features = [\"chat-completion-types\"] }",
    ),
    ("yoagent", "yoagent = \"=0.26.6\""),
    ("agentkit", "agentkit = \"=0.13.0\""),
    ("adk-rust", "adk-rust = \"=2.3.0\""),
];

/// A package, and the cost of a dependency on it.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    /// The dependency in a manifest.
    pub(crate) dependency: &'static str,
    pub(crate) version: String,
    /// The minimum Rust that the package declares, or else its required packages of the same version.
    pub(crate) rust: Option<String>,
    /// The crates of a program that has only this dependency, without the program.
    pub(crate) crates: usize,
}

pub(crate) fn measure() -> Result<Measured> {
    let programs = cargo::programs()?;
    let packages = DEPENDENCIES
        .iter()
        .map(|(name, dependency)| {
            eprintln!("crates: {name}");
            package(&programs, name, dependency)
        })
        .collect::<Result<_>>()?;
    let notes = vec![
        "Crates: of a program with this dependency alone, without the program, with the newest versions of other \
         crates; `cargo tree --edges normal`, where two versions of a crate count once."
            .to_owned(),
    ];
    Ok(Measured { packages, notes, ..Measured::default() })
}

fn package(programs: &Path, name: &'static str, dependency: &'static str) -> Result<Package> {
    let folder = programs.join(format!("crates-{}", name.replace(", ", "-").replace(' ', "-")));
    fs::create_dir_all(folder.join("src"))?;
    let line = dependency.replace('@', &format!("{}/../..", env!("CARGO_MANIFEST_DIR")));
    let manifest = format!(
        "[package]\nname = \"program\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{line}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::write(folder.join("src/main.rs"), "fn main() {}\n")?;
    let cargo = |arguments: &[&str]| cargo::run(&folder, programs, arguments);
    // The newest versions, as in a new program.
    cargo(&["update"])?;
    let tree = cargo(&["tree", "--edges", "normal", "--prefix", "none"])?;
    let crates: BTreeSet<&str> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();

    let metadata: Value = serde_json::from_str(&cargo(&["metadata", "--format-version", "1"])?)?;
    let all = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let text = |package: &Value, key: &str| package[key].as_str().map(str::to_owned);
    let named = |name: &str| all.iter().find(|package| package["name"] == name);
    let own = dependency.split(' ').next().and_then(named).ok_or("the dependency is not in its tree")?;
    Ok(Package {
        name,
        dependency,
        version: text(own, "version").ok_or("a package has no version")?,
        rust: text(own, "rust_version").or_else(|| {
            let parts =
                own["dependencies"].as_array()?.iter().filter_map(|part| named(part["name"].as_str()?));
            parts.filter(|part| part["version"] == own["version"]).find_map(|part| text(part, "rust_version"))
        }),
        crates: crates.len() - 1,
    })
}
