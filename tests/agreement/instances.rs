//! Generation of values from a schema, and of changed values.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Generates a value that the schema most likely accepts.
pub(crate) fn instance(rng: &mut Rng, schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(keywords) = schema.as_object() else { return anything(rng, depth) };
    if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).expect("a reference resolves");
        return instance(rng, target, root, depth + 1);
    }
    if let Some(values) = keywords.get("enum").and_then(Value::as_array) {
        return choose(rng, values).clone();
    }
    if let Some(constant) = keywords.get("const") {
        return constant.clone();
    }
    let mut parts: Vec<Value> = Vec::new();
    for alternatives in ["anyOf", "oneOf"] {
        if let Some(branches) = keywords.get(alternatives).and_then(Value::as_array) {
            // The last branch of a recursive schema is the shortest one.
            let branch =
                if depth > 4 { branches.last().expect("there is a branch") } else { choose(rng, branches) };
            parts.push(instance(rng, branch, root, depth + 1));
        }
    }
    for all in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
        parts.push(instance(rng, all, root, depth + 1));
    }
    if keywords.contains_key("type") || parts.is_empty() {
        parts.push(typed_instance(rng, keywords, root, depth));
    }
    let last = parts.pop().expect("there is a part");
    parts.into_iter().fold(last, |whole, part| match (whole, part) {
        (Value::Object(mut whole), Value::Object(part)) => {
            whole.extend(part);
            whole.into()
        }
        (_, part) => part,
    })
}

fn typed_instance(rng: &mut Rng, keywords: &Map<String, Value>, root: &Value, depth: usize) -> Value {
    let kind = match keywords.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => choose(rng, kinds).as_str().expect("a type is a string"),
        _ if keywords.contains_key("properties") => "object",
        _ => return anything(rng, depth),
    };
    match kind {
        "null" => Value::Null,
        "boolean" => rng.bool().into(),
        "integer" => integer(rng, keywords),
        "number" if keywords.contains_key("maximum") || keywords.contains_key("exclusiveMaximum") => {
            number_up_to(rng, keywords)
        }
        "number" => match rng.u8(..4) {
            0 => json!(rng.i32(..)),
            1 => json!(f64::from(rng.i32(..)) / 256.0),
            2 => json!(rng.f64() * 1e300),
            _ => json!(*choose(rng, &[0.0, 0.5, -1.5, 1e15, 2.0])),
        },
        "string" => text(rng, keywords).into(),
        "array" => array(rng, keywords, root, depth),
        _ => object(rng, keywords, root, depth),
    }
}

/// In half of the cases a number within narrow bounds, otherwise any number in the range of `f32`.
fn number_up_to(rng: &mut Rng, keywords: &Map<String, Value>) -> Value {
    let bound = |keyword: &str| keywords.get(keyword).and_then(Value::as_f64);
    let minimum = bound("minimum").or(bound("exclusiveMinimum")).unwrap_or_default();
    let maximum = bound("maximum").or(bound("exclusiveMaximum")).unwrap_or_default();
    if maximum - minimum < 1_000.0 && rng.bool() {
        return json!(minimum + rng.f64() * (maximum - minimum));
    }
    json!(f64::from(rng.i32(..)) / 256.0)
}

fn integer(rng: &mut Rng, keywords: &Map<String, Value>) -> Value {
    let bound = |keyword: &str| {
        keywords.get(keyword).and_then(Value::as_number).and_then(serde_json::Number::as_i128)
    };
    let least = bound("minimum").or(bound("exclusiveMinimum").map(|bound| bound + 1)).unwrap_or(-1 << 60);
    let most = bound("maximum").or(bound("exclusiveMaximum").map(|bound| bound - 1)).unwrap_or(1 << 60);
    if least > most {
        return json!(0);
    }
    let chosen = match rng.u8(..6) {
        0 => least,
        1 => most,
        2 => least + i128::from(rng.u8(..3)),
        3 => most - i128::from(rng.u8(..3)),
        4 => i128::from(rng.i8(..)),
        _ => rng.i128(least..=most),
    };
    let step = bound("multipleOf").unwrap_or(1);
    number(chosen.clamp(least, most) / step * step)
}

