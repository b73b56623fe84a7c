use tool_runtime::tool;

/// Look up the weather.
///
/// # Arguments
///
/// * `city` - The city.
/// * `date` - The date.
#[tool]
fn get_weather(city: &str, days: u8) -> String {
    format!("{city} {days}")
}

/// Look up the time.
///
/// # Arguments
/// - `zone`: The time zone.
#[tool]
fn now() {}

/// Look up a word.
///
/// # Arguments
/// - `word`, `language`: The word and its language.
/// - `word` - The word.
#[tool]
fn look_up(word: &str, language: &str) {
    let _ = (word, language);
}

fn main() {
    look_up("a", "en");
    get_weather("Beijing", 1);
    now();
}
