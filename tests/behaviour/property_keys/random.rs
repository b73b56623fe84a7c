//! Random schemas: arguments with written names arrive as they were.

use super::{received, registry, sent};
use fastrand::Rng;
use serde_json::{Map, Value, json};

const KEYS: [&str; 12] = [
    "größe",
    "gr__e",
    "@id",
    "_id",
    "filter[city]",
    "filter_city_",
    "a b",
    "a/b",
    "plain",
    "",
    "properties",
    "$ref?",
];

/// A schema, and a value of it.
fn sample(random: &mut Rng, depth: usize) -> (Value, Value) {
    match random.u8(..if depth == 0 { 1 } else { 7 }) {
        0 => (json!({ "type": "integer" }), json!(random.i32(..))),
        1 => {
            let (schema, value) = object(random, depth);
            (json!({ "type": "array", "items": schema }), json!([value, value]))
        }
        2 => {
            let (schema, value) = object(random, depth);
            let key = KEYS[random.usize(..KEYS.len())];
            (json!({ "type": "object", "additionalProperties": schema }), json!({ key: value }))
        }
        3 => {
            let (schema, value) = object(random, depth);
            (json!({ "anyOf": [{ "type": "string" }, schema] }), value)
        }
        4 => {
            let (schema, value) = sample(random, depth - 1);
            (
                json!({ "type": "array", "prefixItems": [true, schema], "items": {} }),
                json!([null, value, { "gr__e": 1 }]),
            )
        }
        _ => object(random, depth),
    }
}

/// A closed object, with some of its properties in `allOf` or in a definition that only it has.
fn object(random: &mut Rng, depth: usize) -> (Value, Value) {
    let (mut properties, mut required, mut value) = (Map::new(), Vec::new(), Map::new());
    for key in KEYS {
        if random.u8(..3) > 0 {
            continue;
        }
        let (mut schema, inner) = sample(random, depth - 1);
        schema["title"] = json!(key);
        properties.insert(key.to_owned(), schema);
        if random.bool() {
            required.push(key);
        }
        if random.u8(..4) > 0 || required.last() == Some(&key) {
            value.insert(key.to_owned(), inner);
        }
    }
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let schema = if random.bool() { json!({ "type": "object", "allOf": [schema] }) } else { schema };
    (schema, value.into())
}

/// The value with written names: those of the definition that is sent.
fn written(own: &Value, written: &Value, value: &Value) -> Value {
    let part = |keyword: &str| (own.get(keyword), written.get(keyword));
    if let (Some(Value::Array(own)), Some(Value::Array(written))) = part("allOf") {
        return self::written(&own[0], &written[0], value);
    }
    if let (Some(Value::Array(own)), Some(Value::Array(written))) = part("anyOf") {
        return self::written(&own[1], &written[1], value);
    }
    match value {
        Value::Array(items) => {
            let item = |(index, item): (usize, &Value)| match (part("prefixItems"), part("items")) {
                ((Some(own), Some(written)), _) if index < 2 => {
                    self::written(&own[index], &written[index], item)
                }
                (_, (Some(own), Some(written))) => self::written(own, written, item),
                _ => item.clone(),
            };
            items.iter().enumerate().map(item).collect()
        }
        Value::Object(entries) => {
            let entry =
                |(key, value): (&String, &Value)| match (part("properties"), part("additionalProperties")) {
                    ((Some(own), Some(written)), _) if own.get(key).is_some() => {
                        let name = name_of(written, key);
                        let value = self::written(&own[key], &written[&name], value);
                        (name, value)
                    }
                    (_, (Some(own), Some(written))) => (key.clone(), self::written(own, written, value)),
                    _ => (key.clone(), value.clone()),
                };
            entries.iter().map(entry).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The written name of a key: the property with its title.
fn name_of(written: &Value, key: &str) -> String {
    let mut properties = written.as_object().expect("properties").iter();
    properties.find(|(_, schema)| schema["title"] == key).expect("it is written").0.clone()
}

#[tokio::test]
async fn arguments_of_random_schemas_arrive_as_they_were() {
    let seed =
        std::env::var("SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().expect("a number"));
    println!("SEED={seed}");
    let mut random = Rng::with_seed(seed);
    for _ in 0..60 {
        let (mut schema, value) = object(&mut random, 4);
        schema["type"] = json!("object");
        let registry = registry(schema.clone());
        let sent = sent(&registry);
        assert_eq!(received(&registry, &value).await, value, "{schema}");
        let arguments = written(&schema, &sent, &value);
        assert_eq!(received(&registry, &arguments).await, value, "{schema}\n{sent}\n{arguments}");
    }
}
