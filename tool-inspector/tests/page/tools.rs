//! The tools of the program.

use crate::hostile::{INVISIBLE, SCRIPT, long_line};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use tool_runtime::conversation::InnerCallError;
use tool_runtime::dispatch::UserAnswer;
use tool_runtime::{
    BuildError, CallContext, DynamicTool, Registry, RegistryBuilder, ToolOutput, tool, tools,
};

/// A kind of seat.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
enum Seat {
    Window,
    Aisle,
}

/// How a person travels.
#[derive(Deserialize, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Ticket {
    /// One way.
    Single { date: String },
    /// There and back.
    Return { outward: String, back: String },
}

/// A person, and the people who travel along.
#[derive(Deserialize, JsonSchema, Serialize)]
struct Traveller {
    name: String,
    /// In years.
    #[schemars(range(max = 120))]
    age: u8,
    seat: Option<Seat>,
    #[serde(default)]
    companions: Vec<Traveller>,
}

/// A booking, as the model reads it.
#[derive(Serialize)]
struct Booking {
    traveller: Traveller,
    ticket: Ticket,
    notes: Option<BTreeMap<String, String>>,
    number: Option<i64>,
}

/// Looks up the weather of a city.
///
/// The forecast covers ten days.
#[tool(read_only, title = "Weather")]
fn get_weather(
    /// City name, for example "Beijing".
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
) -> Result<String, String> {
    match city {
        "Atlantis" => Err("there is no weather under water".to_owned()),
        _ => Ok(format!("{city} in {days} days: sunny")),
    }
}

/// Books seats for travellers.
#[tool(destructive, requires_approval)]
fn book(
    traveller: Traveller,
    ticket: Ticket,
    notes: Option<BTreeMap<String, String>>,
    number: Option<i64>,
) -> Booking {
    Booking { traveller, ticket, notes, number }
}

/// Tags a page. A map has no strict form.
#[tool(idempotent)]
fn tag_page(page: &str, tags: BTreeMap<String, String>) -> usize {
    page.len() + tags.into_keys().count()
}

/// Counts slowly.
#[tool(read_only)]
async fn count(#[context] call: &CallContext, #[arg(schema(maximum = 100))] steps: u64) -> String {
    for step in 1..=steps {
        call.progress(step, Some(steps), format!("step {step}"));
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    format!("counted to {steps}")
}

/// Asks the user for a size.
#[tool(read_only)]
async fn ask_size(#[context] call: &CallContext) -> Result<String, InnerCallError> {
    let schema = json!({
        "type": "object",
        "properties": {"size": {"type": "string", "enum": ["S", "M", "L"]}, "gift": {"type": "boolean"}},
        "required": ["size"],
    });
    Ok(match call.ask(format!("Which size? {SCRIPT}"), schema).await? {
        UserAnswer::Accepted(answer) => format!("the size is {}", answer["size"]),
        UserAnswer::Declined | UserAnswer::Cancelled => "the user did not answer".to_owned(),
    })
}

/// Returns hostile texts.
#[tool(read_only)]
fn hostile_result() -> String {
    format!("{SCRIPT}\n{INVISIBLE}\n{}", long_line())
}

/// Fails with a panic.
#[tool(read_only)]
fn crash() -> String {
    panic!("the reason stays in the program")
}

/// Returns an image.
#[tool(read_only)]
fn draw() -> ToolOutput {
    ToolOutput::new().with_text("a red pixel").with_image("image/png", RED_PIXEL)
}

/// Starts an export, whose result comes later.
#[tool]
fn export() -> ToolOutput {
    ToolOutput::pending("job 7")
}

const RED_PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0,
    0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 0x0c, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63,
    0xf8, 0xcf, 0xc0, 0, 0, 3, 1, 1, 0, 0xc9, 0xfe, 0x92, 0xef, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae,
    0x42, 0x60, 0x82,
];

/// A tool of a server whose author attacks the page.
fn hostile_tool() -> DynamicTool {
    let parameters = json!({
        "type": "object",
        "properties": {
            SCRIPT: {"type": "string", "description": SCRIPT, "default": SCRIPT, "enum": [SCRIPT, INVISIBLE]},
            "__proto__": {"type": "string", "description": INVISIBLE},
            "constructor": {"type": "object", "properties": {"prototype": {"type": "string"}}},
            "deep": {"$ref": "#/$defs/node"},
        },
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    });
    let description = format!("{SCRIPT}\n{INVISIBLE}\n{}", &long_line()[..20_000]);
    DynamicTool::new("hostile_tool", description, parameters, |arguments| async move {
        Ok::<_, String>(arguments)
    })
    .title(SCRIPT)
}

fn numbered_tool(number: usize) -> DynamicTool {
    let parameters = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "The text to find."},
            "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
            "sort": {"type": "string", "enum": ["newest", "oldest"]},
        },
        "required": ["query"],
    });
    let description = format!("Finds entries of the collection {number}, the newest first.");
    DynamicTool::new(format!("find_in_collection_{number:04}"), description, parameters, |_| async {
        Ok::<_, String>("nothing was found")
    })
    .read_only()
}

/// The tools of this program, and this number of further ones.
pub(crate) fn registry(further: usize) -> Result<Registry, BuildError> {
    let own = tools![ask_size, book, count, crash, draw, export, get_weather, hostile_result, tag_page];
    let builder = Registry::builder().tools(own).dynamic(hostile_tool());
    (0..further).map(numbered_tool).fold(builder, RegistryBuilder::dynamic).build()
}
