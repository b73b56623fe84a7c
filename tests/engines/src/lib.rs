//! The tools whose schemas the engines must accept: the shapes of `tests/agreement`, the reviewed tools of
//! `tests/dialects`, and every type of number.

mod numbers;
#[path = "../../dialects/tools.rs"]
mod reviewed;
#[path = "../../agreement/shapes.rs"]
mod shapes;

use serde_json::Value;
use tool_runtime::Registry;
use tool_runtime::schema::Dialect;

/// The schema of a tool's parameters in one form.
pub struct Form {
    pub tool: String,
    /// `default` or `strict`.
    pub form: &'static str,
    /// Whether the only parameter of the tool is of a number type.
    pub is_number: bool,
    pub parameters: Value,
}

/// A registry of all tools.
///
/// # Panics
///
/// If two tools have the same name.
#[must_use]
pub fn registry() -> Registry {
    let tools = Registry::builder().tools(shapes::shapes()).tools(reviewed::ten()).tools(numbers::numbers());
    tools.build().expect("the tools have different names")
}

/// The schema of every tool in each form that it has.
///
/// # Panics
///
/// If a definition does not have the form of Chat Completions.
#[must_use]
pub fn forms(registry: &Registry) -> Vec<Form> {
    let number_tools = Registry::new(numbers::numbers()).expect("the tools have different names");
    let numbers = number_tools.names();
    let mut forms = Vec::new();
    for (dialect, form) in [(Dialect::OpenAi, "default"), (Dialect::OpenAiStrict, "strict")] {
        let array = registry.schemas_for(dialect).expect("there are tools").get();
        let tools: Vec<Value> = serde_json::from_str(array).expect("an array is JSON");
        for mut tool in tools {
            let function = &mut tool["function"];
            // A tool that cannot be strict is in the array in its default form.
            if form == "strict" && function.get("strict").is_none() {
                continue;
            }
            let parameters = function["parameters"].take();
            let tool = function["name"].as_str().expect("a name").to_owned();
            let is_number = numbers.contains(&tool.as_str());
            forms.push(Form { tool, form, is_number, parameters });
        }
    }
    forms
}
