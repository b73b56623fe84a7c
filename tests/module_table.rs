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

/// The names after a path in the code of a file, or `{` before a group of them. Comments are not code, and `$crate::` is
/// for macros.
fn names_after(path: &str, source: &str) -> BTreeSet<String> {
    let code = source.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    code.flat_map(|line| {
        line.match_indices(path).filter_map(|(at, path)| {
            let is_longer =
                line[..at].ends_with(|before: char| before.is_alphanumeric() || "$_:".contains(before));
            let rest = &line[at + path.len()..];
            let name = match rest.chars().next()? {
                '{' => "{".to_owned(),
                _ => rest.chars().take_while(|c| *c == '_' || c.is_alphanumeric()).collect(),
            };
            (!is_longer && !name.is_empty()).then_some(name)
        })
    })
    .collect()
}

/// Each rule that a file breaks. `path` is relative to the folder of the sources.
fn violations(table: &[String], path: &Path, source: &str) -> Vec<String> {
    let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
    let module = parts[0].trim_end_matches(".rs");
    let position = |name: &str| table.iter().position(|listed| listed == name);
    let Some(own) = position(module) else { return vec![format!("`{module}` is missing from the table")] };
    // `super::` of a module at the root, and `super::super::` of its submodules, are the root too.
    let at_root = names_after(&"super::".repeat(parts.len()), source);
    let imports = at_root.into_iter().filter(|name| position(name).is_some());
    imports
        .chain(names_after("crate::", source))
        .filter(|import| import != module && !import.starts_with("__"))
        .filter_map(|import| match position(&import) {
            _ if import == "{" => Some(format!("`{module}` imports a group; write a `use` for each module")),
            Some(imported) if imported < own => None,
            Some(_) => Some(format!("`{module}` imports `{import}`, a module of a higher layer")),
            None => Some(format!("`{module}` imports `{import}`, which is missing from the table")),
        })
        .collect()
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
    assert!(found.is_empty(), "{}", found.join("\n"));
    println!("{} modules, each imports only lower layers", modules.len());
}

#[test]
fn an_import_of_a_higher_layer_is_found() {
    let table = ["json", "registry"].map(str::to_owned);
    let violations = |path: &str, source| violations(&table, Path::new(path), source);
    assert_eq!(violations("registry.rs", "use crate::json::Scanner; // crate::unknown"), [""; 0]);
    assert_eq!(violations("registry/build.rs", "use super::json; $crate::unknown!()"), [""; 0]);
    let higher = ["`json` imports `registry`, a module of a higher layer"];
    assert_eq!(violations("json.rs", "fn f() { crate::registry::g() }"), higher);
    assert_eq!(violations("json.rs", "use super::registry::Registry;"), higher);
    assert_eq!(violations("json/text.rs", "use super::super::registry::Registry;"), higher);
    assert_eq!(
        violations("json.rs", "use crate::{registry, text};"),
        ["`json` imports a group; write a `use` for each module"]
    );
    assert_eq!(
        violations("json.rs", "use crate::wire;"),
        ["`json` imports `wire`, which is missing from the table"]
    );
    assert_eq!(violations("wire.rs", ""), ["`wire` is missing from the table"]);
}
