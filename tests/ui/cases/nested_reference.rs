use std::collections::HashMap;
use tool_runtime::tool;

/// Takes nested references.
#[tool]
fn list(_cities: Vec<&str>, _more: &[&str], _map: Option<HashMap<String, (&str, u8)>>) {}

fn main() {
    list(vec![], &[], None);
}
