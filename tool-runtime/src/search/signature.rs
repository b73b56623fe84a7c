//! The signature of a tool in one line.

use crate::json::{descendants, pairs, referenced};
use crate::schema::ToolSchema;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// In levels of objects, arrays, unions and references; a deeper type is `any` or `object`.
const MAX_DEPTH: usize = 6;
/// The maximum number of schemas in a signature. Those of nearly all tools have fewer; the rest is `..`.
const MAX_SCHEMAS: usize = 100;
/// The maximum number of values of an enum, and of types of a union; the rest is `..`.
const MAX_ALTERNATIVES: usize = 20;
/// In characters, of a name, a value or a description.
const MAX_TEXT: usize = 120;
/// In place of omitted parts.
const REST: &str = "..";

/// The signature of a tool in one line, which needs fewer tokens than the JSON Schema:
/// `get_weather(city: string, days?: integer = 0, unit?: "c" | "f")`.
///
/// `?` marks an optional parameter and `= 0` its default; `string[]` is an array and `{street: string, zip?: string}` an
/// object. Required parameters are first. A type that the signature does not express is `any`. Limits of values,
/// patterns and formats are missing, and types that are deep or long are abbreviated; the model reads the schema for them.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::ToolSchema;
/// use tool_runtime::search::signature;
///
/// let tool: ToolSchema = serde_json::from_value(json!({
///     "type": "function",
///     "function": {
///         "name": "get_weather",
///         "parameters": {
///             "type": "object",
///             "properties": {
///                 "city": {"type": "string", "description": "In English."},
///                 "days": {"type": "integer", "default": 0},
///                 "unit": {"enum": ["c", "f"]},
///             },
///             "required": ["city"],
///         },
///     },
/// }))?;
/// assert_eq!(signature(&tool), r#"get_weather(city: string, days?: integer = 0, unit?: "c" | "f")"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[must_use]
pub fn signature(tool: &ToolSchema) -> String {
    write_signature(tool, false)
}

/// Like [`signature`], with the description of each parameter in parentheses: `get_weather(city: string (In English.))`.
#[must_use]
pub fn documented_signature(tool: &ToolSchema) -> String {
    write_signature(tool, true)
}

fn write_signature(tool: &ToolSchema, has_descriptions: bool) -> String {
    let text = tool.parameters().get();
    // A deeper schema than the parser accepts has no parameters here.
    let root: Value = serde_json::from_str(text).unwrap_or_default();
    let mut writer = Writer { root: &root, has_descriptions, open: Vec::new(), schemas_left: MAX_SCHEMAS };
    let order = declared_order(text);
    let order: HashMap<&str, usize> = order.iter().zip(0..).map(|(name, place)| (&**name, place)).collect();
    format!("{}({})", tool.name(), writer.properties(&root, &order, 0))
}

/// The names of the parameters as the tool declares them, which a map does not keep.
fn declared_order(schema: &str) -> Vec<String> {
    let entries = |object| pairs(object).unwrap_or_default().into_iter();
    let properties = entries(schema).find(|(keyword, _)| keyword == "properties");
    properties
        .into_iter()
        .flat_map(|(_, object)| entries(object))
        .map(|(name, _)| name.into_owned())
        .collect()
}

struct Writer<'s> {
    root: &'s Value,
    has_descriptions: bool,
    /// The references that are being written, so that a recursive type ends with its name.
    open: Vec<&'s str>,
    schemas_left: usize,
}

