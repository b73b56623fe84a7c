//! OpenAI's strict form: every property is required, and an optional one accepts null.
//! <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>

mod limits;

use super::NotStrict;
use super::convert::{Parameters, Rules};
use super::infer_type::infer_type;
use crate::schema::description;
use limits::Limits;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

const RULES: Rules = Rules { requires_all: true, refers_to_definitions: false, simplify };

/// Returns the parameters of a tool in strict form, or every reason why there is none.
pub(in crate::schema) fn openai_strict(parameters: &RawValue) -> Result<Box<RawValue>, Vec<NotStrict>> {
    let mut parameters = Parameters::read(parameters)?;
    parameters.convert(&RULES);
    parameters.errors.extend(Limits::of(&parameters.keywords).exceeded());
    parameters.finish()
}

/// Removes `default`, which the server rejects next to some keywords, and moves keywords that it rejects, and formats
/// and patterns that it does not support, into the description.
fn simplify(keywords: &mut Map<String, Value>) {
    const LIMITS: [&str; 6] =
        ["minLength", "maxLength", "minProperties", "maxProperties", "uniqueItems", "not"];
    const FORMATS: [&str; 9] =
        ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    keywords.remove("default");
    let text_of = |keyword: &str| keywords.get(keyword).and_then(Value::as_str);
    let is_unknown_format = text_of("format").is_some_and(|format| !FORMATS.contains(&format));
    // Engines do not support lookahead and lookbehind.
    let has_lookaround = text_of("pattern")
        .is_some_and(|pattern| ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|look| pattern.contains(look)));
    let unknown = [("format", is_unknown_format), ("pattern", has_lookaround)];
    let unknown = unknown.into_iter().filter(|&(_, is_unknown)| is_unknown).map(|(keyword, _)| keyword);
    description::move_keywords(
        keywords,
        &LIMITS.into_iter().chain(["examples", "propertyNames"]).chain(unknown).collect::<Vec<_>>(),
    );
    infer_type(keywords);
}
