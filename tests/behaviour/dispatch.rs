use tool_runtime::{Registry, ToolCall, tool, tools};

/// Look up the weather.
#[tool]
async fn get_weather(
    /// City name.
    city: &str,
    /// How many days ahead; 0 is today.
    #[arg(default = 0)]
    days: u8,
    unit: Option<String>,
) -> Result<String, std::io::Error> {
    tokio::task::yield_now().await;
    Ok(format!("{city} {days} {unit:?}"))
}

#[tokio::test]
async fn smoke() {
    let registry = Registry::new(tools![get_weather]).unwrap();
    println!("{}", serde_json::to_string_pretty(registry.schemas()).unwrap());
    for a in [r#"{"city":"Beijing"}"#, r#" {"days" : 3 , "city":"\u5317\u4eac"} "#, r#"{"town":"x","days":"tomorrow"}"#, "[1]", r#"{"city":"#, r#"{"city":"a","city":"b"}"#, r#"{"city":"a",}"#, ""] {
        println!("{a} -> {:?}", registry.dispatch(&[ToolCall::new("c", "get_weather", a)]).await[0].content);
    }
    println!("{:?}", registry.call("get_wether", "").await.unwrap_err().to_string());
}
