//! Each test that the page of limits names exists.

use std::path::{Path, PathBuf};

#[test]
fn the_page_of_limits_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = String::new();
    for folder in [
        "tests",
        "tool-mcp/src",
        "tool-mcp/tests",
        "tool-durable/tests",
        "tool-client/tests",
        "tool-code/tests",
        "tool-restate/tests",
        "tool-inspector/src",
        "tool-inspector/tests",
    ] {
        for file in files(&root.join(folder)) {
            sources += &std::fs::read_to_string(file).expect("a source file");
        }
    }
    let page = std::fs::read_to_string(root.join("LIMITS.md")).expect("the page");
    let mut count = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let (_, tests) = row.trim_end_matches([' ', '|']).rsplit_once('|').expect("a column");
        for test in tests.split('`').skip(1).step_by(2) {
            assert!(sources.contains(&format!("fn {test}(")), "no test is named `{test}`:\n{row}");
            count += 1;
        }
    }
    assert!(count > 30, "{count} tests");
}

/// The Rust files in a folder and its folders.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && path.file_name().is_none_or(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}
