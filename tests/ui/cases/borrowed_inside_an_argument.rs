use std::collections::HashMap;
use tool_runtime::tool;

/// Takes texts that cannot all be borrowed from the arguments.
#[tool]
fn list(_cities: Vec<&str>, _more: &[&str], _map: Option<HashMap<String, (&str, u8)>>) {}

fn main() {
    list(vec![], &[], None);
}
