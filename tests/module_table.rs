//! The module table of ARCHITECTURE.md lists every module of `tool-runtime`, and imports point to lower layers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order of the table, the lowest layer first.
fn module_table() -> Vec<String> {
    let architecture = include_str!("../ARCHITECTURE.md");
    let (_, section) = architecture.split_once("\n## tool-runtime\n").expect("the section of the crate");
    let (section, _) = section.split_once("\n## ").expect("another section");
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(module, _)| module.to_owned())
        .collect()
}

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The line without strings and comments.
fn code(line: &str) -> String {
    let mut code = String::new();
    let mut is_string = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if is_string => drop(characters.next()),
            '"' => is_string = !is_string,
            '/' if !is_string && characters.peek() == Some(&'/') => break,
            _ if is_string => {}
            _ => code.push(character),
        }
    }
    code
}

fn is_identifier(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

/// Each rule that a file breaks. `path` is relative to the folder of the sources.
fn violations(table: &[String], path: &Path, source: &str) -> Vec<String> {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let module = parts[0].trim_end_matches(".rs");
    let position = |name: &str| table.iter().position(|listed| listed == name);
    let Some(own) = position(module) else { return vec![format!("`{module}` is missing from the table")] };
    let mut found = BTreeSet::new();
    for line in source.lines().map(code) {
        if line.contains("crate as ") || line.contains(&"super::".repeat(parts.len())) {
            found.insert(format!("`{module}` imports from the root; write `crate::` and a module"));
        }
        for (at, _) in line.match_indices("crate::") {
            // `$crate::` is for macros.
            if line[..at].ends_with(|before| before == '$' || is_identifier(before)) {
                continue;
            }
            let rest = &line[at + "crate::".len()..];
            let name = &rest[..rest.find(|c| !is_identifier(c)).unwrap_or(rest.len())];
            match position(name) {
                _ if name == module || (module == "private" && name == "__submit") => {}
                Some(imported) if imported < own => {}
                Some(_) => found.extend([format!("`{module}` imports `{name}`, a module of a higher layer")]),
                None => {
                    found.extend([format!("`{module}` imports `crate::{rest}`, which is not in the table")]);
                }
            }
        }
    }
    found.into_iter().collect()
}

#[test]
fn imports_point_to_lower_layers() {
    let table = module_table();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tool-runtime/src");
    let mut files = Vec::new();
    source_files(&sources, &mut files);
    let mut found = Vec::new();
    let mut modules = BTreeSet::new();
    for file in files {
        let path = file.strip_prefix(&sources).expect("a file of the crate");
        let first =
            path.components().next().expect("a file has a name").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        let source = fs::read_to_string(&file).expect("a readable file");
        found.extend(
            violations(&table, path, &source).into_iter().map(|text| format!("{}: {text}", path.display())),
        );
        modules.insert(module);
    }
    found.extend(
        table
            .iter()
            .filter(|module| !modules.contains(*module))
            .map(|module| format!("there is no module `{module}`")),
    );
    let rows: BTreeSet<_> = table.iter().collect();
    assert_eq!(rows.len(), table.len(), "a module has one row");
    assert!(found.is_empty(), "{}", found.join("\n"));
    println!("{} modules, each imports only lower layers", modules.len());
}

#[test]
fn an_import_of_a_higher_layer_is_found() {
    let table = ["json", "registry"].map(str::to_owned);
    let violations = |path: &str, source| violations(&table, Path::new(path), source).concat();
    assert_eq!(violations("registry.rs", "use crate::json::Scanner; // crate::unknown"), "");
    assert_eq!(violations("registry/build.rs", "use super::Registry; $crate::unknown!(\"crate::x\")"), "");
    assert_eq!(violations("wire.rs", ""), "`wire` is missing from the table");
    assert_eq!(
        violations("json.rs", "use crate::wire;"),
        "`json` imports `crate::wire;`, which is not in the table"
    );
    let higher = "`json` imports `registry`, a module of a higher layer";
    assert_eq!(violations("json.rs", "fn f() { crate::registry::g() }"), higher);
    assert_eq!(violations("json.rs", "let x = \"http://a\"; crate::registry::g();"), higher);
    for source in ["use crate::{registry, text};", "use crate::*;", "use crate::__private::Descriptor;"] {
        assert!(violations("json.rs", source).ends_with("which is not in the table"), "{source}");
    }
    let root = "`json` imports from the root; write `crate::` and a module";
    for source in [
        "use super::registry::Registry;",
        "use super::{registry::Registry};",
        "use super::*;",
        "use self::super::registry::Registry;",
        "mod inner { use super::super::registry::Registry; }",
        "use crate as root;",
    ] {
        assert_eq!(violations("json.rs", source), root, "{source}");
    }
    assert_eq!(violations("json/text.rs", "use super::super::{registry};"), root);
}