fn number(integer: i128) -> Value {
    match (i64::try_from(integer), u64::try_from(integer)) {
        (Ok(integer), _) => integer.into(),
        (_, Ok(integer)) => integer.into(),
        _ => json!(0),
    }
}

fn text(rng: &mut Rng, keywords: &Map<String, Value>) -> String {
    let formatted: &[&str] = match keywords.get("format").and_then(Value::as_str) {
        Some("date-time") => &["2024-01-01T00:00:00Z", "1999-12-31T23:59:59.5+02:00"],
        Some("partial-date-time") => &["2024-01-01T00:00:00", "1999-12-31T23:59:59.5"],
        Some("date") => &["2024-02-29", "1970-01-01"],
        Some("partial-time") => &["00:00:00", "23:59:59.25"],
        Some("uuid") => &["67e55044-10b1-426f-9247-bb680e5fe0c8"],
        Some("uri") => &["https://example.com/a?b=c", "mailto:a@example.com"],
        Some("ipv4") => &["127.0.0.1"],
        Some("ipv6") => &["::1"],
        Some("ip") => &["127.0.0.1", "::1"],
        _ => &[],
    };
    if !formatted.is_empty() {
        return (*choose(rng, formatted)).to_owned();
    }
    if let Some(pattern) = keywords.get("pattern").and_then(Value::as_str) {
        return match pattern {
            "^[a-z]+$" => "abc"[..rng.usize(1..=3)].to_owned(),
            other => panic!("an instance for the pattern {other}"),
        };
    }
    let bound = |keyword: &str| {
        keywords.get(keyword).and_then(Value::as_u64).map(|bound| usize::try_from(bound).expect("small"))
    };
    let least = bound("minLength").unwrap_or(0);
    let most = bound("maxLength").unwrap_or(least + 6);
    let letters = ['a', 'Z', '0', ' ', 'é', '北', '🌆', '"', '\\', '\n', '\u{7f}', '/'];
    (0..rng.usize(least..=most.max(least))).map(|_| *choose(rng, &letters)).collect()
}

fn array(rng: &mut Rng, keywords: &Map<String, Value>, root: &Value, depth: usize) -> Value {
    let bound = |keyword: &str| {
        keywords.get(keyword).and_then(Value::as_u64).map(|bound| usize::try_from(bound).expect("small"))
    };
    let least = bound("minItems").unwrap_or(0);
    let most = bound("maxItems").unwrap_or(least + if depth > 4 { 0 } else { 3 });
    let prefix = keywords.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let nothing = json!({});
    let items = keywords.get("items").unwrap_or(&nothing);
    let length = rng.usize(least..=most.max(least));
    let mut entries: Vec<Value> =
        (0..length).map(|index| instance(rng, prefix.get(index).unwrap_or(items), root, depth + 1)).collect();
    if keywords.contains_key("uniqueItems") {
        let mut unique: Vec<Value> = Vec::new();
        entries.retain(|entry| {
            let is_new = !unique.contains(entry);
            unique.push(entry.clone());
            is_new
        });
    }
    entries.into()
}

fn object(rng: &mut Rng, keywords: &Map<String, Value>, root: &Value, depth: usize) -> Value {
    let mut entries = Map::new();
    let required = keywords.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (name, schema) in keywords.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if required.iter().any(|required| required == name) || (depth <= 4 && rng.bool()) {
            entries.insert(name.clone(), instance(rng, schema, root, depth + 1));
        }
    }
    for (pattern, schema) in
        keywords.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
    {
        for _ in 0..rng.usize(..3) {
            let sign = if pattern.contains('-') && rng.bool() { "-" } else { "" };
            let key = if pattern == "^a" { "a1".to_owned() } else { format!("{sign}{}", rng.u8(1..=127)) };
            entries.insert(key, instance(rng, schema, root, depth + 1));
        }
    }
    if let Some(schema) = keywords.get("additionalProperties").filter(|schema| **schema != Value::Bool(false))
    {
        for _ in 0..rng.usize(..3) {
            let key = *choose(rng, &["k", "key", "", "a b", "é", "\"", "0"]);
            if !entries.contains_key(key) {
                entries.insert(key.to_owned(), instance(rng, schema, root, depth + 1));
            }
        }
    }
    entries.into()
}

