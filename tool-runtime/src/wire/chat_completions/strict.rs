//! OpenAI's strict form: every property is required, and an optional one accepts null.
//! <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>

mod limits;

use super::FUNCTIONS;
use crate::json::remove_entry;
use crate::schema::{NotStrict, ToolSchema};
use crate::validator::push_key;
use limits::exceeded_limits;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tool_runtime_schema::move_keywords;
use tool_runtime_schema::strict::{Parameters, Rules, infer_type};

const RULES: Rules = Rules { requires_all: true, refers_to_definitions: false, simplify };

impl ToolSchema {
    /// The parameters in the form that OpenAI's servers accept with `strict: true`
    /// (<https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>), so that the server makes the
    /// model follow them. It is created once and cached.
    ///
    /// Every object is closed, every property is required, and an optional one accepts null. Keywords that the server
    /// rejects are in the descriptions. A value that is valid under this form and under the enforced schema runs.
    ///
    /// The model sends null for an absent argument. A wire with [`strict`](crate::wire::ChatCompletions::strict) marks the
    /// calls of the replies that it reads. If the program reads replies in another way, set
    /// [`RegistryBuilder::null_means_absent`](crate::RegistryBuilder::null_means_absent).
    ///
    /// # Errors
    ///
    /// Returns every reason why there is no strict form, for example a map with any keys. Servers accept requests with
    /// both kinds of tools: send the tool without `strict`, with [`parameters`](ToolSchema::parameters).
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Looks up the weather.
    /// #[tool]
    /// fn get_weather(city: &str, #[arg(default = 0)] days: u8) {}
    ///
    /// let registry = Registry::new(tools![get_weather])?;
    /// let schema = registry.tool("get_weather").expect("it is there").schema;
    /// assert!(schema.parameters().get().contains(r#""required":["city"]"#));
    /// let strict = schema.openai_strict().expect("it has no map").get();
    /// assert!(strict.contains(r#""required":["city","days"]"#) && strict.contains(r#""type":["integer","null"]"#));
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    pub fn openai_strict(&self) -> Result<&RawValue, &[NotStrict]> {
        self.forms().openai_strict(|| self.strict_form(&FUNCTIONS, openai_strict))
    }
}

/// Returns the parameters of a tool in strict form, or every reason why there is none.
fn openai_strict(parameters: &RawValue) -> Result<Box<RawValue>, Vec<NotStrict>> {
    let mut parameters = Parameters::read(parameters, push_key)?;
    parameters.convert(&RULES);
    parameters.errors.extend(exceeded_limits(&parameters.keywords));
    parameters.finish()
}

/// Removes `default`, which the server rejects next to some keywords, and moves keywords that it rejects, and formats
/// and patterns that it does not support, into the description.
fn simplify(keywords: &mut Map<String, Value>) {
    const LIMITS: [&str; 6] =
        ["minLength", "maxLength", "minProperties", "maxProperties", "uniqueItems", "not"];
    const FORMATS: [&str; 9] =
        ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    remove_entry(keywords, "default");
    let text_of = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
    let is_unknown_format = text_of("format").is_some_and(|format| !FORMATS.contains(&format));
    // Engines do not support lookahead and lookbehind.
    let has_lookaround = text_of("pattern")
        .is_some_and(|pattern| ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)));
    let unknown = [("format", is_unknown_format), ("pattern", has_lookaround)];
    let unknown = unknown.into_iter().filter(|&(_, is_unknown)| is_unknown).map(|(keyword, _)| keyword);
    move_keywords(
        keywords,
        &LIMITS.into_iter().chain(["examples", "propertyNames"]).chain(unknown).collect::<Vec<_>>(),
    );
    infer_type(keywords);
}
