//! An independent check: if the comparison calls a change compatible, another validator accepts random values accordingly.

use super::compare;
use super::shop::lock_of;
use super::values::{changed, value_of};
use fastrand::Rng;
use serde_json::{Map, Value, json};
use tool_runtime::{DynamicTool, Registry};

/// The number of pairs of schemas; `LOCK_PAIRS` sets another one.
const PAIRS: usize = 1_500;
const INSTANCES: usize = 40;

/// A registry with a tool that has these parameters, or this output schema.
fn registry(schema: &Value, is_output: bool) -> Registry {
    let any = json!({ "type": "object" });
    let parameters = if is_output { any } else { schema.clone() };
    let mut tool = DynamicTool::new("tool", "", parameters, |_| async { Ok::<_, String>(()) });
    if is_output {
        tool = tool.output_schema(schema.clone());
    }
    Registry::builder().dynamic(tool).build().unwrap_or_else(|error| panic!("{error}: {schema}"))
}

/// The schema in the lock, which is the one that is compared.
fn locked(registry: &Registry, is_output: bool) -> Value {
    let field = if is_output { "output_schema" } else { "parameters" };
    lock_of(registry)["tools"][0][field].clone()
}

#[test]
fn compatible_changes_accept_the_same_values() {
    let mut rng = crate::seeded();
    let (mut compatible, mut breaking, mut checked) = (0, 0, 0);
    let pairs = std::env::var("LOCK_PAIRS").ok().and_then(|pairs| pairs.parse().ok()).unwrap_or(PAIRS);
    for _ in 0..pairs {
        let is_output = rng.u8(..3) == 0;
        let old_schema = Generator(&mut rng).document();
        let new_schema = if rng.u8(..8) == 0 {
            Generator(&mut rng).document()
        } else {
            let mut edited = old_schema.clone();
            for _ in 0..rng.usize(1..=3) {
                edit(&mut rng, &mut edited);
            }
            edited
        };
        let (old, new) = (registry(&old_schema, is_output), registry(&new_schema, is_output));
        let lock = lock_of(&old);
        let message = compare(&lock, &new);
        assert_eq!(message.is_none(), lock == lock_of(&new), "{old_schema} {new_schema} {message:?}");
        if message
            .as_ref()
            .is_some_and(|message| message.lines().next().is_some_and(|line| line.contains("breaking")))
        {
            breaking += 1;
            continue;
        }
        compatible += usize::from(message.is_some());
        let (old, new) = (locked(&old, is_output), locked(&new, is_output));
        let (sub, sup) = if is_output { (new, old) } else { (old, new) };
        // A field that a schema does not name counts as absent. `oneOf` may accept more values if its alternatives are closed.
        let [strict, valid, accepting] = [&closed(sub.clone()), &sub, &sup].map(validator);
        for _ in 0..INSTANCES {
            let source = if rng.bool() { &sub } else { &sup };
            let mut value = value_of(&mut rng, source);
            if rng.bool() {
                value = changed(&mut rng, value);
            }
            if !strict.is_valid(&value) || !valid.is_valid(&value) {
                continue;
            }
            checked += 1;
            assert!(
                accepting.is_valid(&value),
                "{value} is valid under {sub}, and not under {sup}: {message:?}"
            );
        }
    }
    println!("{compatible} compatible changes, {breaking} breaking ones, {checked} values");
    assert!(compatible > pairs / 5 && breaking > pairs / 5, "{compatible} compatible, {breaking} breaking");
    assert!(checked > pairs, "{checked} values");
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::validator_for(schema).unwrap_or_else(|error| panic!("{error} in {schema}"))
}

/// Closes each object that does not describe other fields.
fn closed(mut schema: Value) -> Value {
    each_schema(&mut schema, &mut |schema| {
        if let Some(keywords) = schema.as_object_mut() {
            if ["properties", "required", "patternProperties"]
                .iter()
                .any(|keyword| keywords.contains_key(*keyword))
            {
                keywords.entry("additionalProperties").or_insert(json!(false));
            }
        }
    });
    schema
}

