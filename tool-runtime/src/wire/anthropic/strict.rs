//! Anthropic's strict form: optional properties stay optional, and a schema has one type, literals or alternatives.
//!
//! The form is a fixed point of `anthropic.transform_schema`, with which Anthropic's Python client prepares schemas;
//! `tests/wires/strict_anthropic.py` checks this. The rules:
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>

mod definitions;

use super::FUNCTIONS;
use crate::json::{TypeSet, remove_entry};
use crate::schema::{AnthropicStrict, NotStrict, ToolSchema};
use crate::validator::push_key;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tool_runtime_schema::keywords::{KNOWN_FORMATS, accepts, types};
use tool_runtime_schema::strict::{Parameters, Rules, infer_type, is_rejected, subschemas};
use tool_runtime_schema::{is_closed_tuple, move_keywords};

/// The limits of a single schema. The server accepts 24 optional properties, or 16 unions, in the tools of a request,
/// but not in one tool ("Schema is too complex for compilation").
const MAX_OPTIONAL: usize = 23;
const MAX_UNIONS: usize = 15;

const RULES: Rules = Rules { requires_all: false, refers_to_definitions: true, simplify };

impl ToolSchema {
    /// The parameters in the form that Anthropic's servers accept with `strict: true`
    /// (<https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations>), so that the
    /// server makes the model follow them. It is created once and cached.
    ///
    /// Every object is closed, and optional properties stay optional. Limits of numbers, strings and arrays, and other
    /// keywords that the server does not accept, are in the descriptions. A value that is valid under this form and
    /// under the enforced schema runs.
    ///
    /// # Errors
    ///
    /// Returns every reason why there is no strict form, for example a map with any keys or a recursive type. Servers
    /// accept requests with both kinds of tools: send the tool without `strict`, with
    /// [`parameters`](ToolSchema::parameters).
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    ///
    /// /// Looks up the weather.
    /// #[tool]
    /// fn get_weather(city: &str, #[arg(default = 0)] days: u8) {}
    ///
    /// let registry = Registry::new(tools![get_weather])?;
    /// let strict = registry.schemas()[0].anthropic_strict().expect("it has no map");
    /// assert_eq!((strict.optional, strict.unions), (1, 0));
    /// assert_eq!(
    ///     serde_json::from_str::<serde_json::Value>(strict.parameters.get())?["properties"]["days"],
    ///     serde_json::json!({"type": "integer", "description": "(default: 0, minimum: 0)"}),
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn anthropic_strict(&self) -> Result<&AnthropicStrict, &[NotStrict]> {
        self.forms().anthropic_strict(|| self.strict_form(&FUNCTIONS, anthropic_strict))
    }
}

/// Returns the parameters of a tool in strict form, or every reason why there is none.
fn anthropic_strict(parameters: &RawValue) -> Result<AnthropicStrict, Vec<NotStrict>> {
    let mut parameters = Parameters::read(parameters, push_key)?;
    let errors = definitions::gather(&mut parameters.keywords);
    parameters.errors.extend(errors);
    parameters.convert(&RULES);
    let schemas = subschemas(&parameters.keywords);
    let length = |keywords: &Map<String, Value>, keyword: &str| match keywords.get(keyword) {
        Some(Value::Object(entries)) => entries.len(),
        Some(Value::Array(items)) => items.len(),
        _ => 0,
    };
    let count_optional =
        |keywords| length(keywords, "properties").saturating_sub(length(keywords, "required"));
    let optional = schemas.iter().map(|(keywords, _)| count_optional(keywords)).sum();
    let unions = schemas.iter().filter(|(keywords, _)| keywords.contains_key("anyOf")).count();
    let exceeded = [
        NotStrict::too_many(optional, MAX_OPTIONAL, "optional properties"),
        NotStrict::too_many(unions, MAX_UNIONS, "unions"),
    ];
    parameters.errors.extend(exceeded.into_iter().flatten());
    Ok(AnthropicStrict { parameters: parameters.finish()?, optional, unions })
}

