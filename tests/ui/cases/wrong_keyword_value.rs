use tool_runtime::tool;

/// Look up the weather.
#[tool]
fn get_weather(
    #[arg(schema(minimum = "1", maximum = 10))] days: u8,
    #[arg(schema(minLength = -1, pattern = 7))] city: &str,
    #[arg(schema(examples = "a", minItems = 1.5))] tags: &[String],
    #[arg(schema(minimum = 3, minimum = 4))] twice: u8,
    #[arg(schema(minimum = 3, maximum = 2.5))] between: u8,
    #[arg(schema(maxLength))] without_value: &str,
) {
    let _ = (days, city, tags, twice, between, without_value);
}

fn main() {
    get_weather(1, "a", &[], 2, 3, "b");
}