/// Calls `visit` with a schema and all schemas inside it.
fn each_schema(schema: &mut Value, visit: &mut dyn FnMut(&mut Value)) {
    for (keyword, value) in schema.as_object_mut().into_iter().flatten() {
        match (&**keyword, value) {
            ("properties" | "patternProperties" | "$defs", Value::Object(schemas)) => {
                for schema in schemas.values_mut() {
                    each_schema(schema, visit);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                for schema in schemas {
                    each_schema(schema, visit);
                }
            }
            ("items" | "additionalProperties" | "propertyNames" | "not", schema) => {
                each_schema(schema, visit);
            }
            _ => {}
        }
    }
    visit(schema);
}

struct Generator<'r>(&'r mut Rng);

impl Generator<'_> {
    /// The schema of an object with two definitions.
    fn document(&mut self) -> Value {
        // In a small document, an edit has an effect on more values.
        let depth = self.0.usize(..4);
        let mut document = self.object(depth);
        document
            .insert("$defs".to_owned(), json!({ "a": self.schema(depth + 1), "b": self.schema(depth + 2) }));
        document.into()
    }

    fn schema(&mut self, depth: usize) -> Value {
        let number = self.0.i32(-3..9);
        let length = self.0.u8(..3);
        match self.0.u8(..if depth > 3 { 9 } else { 18 }) {
            0 => json!({ "type": "integer", "minimum": number, "maximum": number + 5 }),
            1 => json!({ "type": "number", "exclusiveMinimum": number }),
            2 => json!({ "type": ["integer", "null"], "multipleOf": self.0.u8(1..5) }),
            3 => json!({ "type": "string", "minLength": length, "maxLength": length + 3 }),
            4 => json!({ "type": "string", "enum": self.words() }),
            5 => json!({ "enum": [1, "x", null, true] }),
            6 => json!({ "const": "x" }),
            7 => json!({ "type": if self.0.bool() { json!("boolean") } else { json!(["string", "null"]) } }),
            8 => json!({ "type": "string", "pattern": "^[a-z]+$" }),
            9 | 10 => self.object(depth).into(),
            11 => {
                json!({ "type": "array", "items": self.schema(depth + 1), "minItems": length, "maxItems": length + 2 })
            }
            12 => json!({
                "type": "array",
                "prefixItems": [self.schema(depth + 1), self.schema(depth + 1)],
                "items": if self.0.bool() { json!(false) } else { self.schema(depth + 1) },
                "uniqueItems": self.0.bool(),
            }),
            13 => json!({ "anyOf": self.alternatives(depth) }),
            14 => json!({ "oneOf": self.alternatives(depth) }),
            15 => json!({ "$ref": if self.0.bool() { "#/$defs/a" } else { "#/$defs/b" } }),
            16 => json!({ "allOf": [{ "type": "object" }, self.object(depth)] }),
            _ => {
                json!({ "type": "object", "additionalProperties": self.schema(depth + 1), "maxProperties": length + 1 })
            }
        }
    }

    fn words(&mut self) -> Vec<&'static str> {
        ["x", "y", "z"].into_iter().take(self.0.usize(1..=3)).collect()
    }

    fn alternatives(&mut self, depth: usize) -> Vec<Value> {
        let mut alternatives: Vec<Value> = (0..self.0.usize(1..=3)).map(|_| self.schema(depth + 1)).collect();
        if self.0.bool() {
            let tagged = |tag: &str, schema: Value| json!({ "type": "object", "properties": { "kind": { "const": tag }, "c": schema }, "required": ["kind"] });
            alternatives = vec![tagged("p", self.schema(depth + 1)), tagged("q", self.schema(depth + 1))];
        }
        alternatives
    }

    fn object(&mut self, depth: usize) -> Map<String, Value> {
        let mut properties = Map::new();
        for name in ["a", "b", "c", "key"] {
            if self.0.bool() {
                properties.insert(name.to_owned(), self.schema(depth + 1));
            }
        }
        let required: Vec<String> = properties.keys().filter(|_| self.0.u8(..3) == 0).cloned().collect();
        let mut object = Map::new();
        object.insert("type".to_owned(), json!("object"));
        object.insert("properties".to_owned(), properties.into());
        object.insert("required".to_owned(), json!(required));
        match self.0.u8(..6) {
            0 | 1 => drop(object.insert("additionalProperties".to_owned(), json!(false))),
            2 => drop(object.insert("additionalProperties".to_owned(), self.schema(depth + 2))),
            3 => drop(object.insert("additionalProperties".to_owned(), json!(true))),
            _ => {}
        }
        match self.0.u8(..8) {
            0 => drop(object.insert("patternProperties".to_owned(), json!({ "^a": self.schema(depth + 2) }))),
            1 => drop(object.insert("propertyNames".to_owned(), json!({ "maxLength": self.0.u8(1..5) }))),
            2 => drop(object.insert("minProperties".to_owned(), json!(self.0.u8(..3)))),
            _ => {}
        }
        object
    }
}