fn anything(rng: &mut Rng, depth: usize) -> Value {
    match rng.u8(..if depth > 4 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => json!(rng.i16(..)),
        3 => json!(f64::from(rng.i16(..)) / 4.0),
        4 => json!("text"),
        5 => (0..rng.usize(..3)).map(|_| anything(rng, depth + 1)).collect(),
        _ => json!({ "any": anything(rng, depth + 1) }),
    }
}

fn choose<'a, T>(rng: &mut Rng, items: &'a [T]) -> &'a T {
    &items[rng.usize(..items.len())]
}

/// Changes one value inside `value`. `is_formatted`: a string is not replaced with another string.
pub(crate) fn changed(rng: &mut Rng, mut value: Value, is_formatted: bool) -> Value {
    let nodes = count(&value);
    // The first is the object of arguments.
    let mut index = rng.usize(..nodes);
    visit(&mut value, &mut |node| {
        if index == 0 {
            *node = replacement(rng, node, is_formatted);
            true
        } else {
            index -= 1;
            false
        }
    });
    if value.is_object() { value } else { json!({ "value": value }) }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(entries) => entries.values().map(count).sum(),
        _ => 0,
    }
}

/// Calls `visitor` with each value, outer values first, until it returns true.
fn visit(value: &mut Value, visitor: &mut impl FnMut(&mut Value) -> bool) -> bool {
    visitor(value)
        || match value {
            Value::Array(items) => items.iter_mut().any(|item| visit(item, visitor)),
            Value::Object(entries) => entries.values_mut().any(|entry| visit(entry, visitor)),
            _ => false,
        }
}

/// A value similar to this one.
fn replacement(rng: &mut Rng, value: &Value, is_formatted: bool) -> Value {
    if rng.u8(..3) == 0 {
        return another(rng, is_formatted);
    }
    match value {
        Value::Null => another(rng, is_formatted),
        Value::Bool(boolean) => {
            choose(rng, &[json!(u8::from(*boolean)), json!(boolean.to_string()), Value::Null]).clone()
        }
        Value::Number(number) => {
            let integer = number.as_i128().unwrap_or_default();
            let near = [integer + 1, integer - 1, -integer, integer + 256, integer * 2].map(self::number);
            let others =
                [json!(number.to_string()), json!([number]), json!(number.as_f64().map(|float| float + 0.5))];
            if rng.bool() { choose(rng, &near).clone() } else { choose(rng, &others).clone() }
        }
        Value::String(text) if is_formatted => {
            choose(rng, &[json!([text]), json!({ text: null }), Value::Null]).clone()
        }
        Value::String(text) => {
            let upper = if text.to_uppercase() == *text { text.to_lowercase() } else { text.to_uppercase() };
            let others = [
                json!(format!("{text}x")),
                json!(upper),
                json!(""),
                json!([text]),
                json!({ text: null }),
                json!({ text: {} }),
            ];
            choose(rng, &others).clone()
        }
        Value::Array(items) => {
            let mut items = items.clone();
            match (rng.u8(..5), items.is_empty()) {
                (0, false) => drop(items.remove(rng.usize(..items.len()))),
                (1, false) => items.push(items[0].clone()),
                (2, _) => items.push(another(rng, is_formatted)),
                (3, _) => return json!({ "0": items }),
                _ => items.push(Value::Null),
            }
            items.into()
        }
        Value::Object(entries) => {
            let mut entries = entries.clone();
            let key = entries.keys().nth(rng.usize(..entries.len().max(1))).cloned();
            match (rng.u8(..6), key) {
                (0 | 1, Some(key)) => drop(entries.remove(&key)),
                (2, Some(key)) => drop(entries.insert(key, Value::Null)),
                (3, Some(key)) => {
                    let moved = entries.remove(&key).expect("it is there");
                    entries.insert(format!("{key}x"), moved);
                }
                // serde also decodes structs from arrays.
                (4, _) => return entries.into_iter().map(|(_, value)| value).collect(),
                _ => drop(entries.insert("z".to_owned(), another(rng, is_formatted))),
            }
            entries.into()
        }
    }
}

