//! Random values that a schema most likely accepts.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// A value for the schema of a document.
pub(super) fn value_of(rng: &mut Rng, document: &Value) -> Value {
    // A type inside itself ends when the parts are used up.
    Values { rng, document, parts: 60 }.value(document)
}

struct Values<'v> {
    rng: &'v mut Rng,
    document: &'v Value,
    parts: usize,
}

impl Values<'_> {
    fn value(&mut self, schema: &Value) -> Value {
        self.parts = self.parts.saturating_sub(1);
        let Some(keywords) = schema.as_object() else { return self.any() };
        if self.parts == 0 {
            return Value::Null;
        }
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            let document = self.document;
            return document.pointer(&reference[1..]).map_or(Value::Null, |schema| self.value(schema));
        }
        if let Some(constant) = keywords.get("const") {
            return constant.clone();
        }
        if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
            return values[self.rng.usize(..values.len())].clone();
        }
        let mut object = Map::new();
        for union in ["anyOf", "oneOf", "allOf"] {
            let Some(schemas) = keywords.get(union).and_then(Value::as_array) else { continue };
            let chosen = self.rng.usize(..schemas.len());
            for (position, schema) in schemas.iter().enumerate() {
                if union == "allOf" || position == chosen {
                    match self.value(schema) {
                        Value::Object(fields) => object.extend(fields),
                        other if union != "allOf" => return other,
                        _ => {}
                    }
                }
            }
        }
        let kind = match keywords.get("type") {
            Some(Value::Array(kinds)) => {
                kinds[self.rng.usize(..kinds.len())].as_str().unwrap_or_default().to_owned()
            }
            Some(Value::String(kind)) => kind.clone(),
            _ if keywords.contains_key("properties") || !object.is_empty() => "object".to_owned(),
            _ => return self.any(),
        };
        match &*kind {
            "null" => Value::Null,
            "boolean" => self.rng.bool().into(),
            "integer" => self.integer(keywords).into(),
            "number" => json!(
                f64::from(i32::try_from(self.integer(keywords)).unwrap_or(0))
                    + f64::from(self.rng.u8(..3)) / 2.0
            ),
            "string" => self.string(keywords).into(),
            "array" => self.array(keywords),
            _ => self.object(keywords, object),
        }
    }

    fn integer(&mut self, keywords: &Map<String, Value>) -> i64 {
        let bound = |keyword: &str| keywords.get(keyword).and_then(Value::as_i64);
        let least = bound("minimum").or(bound("exclusiveMinimum")).unwrap_or(-9);
        let most = bound("maximum").unwrap_or(least + 12).max(least);
        let step = bound("multipleOf").unwrap_or(1).max(1);
        self.rng.i64(least..=most) / step * step
    }

    fn string(&mut self, keywords: &Map<String, Value>) -> String {
        let least = keywords.get("minLength").and_then(Value::as_u64).unwrap_or(0);
        let length = self.rng.u64(least..=least + 3);
        (0..length).map(|_| *self.rng.choice(&['x', 'y', 'z']).expect("there are letters")).collect()
    }

    fn array(&mut self, keywords: &Map<String, Value>) -> Value {
        let least = keywords.get("minItems").and_then(Value::as_u64).unwrap_or(0);
        let length = if self.parts < 20 { least } else { self.rng.u64(least..=least + 3) };
        let any = json!(true);
        let first = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let rest = keywords.get("items").unwrap_or(&any);
        let item =
            |index: u64| usize::try_from(index).ok().and_then(|index| first.get(index)).unwrap_or(rest);
        (0..length).map(|index| self.value(item(index))).collect()
    }

    fn object(&mut self, keywords: &Map<String, Value>, mut object: Map<String, Value>) -> Value {
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, schema) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if required.contains(&&**name) || (self.parts > 20 && self.rng.bool()) {
                object.insert(name.clone(), self.value(schema));
            }
        }
        let any = json!(true);
        let others = keywords.get("additionalProperties").unwrap_or(&any);
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        for name in ["a", "a1", "b", "c", "d", "key", "k"] {
            let is_required = required.contains(&name);
            if object.contains_key(name) || !(is_required || self.rng.u8(..6) == 0) {
                continue;
            }
            let pattern = patterns.and_then(|patterns| patterns.get("^a")).filter(|_| name.starts_with('a'));
            let value = self.value(pattern.unwrap_or(others));
            object.insert(name.to_owned(), value);
        }
        object.into()
    }

    fn any(&mut self) -> Value {
        let values = [
            json!(null),
            json!(true),
            json!(2),
            json!(5.5),
            json!("x"),
            json!([1]),
            json!({}),
            json!({ "a": 1 }),
        ];
        values[self.rng.usize(..values.len())].clone()
    }
}

/// The value with another part.
pub(super) fn changed(rng: &mut Rng, mut value: Value) -> Value {
    change(rng, &mut value);
    value
}

fn change(rng: &mut Rng, part: &mut Value) {
    let is_end = rng.u8(..4) == 0;
    match part {
        Value::Object(entries) if !entries.is_empty() => {
            let name = entries.keys().nth(rng.usize(..entries.len())).cloned().expect("it is there");
            if is_end {
                entries.remove(&name);
            } else {
                change(rng, &mut entries[&name]);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let chosen = rng.usize(..items.len());
            if is_end {
                items.push(items[chosen].clone());
            } else {
                change(rng, &mut items[chosen]);
            }
        }
        leaf => {
            let values = [json!(null), json!(0), json!(7), json!("x"), json!("new"), json!({}), json!([])];
            *leaf = values[rng.usize(..values.len())].clone();
        }
    }
}
