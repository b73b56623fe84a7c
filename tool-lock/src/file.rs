//! The file format of a lock.

use super::sorted::sorted;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use tool_runtime::Registry;
use tool_runtime::registry::RegisteredTool;

const VERSION: u64 = 1;

/// The tools of a lock, sorted by name.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    version: u64,
    pub(super) tools: Vec<LockedTool>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockedTool {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    pub(super) description: String,
    /// Those that the tool declares, and whether its calls need an approval.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) annotations: BTreeMap<String, bool>,
    #[serde(serialize_with = "sorted")]
    pub(super) parameters: Value,
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "sorted")]
    pub(super) output_schema: Option<Value>,
}

/// The version alone, which decides whether the rest can be read.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

impl Lock {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let Version { version } =
            serde_json::from_str(text).map_err(|error| format!("is not a lock file of tools: {error}"))?;
        if version != VERSION {
            return Err(format!(
                "has version {version}, and this version of tool-runtime-lock reads {VERSION}"
            ));
        }
        let lock: Lock =
            serde_json::from_str(text).map_err(|error| format!("is not a lock file of tools: {error}"))?;
        let mut names = HashSet::new();
        match lock.tools.iter().find(|tool| !names.insert(&tool.name)) {
            Some(tool) => {
                Err(format!("is not a lock file of tools: it has two tools with the name `{}`", tool.name))
            }
            None => Ok(lock),
        }
    }

    /// The lock of a registry, and its text. The lock is read from the text, so that it equals one that is read from a file.
    pub(super) fn from_registry(registry: &Registry) -> Result<(Self, String), String> {
        let tools = registry.tools().map(LockedTool::new).collect();
        let cannot_lock = |error: serde_json::Error| format!("the registry cannot be locked: {error}");
        let mut text =
            serde_json::to_string_pretty(&Lock { version: VERSION, tools }).map_err(cannot_lock)?;
        text.push('\n');
        Ok((serde_json::from_str(&text).map_err(cannot_lock)?, text))
    }
}

impl LockedTool {
    fn new(tool: RegisteredTool<'_>) -> Self {
        LockedTool {
            name: tool.schema.name().to_owned(),
            title: tool.title.map(str::to_owned),
            description: tool.schema.description().to_owned(),
            annotations: declared(tool),
            parameters: without_empty(tool.enforced_schema),
            output_schema: tool.output_schema.cloned(),
        }
    }
}

/// The schema without the empty keywords that each function has.
fn without_empty(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.retain(|keyword, value| match keyword.as_str() {
            "required" => *value != json!([]),
            "$defs" => *value != json!({}),
            _ => true,
        });
    }
    schema
}

fn declared(RegisteredTool { annotations, policy, .. }: RegisteredTool<'_>) -> BTreeMap<String, bool> {
    let all = [
        ("read_only", annotations.read_only),
        ("destructive", annotations.destructive),
        ("idempotent", annotations.idempotent),
        ("open_world", annotations.open_world),
        ("requires_approval", policy.requires_approval.then_some(true)),
    ];
    all.into_iter().filter_map(|(name, declared)| Some((name.to_owned(), declared?))).collect()
}