/// A value of any type, most often a limit of an integer type.
fn another(rng: &mut Rng, is_formatted: bool) -> Value {
    let limits: [Value; 29] = [
        json!(0),
        json!(1),
        json!(-1),
        json!(127),
        json!(128),
        json!(-128),
        json!(-129),
        json!(255),
        json!(256),
        json!(32767),
        json!(32768),
        json!(-32769),
        json!(65535),
        json!(65536),
        json!(i32::MAX),
        json!(2_147_483_648_u64),
        json!(-2_147_483_649_i64),
        json!(u32::MAX),
        json!(4_294_967_296_u64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(9_223_372_036_854_775_808_u64),
        json!(u64::MAX),
        json!(18_446_744_073_709_551_616.0),
        json!(1e19),
        json!(-9.3e18),
        json!(1.5),
        json!(-0.0),
        json!(1e30),
    ];
    match rng.u8(..if is_formatted { 7 } else { 9 }) {
        0 => Value::Null,
        1 => rng.bool().into(),
        2 => json!([]),
        3 => json!({}),
        4..=6 => choose(rng, &limits).clone(),
        7 => json!(*choose(rng, &["", "a", "A", "B", "true", "1"])),
        _ => anything(rng, 3),
    }
}

/// A mistake in the text of a value, which the parsed value does not show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyntaxMistake {
    TrailingComma,
    RepeatedKey,
}

/// Writes a value as a model may write it: with any white space, escapes and notation of numbers.
pub(crate) struct Writer<'r> {
    rng: &'r mut Rng,
    text: String,
    mistake: Option<SyntaxMistake>,
}

impl<'r> Writer<'r> {
    /// Returns the text, and the mistake if the text contains it.
    pub(crate) fn write(
        value: &Value,
        rng: &'r mut Rng,
        mistake: Option<SyntaxMistake>,
    ) -> (String, Option<SyntaxMistake>) {
        let mut writer = Writer { rng, text: String::new(), mistake };
        writer.value(value);
        (writer.text, mistake.filter(|_| writer.mistake.is_none()))
    }

    fn value(&mut self, value: &Value) {
        self.space();
        match value {
            Value::Number(number) => {
                let text = number.to_string();
                self.text += &match self.rng.u8(..12) {
                    0 if !number.is_f64() => text + ".0",
                    1 if !number.is_f64() && text.len() < 10 && text != "0" => text + "0e-1",
                    _ => text,
                };
            }
            Value::String(string) => self.string(string),
            Value::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.text += if index > 0 { "," } else { "" };
                    self.value(item);
                }
                self.close(']', items.is_empty());
            }
            Value::Object(entries) => {
                self.text.push('{');
                let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
                self.rng.shuffle(&mut entries);
                if !entries.is_empty() && self.mistake == Some(SyntaxMistake::RepeatedKey) && self.rng.bool()
                {
                    self.mistake = None;
                    entries.push(entries[0]);
                }
                for (index, (key, value)) in entries.iter().enumerate() {
                    self.text += if index > 0 { "," } else { "" };
                    self.space();
                    self.string(key);
                    self.space();
                    self.text.push(':');
                    self.value(value);
                }
                self.close('}', entries.is_empty());
            }
            other => self.text += &other.to_string(),
        }
        self.space();
    }

    fn close(&mut self, bracket: char, is_empty: bool) {
        if !is_empty && self.mistake == Some(SyntaxMistake::TrailingComma) && self.rng.bool() {
            self.mistake = None;
            self.text.push(',');
            self.space();
        }
        self.text.push(bracket);
    }

    fn string(&mut self, string: &str) {
        if self.rng.u8(..8) == 0 {
            let escaped: Vec<String> = string.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
            self.text = format!("{}\"{}\"", self.text, escaped.concat());
        } else {
            self.text += &Value::from(string).to_string();
        }
    }

    fn space(&mut self) {
        if self.rng.u8(..6) == 0 {
            self.text += ["\n", "  ", "\t", "\r\n "][self.rng.usize(..4)];
        }
    }
}
