//! Definitions of tools: from a file, or of fictional services.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::error::Error;
use tool_runtime::DynamicTool;

/// A definition as an MCP server writes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    input_schema: Value,
}

/// The definitions of a file, one in each line.
pub(crate) fn from_file(path: &str) -> Result<Vec<DynamicTool>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path} cannot be read: {error}"))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let definitions = lines.map(|(index, line)| {
        let definition: Definition = serde_json::from_str(line)
            .map_err(|error| format!("line {} of {path} is no definition: {error}", index + 1))?;
        let Definition { name, description, input_schema } = definition;
        Ok(tool(&name, &description.unwrap_or_default(), input_schema))
    });
    definitions.collect()
}

const SERVICES: [&str; 20] = [
    "Asana",
    "Box",
    "Calendly",
    "Confluence",
    "Dropbox",
    "Figma",
    "Github",
    "Gitlab",
    "Gmail",
    "Hubspot",
    "Jira",
    "Linear",
    "Notion",
    "Salesforce",
    "Sentry",
    "Slack",
    "Stripe",
    "Trello",
    "Zendesk",
    "Zoom",
];

/// An action, the object that it acts on, and whether it takes the text of a new one.
const ACTIONS: [(&str, &str, bool); 15] = [
    ("create", "issue", true),
    ("list", "issues", false),
    ("close", "issue", false),
    ("comment_on", "issue", true),
    ("send", "message", true),
    ("list", "messages", false),
    ("delete", "message", false),
    ("upload", "file", true),
    ("download", "file", false),
    ("share", "file", false),
    ("invite", "user", false),
    ("remove", "user", false),
    ("create", "project", true),
    ("archive", "project", false),
    ("schedule", "meeting", true),
];

/// 300 tools of twenty services. Each returns its own name.
pub(crate) fn of_services() -> Vec<DynamicTool> {
    let actions = SERVICES.iter().flat_map(|service| ACTIONS.iter().map(move |action| (service, action)));
    let tools = actions.map(|(service, (verb, object, has_text))| {
        let name = format!("{}_{verb}_{object}", service.to_lowercase());
        let description = format!("{} {object} in {service}.", verb.replace('_', " "));
        let mut properties = Map::new();
        let about =
            if object.ends_with('s') { "The project." } else { "The id, or the project of a new one." };
        properties.insert("target".to_owned(), json!({ "type": "string", "description": about }));
        let mut required = vec!["target"];
        if *has_text {
            properties.insert(
                "text".to_owned(),
                json!({ "type": "string", "description": "The title or the text." }),
            );
            required.push("text");
        }
        tool(&name, &description, json!({ "type": "object", "properties": properties, "required": required }))
    });
    tools.collect()
}

/// A tool that only reports its call.
fn tool(name: &str, description: &str, parameters: Value) -> DynamicTool {
    let own_name = name.to_owned();
    DynamicTool::new(name, description, parameters, move |arguments| {
        let name = own_name.clone();
        async move { Ok::<_, String>(json!({ "done": name, "with": arguments })) }
    })
}
