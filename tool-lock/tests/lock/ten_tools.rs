//! A lock file in the repository: a change of its form, or of the schemas of functions, fails this test.

#[path = "../../../tests/schema_forms/tools.rs"]
mod tools;

use tool_runtime::Registry;
use tool_runtime_lock::{assert_tools_lock, tools_lock};

/// The bounds that are not published stay in the lock file of tools, which changes neither with them nor with the order of keys.
#[test]
fn the_lock_has_the_range_of_each_type() {
    let registry = Registry::new(tools::ten()).expect("the tools have different names");
    let path = "tests/lock/ten_tools.lock";
    assert_tools_lock(&registry, path);
    let lock = std::fs::read_to_string(path).expect("the file is there");
    assert_eq!(tools_lock(&registry), lock);
    assert!(lock.contains("\"maximum\": 255") && !lock.contains("\"format\": \"uint8\""));
}