impl<'s> Writer<'s> {
    /// `city: string, days?: integer = 0`, the required ones first.
    fn properties(&mut self, schema: &'s Value, order: &HashMap<&str, usize>, depth: usize) -> String {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return String::new();
        };
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
        let mut sorted: Vec<(&'s String, &'s Value)> = properties.iter().collect();
        sorted.sort_by_key(|(name, _)| (!required.contains(&***name), order.get(&***name)));
        let mut text = String::new();
        for (name, schema) in sorted {
            if !text.is_empty() {
                text.push_str(", ");
            }
            if self.schemas_left == 0 {
                text.push_str(REST);
                break;
            }
            self.property(name, !required.contains(&**name), schema, depth, &mut text);
        }
        text
    }

    fn property(
        &mut self,
        name: &str,
        is_optional: bool,
        schema: &'s Value,
        depth: usize,
        text: &mut String,
    ) {
        let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '$');
        let name = if name.chars().all(is_plain) { shortened(name) } else { value(&name.into()) };
        let mark = if is_optional { "?" } else { "" };
        // `fmt::Write` of a `String` always succeeds.
        let _ = write!(text, "{name}{mark}: {}", self.type_of(schema, depth));
        // Null as a default is the same as an absent argument.
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            let _ = write!(text, " = {}", value(default));
        }
        let description = schema.get("description").and_then(Value::as_str).filter(|_| self.has_descriptions);
        if let Some(description) = description.map(one_line).filter(|description| !description.is_empty()) {
            let _ = write!(text, " ({description})");
        }
    }

    fn type_of(&mut self, schema: &'s Value, depth: usize) -> String {
        if self.schemas_left == 0 || depth > MAX_DEPTH {
            return "any".to_owned();
        }
        self.schemas_left -= 1;
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.referenced(reference, depth);
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return union(values.iter().map(value));
        }
        if let Some(only) = schema.get("const") {
            return value(only);
        }
        for (keyword, separator) in [("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")] {
            let Some(branches) = schema.get(keyword).and_then(Value::as_array) else { continue };
            let types =
                branches.iter().take(MAX_ALTERNATIVES + 1).map(|branch| self.type_of(branch, depth + 1));
            return alternatives(types, separator);
        }
        match schema.get("type") {
            Some(Value::Array(types)) => {
                let types = types.iter().take(MAX_ALTERNATIVES + 1).filter_map(Value::as_str);
                union(types.map(|name| self.named_type(name, schema, depth)))
            }
            Some(Value::String(name)) => self.named_type(name, schema, depth),
            _ if schema.get("properties").is_some() => self.object(schema, depth),
            _ => "any".to_owned(),
        }
    }

    fn named_type(&mut self, name: &str, schema: &'s Value, depth: usize) -> String {
        match name {
            "object" => self.object(schema, depth),
            "array" => {
                let items = schema.get("items").filter(|items| items.is_object());
                let items = items.map_or_else(|| "any".to_owned(), |items| self.type_of(items, depth + 1));
                // Braces and quotes may contain these characters too; more parentheses do no harm.
                if items.contains(" | ") || items.contains(" & ") {
                    format!("({items})[]")
                } else {
                    items + "[]"
                }
            }
            "string" | "integer" | "number" | "boolean" | "null" => name.to_owned(),
            _ => "any".to_owned(),
        }
    }

    fn object(&mut self, schema: &'s Value, depth: usize) -> String {
        let properties = if depth < MAX_DEPTH {
            self.properties(schema, &HashMap::new(), depth + 1)
        } else {
            String::new()
        };
        match schema.get("additionalProperties") {
            _ if !properties.is_empty() => format!("{{{properties}}}"),
            Some(values @ Value::Object(_)) => format!("Record<string, {}>", self.type_of(values, depth + 1)),
            _ => "object".to_owned(),
        }
    }

    fn referenced(&mut self, reference: &'s str, depth: usize) -> String {
        if self.open.contains(&reference) {
            let name = reference.rsplit(['/', '#']).next().filter(|name| !name.is_empty());
            return shortened(name.unwrap_or("object"));
        }
        let Some(schema) = referenced(self.root, reference) else { return "any".to_owned() };
        self.open.push(reference);
        let text = self.type_of(schema, depth + 1);
        self.open.pop();
        text
    }
}

fn union(types: impl Iterator<Item = String>) -> String {
    alternatives(types, " | ")
}

/// Each type once.
fn alternatives(types: impl Iterator<Item = String>, separator: &str) -> String {
    let mut found: Vec<String> = Vec::new();
    for name in types {
        if found.len() == MAX_ALTERNATIVES {
            found.push(REST.to_owned());
            break;
        }
        if !found.contains(&name) {
            found.push(name);
        }
    }
    if found.is_empty() { "any".to_owned() } else { found.join(separator) }
}

/// A value as JSON; a long one is abbreviated.
fn value(value: &Value) -> String {
    match value {
        Value::String(text) => Value::from(shortened(text)).to_string(),
        Value::Array(items) if !items.is_empty() && descendants([value]).nth(MAX_ALTERNATIVES).is_some() => {
            format!("[{REST}]")
        }
        Value::Object(_) if descendants([value]).nth(MAX_ALTERNATIVES).is_some() => format!("{{{REST}}}"),
        _ => shortened(&value.to_string()),
    }
}

fn one_line(text: &str) -> String {
    let words = text.split_whitespace().take(MAX_TEXT);
    shortened(&words.collect::<Vec<_>>().join(" "))
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}{REST}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
