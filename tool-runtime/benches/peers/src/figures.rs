//! The file of figures, from which `.ci/figures` generates tables of the documents.

use crate::crates::Package;
use crate::libraries::Library;
use crate::{Measured, Result};
use serde_json::{Map, Value, json};
use std::fs;
use std::process::Command;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../figures.json");

/// Replaces the figures of a part, and keeps those of the other parts.
pub(crate) fn write(part: &str, measured: &Measured) -> Result<()> {
    let mut figures: Map<String, Value> = match fs::read_to_string(FILE) {
        Ok(text) => serde_json::from_str(&text)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(error.into()),
    };
    let mut entry = Map::from_iter([("rust".to_owned(), Value::String(rust()?))]);
    if measured.packages.is_empty() {
        let versions = Library::ALL.map(|library| (library.package().to_owned(), json!(library.version())));
        entry.insert("versions".to_owned(), Value::Object(Map::from_iter(versions)));
        let rows = measured.rows.iter().map(|row| {
            let figures = row.figures().map(|(name, figure, ratio)| {
                let entry = json!({"figure": significant(figure), "ratio": (ratio * 100.0).round() / 100.0});
                (name.to_owned(), entry)
            });
            let figures: Map<String, Value> = figures.collect();
            json!({"name": row.name, "unit": row.unit.name(), "figures": figures})
        });
        entry.insert("rows".to_owned(), rows.collect());
    } else {
        let packages = measured.packages.iter().map(|Package { name, dependency, version, rust, crates }| {
            // As after a release.
            let dependency = dependency.replace("{ path = \"@\" }", &format!("\"={version}\""));
            json!({"name": name, "dependency": dependency, "version": version, "rust": rust, "crates": crates})
        });
        entry.insert("packages".to_owned(), packages.collect());
    }
    figures.insert(part.to_owned(), Value::Object(entry));
    let mut figures = Value::Object(figures);
    figures.sort_all_objects();
    fs::write(FILE, serde_json::to_string_pretty(&figures)? + "\n")?;
    Ok(())
}

/// Three significant digits, since more would only be noise; all digits of an integer.
fn significant(figure: f64) -> Value {
    if figure.fract() == 0.0 {
        format!("{figure}").parse::<u64>().map_or(Value::Null, Value::from)
    } else {
        format!("{figure:.2e}").parse::<f64>().map_or(Value::Null, Value::from)
    }
}

/// The version of the compiler.
fn rust() -> Result<String> {
    let output = String::from_utf8(Command::new("rustc").arg("--version").output()?.stdout)?;
    Ok(output.split(' ').nth(1).ok_or("rustc prints no version")?.to_owned())
}
