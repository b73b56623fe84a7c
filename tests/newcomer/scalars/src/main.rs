use tool_runtime::{Registry, ToolCall, tool, tools};

/// Look up the weather of a city.
#[tool]
async fn get_weather(
    /// City name.
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
    celsius: Option<bool>,
) -> Result<String, String> {
    if city == "Atlantis" {
        return Err(format!("there is no weather in {city}"));
    }
    Ok(format!("{city} in {days} days: 25 °{}", if celsius.unwrap_or(true) { 'C' } else { 'F' }))
}

/// Never returns.
#[tool]
fn explode() -> String {
    panic!("the password is 1234")
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = Registry::collect().unwrap();
    assert_eq!(registry.names(), ["explode", "get_weather"]);
    assert_eq!(Registry::new(tools![get_weather]).unwrap().schemas()[0].name(), "get_weather");

    let answers = registry
        .dispatch(&[
            ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing","days":1}"#),
            ToolCall::new("call_2", "get_wether", r#"{"city":"Beijing"}"#),
            ToolCall::new("call_3", "get_weather", r#"{"days":"tomorrow","town":"Beijing"}"#),
            ToolCall::new("call_4", "explode", "{}"),
            ToolCall::new("call_5", "get_weather", r#"{"city":"Atlantis"}"#),
        ])
        .await;
    let expected = [
        ("call_1", "Beijing in 1 days: 25 °C"),
        (
            "call_2",
            r#"Error: there is no tool `get_wether`. Call `get_weather` instead: {"name": "get_weather", "arguments": {"city":"Beijing"}}"#,
        ),
        (
            "call_3",
            "Error: invalid arguments for `get_weather`: `days`: expected an integer, got string \"tomorrow\"; \
             `city` is missing; `town` is not an argument (it takes `city`, `days` and `celsius`). \
             Call it again, but change `days` to an integer, and add `city`, and leave out `town`.",
        ),
        ("call_4", "Error: the tool `explode` failed unexpectedly."),
        ("call_5", "Error: there is no weather in Atlantis"),
    ];
    assert_eq!(answers.len(), expected.len());
    for (answer, (id, content)) in answers.iter().zip(expected) {
        assert_eq!(answer.tool_call_id, id);
        assert_eq!(answer.content, content);
    }
    assert_eq!(get_weather("Beijing", 0, None).await.unwrap(), "Beijing in 0 days: 25 °C");
    println!("{} answers as expected", answers.len());
}
