//! Tools that ask the user, as the conformance suite expects them.

use serde_json::{Value, json};
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::UserAnswer;
use tool_runtime::{CallContext, tool};

/// Asks for the name of the user.
#[tool(resumable)]
async fn test_elicitation(message: &str, #[context] call: &CallContext) -> Result<String, InnerCallError> {
    let text = |description: &str| json!({"type": "string", "description": description});
    let properties = json!({"username": text("User's response"), "email": text("User's email address")});
    let schema = json!({"type": "object", "properties": properties, "required": ["username", "email"]});
    Ok(format!("User response: {}", described(&call.ask(message, schema).await?)))
}

/// Asks with a default for each kind of value.
#[tool(resumable)]
async fn test_elicitation_sep1034_defaults(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let properties = json!({
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    });
    completed(call, properties).await
}

/// Asks with each kind of enum.
#[tool(resumable)]
async fn test_elicitation_sep1330_enums(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let titled = |title: &str| {
        let values = ["First", "Second", "Third"].into_iter().zip(1..);
        let value = |(name, n)| json!({"const": format!("value{n}"), "title": format!("{name} {title}")});
        Value::from(values.map(value).collect::<Vec<_>>())
    };
    let options = ["option1", "option2", "option3"];
    let (old, names) = (["opt1", "opt2", "opt3"], ["Option One", "Option Two", "Option Three"]);
    let properties = json!({
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": old, "enumNames": names},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    });
    completed(call, properties).await
}

async fn completed(call: &CallContext, properties: Value) -> Result<String, InnerCallError> {
    let answer =
        call.ask("Please fill in the form.", json!({"type": "object", "properties": properties})).await?;
    Ok(format!("Elicitation completed: {}", described(&answer)))
}

fn described(answer: &UserAnswer) -> String {
    match answer {
        UserAnswer::Accepted(content) => format!("action=accept, content={content}"),
        UserAnswer::Declined => "action=decline, content={}".to_owned(),
        UserAnswer::Cancelled => "action=cancel, content={}".to_owned(),
    }
}
