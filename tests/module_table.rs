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

/// The modules after `crate::` in the code of a file; comments and `$crate::` of macros are not imports.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code));
    code.flat_map(|line| {
        line.match_indices("crate::").filter_map(|(at, path)| {
            let is_path = !line[..at]
                .ends_with(|before: char| before == '$' || before == '_' || before.is_alphanumeric());
            let name: String =
                line[at + path.len()..].chars().take_while(|c| *c == '_' || c.is_alphanumeric()).collect();
            (is_path && !name.is_empty()).then_some(name)
        })
    })
    .collect()
}

/// Each rule that a module breaks.
fn violations(table: &[String], module: &str, source: &str) -> Vec<String> {
    let position = |name: &str| table.iter().position(|listed| listed == name);
    let Some(own) = position(module) else { return vec![format!("`{module}` is missing from the table")] };
    imports(source)
        .into_iter()
        .filter(|import| import != module && !import.starts_with("__"))
        .filter_map(|import| match position(&import) {
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
            violations(&table, &module, &source)
                .into_iter()
                .map(|text| format!("{}: {text}", path.display())),
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
    assert_eq!(violations(&table, "registry", "use crate::json::Scanner; // crate::unknown"), [""; 0]);
    assert_eq!(
        violations(&table, "json", "fn f() { crate::registry::g() }"),
        ["`json` imports `registry`, a module of a higher layer"]
    );
    assert_eq!(
        violations(&table, "json", "use crate::wire;"),
        ["`json` imports `wire`, which is missing from the table"]
    );
    assert_eq!(violations(&table, "wire", ""), ["`wire` is missing from the table"]);
}