/// Moves every keyword that the server does not accept into the description, and splits several types into
/// alternatives.
fn simplify(keywords: &mut Map<String, Value>) {
    // Only the definitions of the root can be referred to.
    for definitions in ["$defs", "definitions"] {
        remove_entry(keywords, definitions);
    }
    // A closed tuple has the union of its items in `items`, and their order in the description.
    if is_closed_tuple(keywords) {
        remove_entry(keywords, "prefixItems");
    }
    infer_type(keywords);
    replace_type_of_literals(keywords);
    let moved: Vec<String> =
        keywords.keys().filter(|keyword| !is_accepted(keyword, keywords)).cloned().collect();
    move_keywords(keywords, &in_order(&moved));
    split_types(keywords);
}

/// Removes the type next to an `enum` or a `const`, as the client does; values of other types leave the `enum`.
fn replace_type_of_literals(keywords: &mut Map<String, Value>) {
    let types = types(keywords).filter_map(TypeSet::from_name).fold(TypeSet::NONE, TypeSet::union);
    let has_type = |value: &Value| types.intersects(TypeSet::from_value(value));
    if let Some(Value::Array(values)) = keywords.get_mut("enum") {
        if values.iter().any(has_type) {
            values.retain(has_type);
        }
    }
    if keywords.keys().any(|keyword| is_literal(keyword, keywords)) {
        remove_entry(keywords, "type");
    }
}

/// Whether the keyword lists values, and none of them is an array or an object.
fn is_literal(keyword: &str, keywords: &Map<String, Value>) -> bool {
    let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
    match (keyword, keywords.get(keyword)) {
        ("enum", Some(Value::Array(values))) => !values.is_empty() && values.iter().all(is_scalar),
        ("const", Some(value)) => is_scalar(value),
        _ => false,
    }
}

/// Whether a keyword stays in the schema, or makes the conversion fail.
fn is_accepted(keyword: &str, keywords: &Map<String, Value>) -> bool {
    match keyword {
        "type" | "description" | "anyOf" | "$ref" => true,
        "enum" | "const" => is_literal(keyword, keywords),
        "properties" | "required" | "additionalProperties" | "patternProperties" => {
            accepts(keywords, "object")
        }
        "items" | "prefixItems" => accepts(keywords, "array"),
        "minItems" => {
            accepts(keywords, "array")
                && keywords.get(keyword).and_then(Value::as_u64).is_some_and(|items| items <= 1)
        }
        "format" => {
            let format = keywords.get(keyword).and_then(Value::as_str);
            accepts(keywords, "string") && format.is_some_and(|format| KNOWN_FORMATS.contains(&format))
        }
        _ => is_rejected(keyword),
    }
}

/// The keywords in the order in which the description lists them.
fn in_order(keywords: &[String]) -> Vec<&str> {
    const FIRST: [&[&str]; 4] = [
        &["default"],
        &["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"],
        &["minLength", "maxLength", "pattern", "format"],
        &["minItems", "maxItems"],
    ];
    let place = |keyword: &str| FIRST.into_iter().flatten().position(|first| *first == keyword);
    let mut ordered: Vec<&str> = keywords.iter().map(String::as_str).collect();
    ordered.sort_unstable_by_key(|keyword| (place(keyword).unwrap_or(usize::MAX), *keyword));
    ordered
}

/// Replaces several types with alternatives, each with the keywords that apply to its type: the client does not accept
/// a list of types.
fn split_types(keywords: &mut Map<String, Value>) {
    if !keywords.get("type").is_some_and(Value::is_array) || keywords.contains_key("anyOf") {
        return;
    }
    let kinds = remove_entry(keywords, "type").unwrap_or_default();
    let mut branches: Vec<Value> = Vec::new();
    for kind in kinds.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let own: &[&str] = match kind {
            "object" => &["properties", "required", "additionalProperties", "patternProperties"],
            "array" => &["items", "prefixItems", "minItems"],
            "string" => &["format"],
            _ => &[],
        };
        let own =
            own.iter().filter_map(|keyword| Some(((*keyword).to_owned(), remove_entry(keywords, keyword)?)));
        branches.push(std::iter::once(("type".to_owned(), json!(kind))).chain(own).collect());
    }
    match &mut branches[..] {
        [Value::Object(only)] => keywords.extend(std::mem::take(only)),
        _ => drop(keywords.insert("anyOf".to_owned(), branches.into())),
    }
}
