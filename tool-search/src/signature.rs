//! The signature of a tool in one line.

use crate::Definition;
use crate::one_line::{one_line, shortened, without_line_breaks};
use serde_json::Value;
use std::collections::HashSet;
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

/// Finds the value that a reference such as `#/$defs/stop` points to in a document.
pub type FindReferenced = for<'v> fn(&'v Value, &str) -> Option<&'v Value>;

/// The signature of a tool in one line: `get_weather(city: string, days?: integer = 0, unit?: "c" | "f")`. The documentation of
/// `tool_runtime::search::signature` describes its parts.
///
/// ```
/// use tool_runtime_search::{Definition, signature};
///
/// let parameters = r##"{"properties":{"days":{"$ref":"#/$defs/days"}},"$defs":{"days":{"type":"integer"}}}"##;
/// let tool = Definition { name: "get_weather", description: "", parameters };
/// let text = signature(tool, |document, reference| document.pointer(reference.strip_prefix('#')?));
/// assert_eq!(text, "get_weather(days?: integer)");
/// ```
#[must_use]
pub fn signature(tool: Definition<'_>, find_referenced: FindReferenced) -> String {
    write_signature(tool, find_referenced, false)
}

/// Like [`signature`], with the description of each parameter in parentheses: `get_weather(city: string (In English.))`.
#[must_use]
pub fn documented_signature(tool: Definition<'_>, find_referenced: FindReferenced) -> String {
    write_signature(tool, find_referenced, true)
}

fn write_signature(tool: Definition<'_>, find_referenced: FindReferenced, has_descriptions: bool) -> String {
    // A deeper schema than the parser accepts is `object`.
    let root: Value = serde_json::from_str(tool.parameters).unwrap_or_default();
    let mut writer = Writer {
        root: &root,
        find_referenced,
        has_descriptions,
        open: Vec::new(),
        schemas_left: MAX_SCHEMAS,
    };
    format!("{}({})", without_line_breaks(tool.name), writer.parameters())
}

struct Writer<'s> {
    root: &'s Value,
    find_referenced: FindReferenced,
    has_descriptions: bool,
    /// The references that are being written, so that a recursive type ends with its name.
    open: Vec<&'s str>,
    schemas_left: usize,
}

impl<'s> Writer<'s> {
    /// The properties of the root or, if it does not list them, a type.
    fn parameters(&mut self) -> String {
        let parts = self.parts();
        let properties = self.properties(&parts, 0);
        let base = if properties.is_empty() { "object".to_owned() } else { format!("{{{properties}}}") };
        let unions: Vec<String> = parts.iter().flat_map(|part| self.unions(part, &base, 0)).collect();
        match unions.is_empty() {
            false => intersection(base, unions),
            true if !properties.is_empty() => properties,
            true if has_no_parameters(&parts) => String::new(),
            true => parts.iter().find_map(|part| self.record(part, 0)).unwrap_or(base),
        }
    }

    /// The root, and the schemas that it contains by `$ref` and `allOf`, each once.
    fn parts(&self) -> Vec<&'s Value> {
        let mut found: Vec<&Value> = Vec::new();
        let mut rest = vec![self.root];
        while let Some(schema) = rest.pop().filter(|_| found.len() < MAX_SCHEMAS) {
            if found.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            found.push(schema);
            rest.extend(branches(schema, "allOf").iter().rev());
            let reference = schema.get("$ref").and_then(Value::as_str);
            rest.extend(reference.and_then(|reference| (self.find_referenced)(self.root, reference)));
        }
        found
    }

    /// `city: string, days?: integer = 0`: the properties of all the schemas, the required ones first.
    fn properties(&mut self, schemas: &[&'s Value], depth: usize) -> String {
        let required = schemas.iter().flat_map(|schema| branches(schema, "required"));
        let required: HashSet<&str> = required.filter_map(Value::as_str).collect();
        let properties = schemas.iter().filter_map(|schema| schema.get("properties")?.as_object()).flatten();
        let mut names = HashSet::new();
        let mut sorted: Vec<(&'s String, &'s Value)> =
            properties.filter(|(name, _)| names.insert(*name)).collect();
        sorted.sort_by_key(|(name, _)| !required.contains(&***name));
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
        let name = identifier(name);
        let mark = if is_optional { "?" } else { "" };
        // `fmt::Write` of a `String` always succeeds.
        let _ = write!(text, "{name}{mark}: {}", self.type_of(schema, depth));
        // Null as a default is the same as an absent argument.
        if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
            let _ = write!(text, " = {}", value(default));
        }
        let description = schema.get("description").and_then(Value::as_str).filter(|_| self.has_descriptions);
        if let Some(description) =
            description.map(|text| one_line(text, MAX_TEXT)).filter(|description| !description.is_empty())
        {
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
        let base = match schema.get("type") {
            Some(Value::Array(types)) => {
                let types = types.iter().take(MAX_ALTERNATIVES + 1).filter_map(Value::as_str);
                union(types.map(|name| self.named_type(name, schema, depth)))
            }
            Some(Value::String(name)) => self.named_type(name, schema, depth),
            _ if schema.get("properties").is_some() => self.object(schema, depth),
            _ => "any".to_owned(),
        };
        let mut types = self.unions(schema, &base, depth);
        for branch in branches(schema, "allOf").iter().take(MAX_ALTERNATIVES) {
            let name = self.type_of(branch, depth + 1);
            if !is_wider(&name, &base) && !types.contains(&name) {
                types.push(name);
            }
        }
        intersection(base, types)
    }

    /// The `anyOf` and `oneOf` of a schema. Branches that only list required properties or limits are left out, since
    /// they add no type to that of the schema.
    fn unions(&mut self, schema: &'s Value, base: &str, depth: usize) -> Vec<String> {
        let mut unions = Vec::new();
        for keyword in ["anyOf", "oneOf"] {
            let branches = branches(schema, keyword).iter().take(MAX_ALTERNATIVES + 1);
            let mut types: Vec<String> = branches.map(|branch| self.type_of(branch, depth + 1)).collect();
            if types.iter().all(|name| is_wider(name, base)) {
                continue;
            }
            let any = if is_object(base) { "object" } else { base };
            types.iter_mut().filter(|name| *name == "any").for_each(|name| any.clone_into(name));
            unions.push(union(types.into_iter()));
        }
        unions
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
        let properties =
            if depth < MAX_DEPTH { self.properties(&[schema], depth + 1) } else { String::new() };
        if properties.is_empty() {
            self.record(schema, depth).unwrap_or_else(|| "object".to_owned())
        } else {
            format!("{{{properties}}}")
        }
    }

    /// An object with any names.
    fn record(&mut self, schema: &'s Value, depth: usize) -> Option<String> {
        let values = schema.get("additionalProperties").filter(|values| values.is_object())?;
        Some(format!("Record<string, {}>", self.type_of(values, depth + 1)))
    }

    fn referenced(&mut self, reference: &'s str, depth: usize) -> String {
        if self.open.contains(&reference) {
            let name = reference.rsplit(['/', '#']).next().filter(|name| !name.is_empty());
            return identifier(name.unwrap_or("object"));
        }
        let Some(schema) = (self.find_referenced)(self.root, reference) else { return "any".to_owned() };
        self.open.push(reference);
        let text = self.type_of(schema, depth + 1);
        self.open.pop();
        text
    }
}

