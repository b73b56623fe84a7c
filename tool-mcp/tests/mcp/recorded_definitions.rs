//! Recorded definitions of public servers, in the folder that the environment variable `TOOL_CORPORA` names.

use crate::peer::{Response, registry_of};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[tokio::test]
async fn recorded_definitions_are_loaded_or_skipped_with_a_reason() {
    let Ok(folder) = std::env::var("TOOL_CORPORA") else {
        println!("skipped: set TOOL_CORPORA to the folder of the recorded traffic");
        return;
    };
    let text = std::fs::read_to_string(format!("{folder}/mcp_tools.jsonl")).expect("the file can be read");
    let rows: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect();
    let names: BTreeSet<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    let tools = json!({"tools": rows});
    let registry = registry_of(move |peer| {
        let tools = tools.clone();
        peer.serve(move |_, _| Response::Result(tools.clone()))
    })
    .await;
    println!(
        "{} definitions: {} loaded, {} skipped",
        rows.len(),
        registry.names().len(),
        registry.skipped_tools().len()
    );
    for skipped in registry.skipped_tools() {
        println!("{skipped}");
    }
    assert_eq!(registry.names().len() + registry.skipped_tools().len(), rows.len());
    assert_eq!(registry.names().len(), names.len(), "only names that occur twice are skipped");
    for name in registry.names() {
        for keyword in registry.tool(name).expect("it is there").unsupported_keywords {
            println!("{name} ignores {keyword}");
        }
    }
}
