//! Calls that the API defines and the program runs: those of its shell, of its patches and of its computer, and requests for
//! an approval.

use super::NAME;
use super::part::read_content;
use crate::json::remove_entry;
use crate::message::{ASKS_APPROVAL, Content, Extra, Part, ToolCall, ToolMessage};
use crate::tool_name::{APPROVED, HOSTED_APPROVAL};
use crate::wire::tool_settings::ToolSettings;
use serde_json::{Map, Value, json};

/// A transparent pixel, since the API requires a screenshot.
const NO_SCREENSHOT: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// The field of a call of the computer with the checks that a person acknowledges.
const CHECKS: &str = "pending_safety_checks";

/// The kind of a call that the API defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProviderCall {
    /// <https://developers.openai.com/api/docs/guides/tools-shell>
    Shell,
    /// <https://developers.openai.com/api/docs/guides/tools-apply-patch>
    ApplyPatch,
    /// <https://developers.openai.com/api/docs/guides/tools-computer-use>
    Computer,
    /// <https://developers.openai.com/api/docs/guides/tools-connectors-mcp#approvals>
    Approval,
}

impl ProviderCall {
    const ALL: [Self; 4] =
        [ProviderCall::Shell, ProviderCall::ApplyPatch, ProviderCall::Computer, ProviderCall::Approval];

    /// The types of the items of the call and of its result.
    fn types(self) -> (&'static str, &'static str) {
        match self {
            ProviderCall::Shell => ("shell_call", "shell_call_output"),
            ProviderCall::ApplyPatch => ("apply_patch_call", "apply_patch_call_output"),
            ProviderCall::Computer => ("computer_call", "computer_call_output"),
            ProviderCall::Approval => ("mcp_approval_request", "mcp_approval_response"),
        }
    }