/// Changes one schema inside a document.
fn edit(rng: &mut Rng, document: &mut Value) {
    let mut count = 0;
    each_schema(document, &mut |_| count += 1);
    let mut chosen = rng.usize(..count);
    let mut is_root = count;
    each_schema(document, &mut |schema| {
        is_root -= 1;
        // The root stays the schema of an object.
        if chosen == 0 && is_root > 0 {
            edit_schema(rng, schema);
        }
        chosen = chosen.wrapping_sub(1);
    });
    if rng.u8(..4) == 0 {
        edit_object(rng, document);
    }
}

fn edit_schema(rng: &mut Rng, schema: &mut Value) {
    if !schema.is_object() || rng.u8(..6) == 0 {
        *schema = Generator(rng).schema(2);
        return;
    }
    if schema["properties"].is_object() && rng.bool() {
        return edit_object(rng, schema);
    }
    let whole = schema.clone();
    let keywords = schema.as_object_mut().expect("it is an object");
    let Some(keyword) = keywords.keys().nth(rng.usize(..keywords.len().max(1))).cloned() else { return };
    match (&*keyword, &mut keywords[&*keyword]) {
        ("type", value) if value.is_string() && rng.bool() => *value = json!([value.clone(), "null"]),
        ("type", value) if *value == "integer" => *value = json!("number"),
        ("anyOf" | "oneOf", Value::Array(alternatives)) => match rng.u8(..3) {
            0 if alternatives.len() > 1 => drop(alternatives.remove(0)),
            1 => alternatives.push(Generator(rng).schema(3)),
            _ => rng.shuffle(alternatives),
        },
        ("enum", Value::Array(values)) if rng.bool() => {
            values.push(json!(if rng.bool() { "new" } else { "y" }));
        }
        ("enum", Value::Array(values)) if values.len() > 1 => drop(values.pop()),
        (_, value) if value.is_u64() || value.is_i64() => {
            let number = value.as_i64().expect("it is small") + if rng.bool() { 1 } else { -1 };
            // Lengths are not negative.
            let is_bound = ["minimum", "maximum", "exclusiveMinimum"].contains(&&*keyword);
            *value = if is_bound { number.into() } else { number.max(1).into() };
        }
        (_, value) if rng.u8(..4) == 0 && keyword != "$ref" => {
            let _ = value;
            keywords.remove(&keyword);
        }
        _ => *schema = json!({ "anyOf": [whole, Generator(rng).schema(3)] }),
    }
}

fn edit_object(rng: &mut Rng, schema: &mut Value) {
    let name = ["a", "b", "c", "key", "d"][rng.usize(..5)];
    let Some(keywords) = schema.as_object_mut() else { return };
    match rng.u8(..6) {
        0 => {
            let added = Generator(rng).schema(2);
            keywords.entry("properties").or_insert(json!({}))[name] = added;
        }
        1 => {
            let properties = keywords.get_mut("properties").and_then(Value::as_object_mut);
            if let Some(properties) = properties {
                properties.remove(name);
            }
        }
        2 | 3 => {
            let required = keywords.entry("required").or_insert(json!([])).as_array_mut().expect("a list");
            let count = required.len();
            required.retain(|required| required != name);
            if required.len() == count && rng.bool() {
                required.push(json!(name));
            }
        }
        4 => drop(keywords.insert("additionalProperties".to_owned(), rng.bool().into())),
        _ => drop(keywords.remove("additionalProperties")),
    }
}