/// The schemas or names in an array of a schema.
fn branches<'s>(schema: &'s Value, keyword: &str) -> &'s [Value] {
    schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Whether an object that lists no properties accepts none. Without the keyword `properties`, it accepts any.
fn has_no_parameters(parts: &[&Value]) -> bool {
    let is_false = |schema: &Value, keyword| schema.get(keyword) == Some(&Value::Bool(false));
    let has_others = |schema: &&Value| {
        let is_open =
            schema.get("additionalProperties").is_some() && !is_false(schema, "additionalProperties");
        is_open || schema.get("patternProperties").is_some()
    };
    let is_complete = |schema: &&Value| {
        let is_closed =
            ["additionalProperties", "unevaluatedProperties"].map(|keyword| is_false(schema, keyword));
        is_closed.contains(&true) || schema.get("properties").is_some_and(Value::is_object)
    };
    parts.iter().any(is_complete) && !parts.iter().any(has_others)
}

fn is_object(name: &str) -> bool {
    name == "object" || name.starts_with('{') || name.starts_with("Record<")
}

/// Whether a type adds nothing to `base`.
fn is_wider(name: &str, base: &str) -> bool {
    name == "any" || name == base || name == "object" && is_object(base)
}

/// The base is missing if it is only the name of a type, which the other types imply.
fn intersection(base: String, mut types: Vec<String>) -> String {
    let has_base = types.is_empty() || is_object(&base) && base != "object";
    if types.len() + usize::from(has_base) > 1 {
        for name in types.iter_mut().filter(|name| name.contains(" | ")) {
            *name = format!("({name})");
        }
    }
    if has_base {
        types.insert(0, base);
    }
    types.join(" & ")
}

/// Each type once.
fn union(types: impl Iterator<Item = String>) -> String {
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
    if found.is_empty() { "any".to_owned() } else { found.join(" | ") }
}

/// The name of a parameter or of a type; as a JSON string if it has spaces or punctuation.
fn identifier(name: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '$');
    if name.chars().all(is_plain) { shortened(name, MAX_TEXT) } else { value(&name.into()) }
}

/// A value as JSON in one line; a long one is abbreviated.
fn value(value: &Value) -> String {
    let text = match value {
        Value::String(text) => Value::from(shortened(text, MAX_TEXT)).to_string(),
        Value::Array(items) if !items.is_empty() && is_long(value) => {
            format!("[{REST}]")
        }
        Value::Object(_) if is_long(value) => format!("{{{REST}}}"),
        _ => shortened(&value.to_string(), MAX_TEXT),
    };
    without_line_breaks(&text)
}

/// Whether a value has more values inside it than a signature lists, at any depth. Without recursion, since a value may be of any
/// depth.
fn is_long(value: &Value) -> bool {
    let mut rest = vec![value];
    for _ in 0..MAX_ALTERNATIVES {
        match rest.pop() {
            Some(Value::Object(entries)) => rest.extend(entries.values()),
            Some(Value::Array(items)) => rest.extend(items),
            Some(_) => {}
            None => return false,
        }
    }
    !rest.is_empty()
}