    pub(super) fn from_call_type(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|call| call.types().0 == kind)
    }

    pub(super) fn from_result_type(kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|call| call.types().1 == kind)
    }

    /// The field of the result with the id of the call.
    fn id_field(self) -> &'static str {
        if self == ProviderCall::Approval { "approval_request_id" } else { "call_id" }
    }

    /// The tool of the registry that runs such a call; `None` if the program runs none.
    pub(super) fn tool(self, tools: &ToolSettings) -> Option<&str> {
        tools
            .client_tool(|definition| match self {
                ProviderCall::Shell => definition["type"] == "shell",
                ProviderCall::ApplyPatch => definition["type"] == "apply_patch",
                ProviderCall::Computer => {
                    definition["type"].as_str().is_some_and(|kind| kind.starts_with("computer"))
                }
                ProviderCall::Approval => false,
            })
            .or((self == ProviderCall::Approval).then_some(HOSTED_APPROVAL))
    }

    /// The kind of the calls that this tool of the registry runs; `None` for functions.
    pub(super) fn from_tool(tool: &str, tools: &ToolSettings) -> Option<Self> {
        let is_tool = |call: &Self| *call != ProviderCall::Approval && call.tool(tools) == Some(tool);
        Self::ALL.into_iter().find(is_tool)
    }

    /// The item of a call whose arguments a person changed.
    pub(super) fn write(self, id: &str, call: &ToolCall) -> Value {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let mut item = json!({ "type": self.types().0, "call_id": id, "status": "completed" });
        match self {
            ProviderCall::Shell => item["action"] = arguments,
            ProviderCall::ApplyPatch => item["operation"] = arguments,
            ProviderCall::Computer => {
                item["actions"] = arguments["actions"].clone();
                item[CHECKS] = arguments.get(CHECKS).cloned().unwrap_or(json!([]));
            }
            // Its arguments are those of the model.
            ProviderCall::Approval => {}
        }
        item
    }

    /// The call in an item; `None` if the program does not run it.
    pub(super) fn read(self, item: &str, tools: &ToolSettings) -> Option<ToolCall> {
        let name = self.tool(tools)?;
        let mut item: Map<String, Value> = serde_json::from_str(item).ok()?;
        let mut take = |field: &str| remove_entry(&mut item, field).unwrap_or_default();
        let id = take(if self == ProviderCall::Approval { "id" } else { "call_id" });
        let mut arguments = match self {
            // The provider has run it in its own environment.
            ProviderCall::Shell if is_hosted(&take("environment")) => return None,
            ProviderCall::Shell => take("action"),
            ProviderCall::ApplyPatch => take("operation"),
            ProviderCall::Computer => {
                let actions = match take("actions") {
                    Value::Null => json!([take("action")]),
                    actions => actions,
                };
                json!({ "actions": actions, CHECKS: take(CHECKS) })
            }
            ProviderCall::Approval => {
                // The arguments are the text that the provider passes to its tool, which a parser may read in another way.
                json!({
                    "server_label": take("server_label"),
                    "name": take("name"),
                    "arguments": take("arguments"),
                })
            }
        };
        let mut asks_approval = self == ProviderCall::Approval;
        if let Value::Object(arguments) = &mut arguments {
            arguments.retain(|field, value| !(value.is_null() || field == CHECKS && *value == json!([])));
            asks_approval |= self == ProviderCall::Computer && arguments.contains_key(CHECKS);
        }
        let mut call = ToolCall::new(id.as_str().unwrap_or_default(), name, arguments.to_string());
        if asks_approval {
            call.extra = Extra::new(NAME, [(ASKS_APPROVAL.to_owned(), true.into())].into_iter().collect());
        }
        Some(call)
    }

    /// The item of the result of a call with this id.
    pub(super) fn write_result(self, id: &str, call: &ToolCall, result: &ToolMessage) -> Value {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let read = result.content.native(NAME).cloned();
        let mut item = json!({ "type": self.types().1, (self.id_field()): id });
        match self {
            ProviderCall::Shell => {
                item["output"] = read.unwrap_or_else(|| shell_output(result));
                // "should be passed back with the raw output", as the type of OpenAI's client documents it.
                if let Some(limit) = arguments.get("max_output_length") {
                    item["max_output_length"] = limit.clone();
                }
            }
            ProviderCall::ApplyPatch => {
                item["status"] = if result.is_error() { "failed" } else { "completed" }.into();
                item["output"] = result.text().into();
            }
            ProviderCall::Computer => {
                item["output"] = read.unwrap_or_else(|| {
                    let url = screenshot(&result.content).unwrap_or_else(|| NO_SCREENSHOT.to_owned());
                    json!({ "type": "computer_screenshot", "image_url": url })
                });
                // A person has approved the call with these checks in its arguments.
                if let Some(checks) = arguments.get(CHECKS).filter(|_| !result.is_error()) {
                    item["acknowledged_safety_checks"] = checks.clone();
                }
            }
            ProviderCall::Approval => {
                // Any other result, such as one of a hook or of the program, is a denial.
                let is_approved = !result.is_error() && result.text().starts_with(APPROVED);
                item["approve"] = is_approved.into();
                if !is_approved {
                    item["reason"] = result.text().into();
                }
            }
        }
        item
    }

    /// Whether the item of the result has a picture in place of the screenshot.
    pub(super) fn lacks_screenshot(self, result: &ToolMessage) -> bool {
        let is_read = result.content.native(NAME).is_some();
        self == ProviderCall::Computer && !is_read && screenshot(&result.content).is_none()
    }

    /// The parts of the result that its item does not have, next to the text of a result without a screenshot.
    pub(super) fn dropped(self, result: &ToolMessage) -> Vec<&Part> {
        if result.content.native(NAME).is_some() {
            return Vec::new();
        }
        let mut has_screenshot = false;
        let is_dropped = |part: &&Part| match (self, part) {
            (ProviderCall::Computer, Part::Image { .. }) => std::mem::replace(&mut has_screenshot, true),
            (ProviderCall::Computer, part) if part.as_text().is_some() => !self.lacks_screenshot(result),
            (_, part) => part.as_text().is_none(),
        };
        result.content.parts().unwrap_or_default().iter().filter(is_dropped).collect()
    }

    /// The id of the call, the content of the result, and whether it is an error. The rest of the fields stays.
    pub(super) fn read_result(self, fields: &mut Map<String, Value>) -> (Value, Content, bool) {
        let mut take = |field: &str| remove_entry(fields, field).unwrap_or_default();
        let id = take(self.id_field());
        let (content, is_error) = match self {
            ProviderCall::Shell => {
                let output = take("output");
                (Content::from(output.to_string()).with_native(NAME, output), false)
            }
            ProviderCall::ApplyPatch => {
                (take("output").as_str().unwrap_or_default().into(), take("status") == "failed")
            }
            ProviderCall::Computer => {
                let output = take("output");
                let image = json!([{ "type": "input_image", "image_url": output["image_url"] }]);
                (read_content(image).unwrap_or_default().with_native(NAME, output), false)
            }
            ProviderCall::Approval if take("approve") == true => (APPROVED.into(), false),
            ProviderCall::Approval => (take("reason").as_str().unwrap_or("denied").into(), true),
        };
        (id, content, is_error)
    }
}

/// Whether the environment of a shell is one of the provider.
fn is_hosted(environment: &Value) -> bool {
    environment["type"].as_str().is_some_and(|kind| kind != "local")
}

fn screenshot(content: &Content) -> Option<String> {
    content.parts()?.iter().find_map(|part| match part {
        Part::Image { media } => Some(media.to_url().into_owned()),
        _ => None,
    })
}

/// The outputs of commands, if the tool returned them in the form of the API; otherwise the text as one output.
fn shell_output(result: &ToolMessage) -> Value {
    let outputs = match serde_json::from_str::<Value>(result.text()) {
        Ok(Value::Array(outputs)) => outputs.iter().map(command_output).collect(),
        Ok(output) => command_output(&output).map(|output| vec![output]),
        Err(_) => None,
    };
    if let Some(outputs) = outputs.filter(|outputs: &Vec<Value>| !outputs.is_empty()) {
        return outputs.into();
    }
    let (stdout, stderr) = if result.is_error() { ("", result.text()) } else { (result.text(), "") };
    let exit_code = u8::from(result.is_error());
    json!([{ "stdout": stdout, "stderr": stderr, "outcome": { "type": "exit", "exit_code": exit_code } }])
}

/// The output of a command with the fields of the API; `None` if one has another type.
fn command_output(output: &Value) -> Option<Value> {
    let outcome = match output["outcome"]["type"].as_str()? {
        "exit" => json!({ "type": "exit", "exit_code": output["outcome"]["exit_code"].as_i64()? }),
        "timeout" => json!({ "type": "timeout" }),
        _ => return None,
    };
    Some(
        json!({ "stdout": output["stdout"].as_str()?, "stderr": output["stderr"].as_str()?, "outcome": outcome }),
    )
}
