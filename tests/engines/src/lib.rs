//! The tools whose schemas the engines must accept: the shapes of `tests/agreement`, the reviewed tools of
//! `tests/schema_forms`, every type of number, and the foreign definitions in `tests/foreign_tools.json`.

mod numbers;
#[path = "../../schema_forms/tools.rs"]
mod reviewed;
#[path = "../../agreement/shapes.rs"]
mod shapes;

use serde_json::Value;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder};

/// The schema of a tool's parameters in one form.
pub struct Form {
    pub tool: String,
    /// `default`, `openai` or `anthropic`, of which the latter two are strict, or `foreign`: a foreign definition in a
    /// request of Chat Completions.
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
    // A model writes null for an absent argument by OpenAI's form.
    tools.null_means_absent(true).build().expect("the tools have different names")
}

/// The schema of every tool in each form that it has.
///
/// # Panics
///
/// If a schema is not JSON.
#[must_use]
pub fn forms(registry: &Registry) -> Vec<Form> {
    let number_tools = Registry::new(numbers::numbers()).expect("the tools have different names");
    let numbers = number_tools.names();
    let mut forms = Vec::new();
    for schema in registry.schemas() {
        let openai = schema.openai_strict().ok();
        let anthropic = schema.anthropic_strict().ok().map(|form| &*form.parameters);
        let all = [("default", Some(schema.parameters())), ("openai", openai), ("anthropic", anthropic)];
        for (form, parameters) in all {
            let Some(parameters) = parameters else { continue };
            let parameters = serde_json::from_str(parameters.get()).expect("a schema is JSON");
            let (tool, is_number) = (schema.name().to_owned(), numbers.contains(&schema.name()));
            forms.push(Form { tool, form, is_number, parameters });
        }
    }
    // One form after the other, as the tables list them.
    forms.sort_by_key(|form| ["default", "openai", "anthropic"].iter().position(|name| *name == form.form));
    forms.extend(foreign_forms());
    forms
}

/// The foreign definitions as the default wire writes them.
fn foreign_forms() -> impl Iterator<Item = Form> {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../foreign_tools.json")).expect("it is a list");
    // The output of `tests/recorded_traffic/list_server_tools.py`.
    let file = std::env::var_os("SERVER_TOOLS").map(std::fs::read_to_string);
    let file = file.map(|text| text.expect("the file is read")).unwrap_or_default();
    let of_servers = file.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let tools = cases.into_iter().chain(of_servers).enumerate().map(|(number, mut case)| {
        let name = format!("{}_{number}", case["name"].as_str().expect("a name"));
        let key = if case.get("inputSchema").is_some() { "inputSchema" } else { "parameters" };
        DynamicTool::new(name, "", case[key].take(), |_| async { Ok::<_, String>(()) })
    });
    let registry =
        tools.fold(Registry::builder().rename_invalid_names(true), RegistryBuilder::dynamic).build();
    let definitions = serde_json::to_value(registry.expect("they are valid").schemas());
    let Ok(Value::Array(definitions)) = definitions else { panic!("it is a list") };
    definitions.into_iter().map(|mut definition| {
        let function = &mut definition["function"];
        let (tool, parameters) =
            (function["name"].as_str().expect("a name").to_owned(), function["parameters"].take());
        Form { tool, form: "foreign", is_number: false, parameters }
    })
}
