//! Arguments with the tool's keys, or with written names.
//!
//! The arguments are read together with the schema: only keys of its properties have another form, and a free key of a map
//! has only one.

use super::PropertyKeys;
use crate::json::{Scanner, pairs, referenced, to_text};
use crate::outcome::{ArgumentError, MAX_SHOWN_ERRORS};
use crate::validator::{Budget, Stop, push_index, push_key};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use tool_runtime_schema::property_names::WrittenNames;

/// Values that are nested deeper keep their keys.
const MAX_DEPTH: usize = 200;

/// A tag is among the first few constants of a branch.
const MAX_CONSTANTS: usize = 8;

/// The form of the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Own,
    Written,
}

impl PropertyKeys {
    /// The arguments with the tool's keys; `None` if they have no written names.
    pub(crate) fn own_arguments(&self, arguments: &str) -> Option<String> {
        Walk::new(self, &self.schema, Form::Own, arguments).root(&self.schema, arguments)
    }

    /// The arguments with written names; `None` if they have no rejected keys.
    pub(crate) fn written_arguments(&self, arguments: &str) -> Option<String> {
        Walk::new(self, &self.schema, Form::Written, arguments).root(&self.schema, arguments)
    }

    /// An error for each key that an object contains together with its written name.
    #[cold]
    pub(crate) fn conflicts(&self, arguments: &str) -> Vec<ArgumentError> {
        let mut walk = Walk::new(self, &self.schema, Form::Written, arguments);
        walk.root(&self.schema, arguments);
        walk.conflicts
    }
}

impl WrittenNames for PropertyKeys {
    fn written(&self, own: &str) -> Option<&str> {
        self.written.get(own).map(String::as_str)
    }

    fn write_value(&self, document: &Value, schema: &Value, value: &Value) -> Option<Value> {
        let json = to_text(value);
        let written = Walk::new(self, document, Form::Written, &json).root(schema, &json)?;
        serde_json::from_str(&written).ok()
    }
}

struct Walk<'k> {
    keys: &'k PropertyKeys,
    /// The document of references.
    document: &'k Value,
    form: Form,
    budget: Budget,
    depth: usize,
    path: String,
    has_changed: bool,
    conflicts: Vec<ArgumentError>,
}

type Pairs<'j> = [(Cow<'j, str>, &'j str)];

impl<'k> Walk<'k> {
    fn new(keys: &'k PropertyKeys, document: &'k Value, form: Form, json: &str) -> Self {
        Walk {
            keys,
            document,
            form,
            budget: Budget::new(json),
            depth: 0,
            path: String::new(),
            has_changed: false,
            conflicts: Vec::new(),
        }
    }

    /// Once the budget is spent, all keys stay as they are.
    fn root(&mut self, schema: &'k Value, json: &str) -> Option<String> {
        let written = self.value(&[schema], json).ok()?;
        self.has_changed.then_some(written)
    }

    fn value(&mut self, schemas: &[&'k Value], json: &str) -> Result<String, Stop> {
        let is_open = matches!(Scanner::new(json).peek(), b'{' | b'[');
        if !is_open || schemas.is_empty() || self.depth >= MAX_DEPTH {
            return Ok(json.to_owned());
        }
        self.depth += 1;
        let written = self.nested(schemas, json)?;
        self.depth -= 1;
        Ok(written.unwrap_or_else(|| json.to_owned()))
    }

    fn nested(&mut self, schemas: &[&'k Value], json: &str) -> Result<Option<String>, Stop> {
        self.budget.spend_reading(json)?;
        if let Some(pairs) = pairs(json) {
            let schemas = self.applicable(schemas, &pairs)?;
            return self.object(&schemas, &pairs).map(Some);
        }
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(json) else {
            return Ok(None);
        };
        let schemas = self.applicable(schemas, &[])?;
        let mut written = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            self.budget.spend(schemas.len())?;
            let schemas: Vec<&Value> = schemas.iter().flat_map(|schema| items_of(schema, index)).collect();
            let length = self.path.len();
            push_index(&mut self.path, index);
            written.push(self.value(&schemas, item.get())?);
            self.path.truncate(length);
        }
        Ok(Some(format!("[{}]", written.join(","))))
    }

    fn object(&mut self, schemas: &[&'k Value], pairs: &Pairs<'_>) -> Result<String, Stop> {
        let mut written = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            self.budget.spend(schemas.len())?;
            let (own, is_property) = self.own_key(schemas, key)?;
            let key = if is_property { self.key(schemas, pairs, key, &own)? } else { Cow::Borrowed(&**key) };
            let schemas: Vec<&Value> = schemas.iter().flat_map(|schema| values_of(schema, &own)).collect();
            let length = self.path.len();
            push_key(&mut self.path, &key);
            let value = self.value(&schemas, value)?;
            self.path.truncate(length);
            written.push(format!("{}:{value}", to_text(&(*key).into())));
        }
        Ok(format!("{{{}}}", written.join(",")))
    }

    /// The key of the tool, of a key in either form, and whether it is a property.
    fn own_key<'j>(&mut self, schemas: &[&'k Value], key: &'j str) -> Result<(Cow<'j, str>, bool), Stop> {
        let keys = self.keys;
        if let Some(own) = keys.own.get(key) {
            if self.is_property(schemas, own)? {
                return Ok((own.clone().into(), true));
            }
        }
        let is_property = keys.written(key).is_some() && self.is_property(schemas, key)?;
        Ok((key.into(), is_property))
    }

    /// Whether a keyword of the schemas names this property.
    fn is_property(&mut self, schemas: &[&Value], key: &str) -> Result<bool, Stop> {
        const WITH_ENTRIES: [&str; 3] = ["properties", "dependentRequired", "dependentSchemas"];
        for schema in schemas {
            let entries = || WITH_ENTRIES.into_iter().filter_map(|keyword| schema.get(keyword)?.as_object());
            if entries().any(|entries| entries.contains_key(key)) {
                return Ok(true);
            }
            let names = schema.get("propertyNames");
            let lists = entries().skip(usize::from(schema.get("properties").is_some())).flat_map(Map::values);
            let lists = lists.chain(schema.get("required")).chain(names.and_then(|names| names.get("enum")));
            for list in lists.filter_map(Value::as_array) {
                self.budget.spend(list.len() / 8 + 1)?;
                if list.iter().any(|name| name == key) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The key of a property in the form of this walk.
    fn key<'j>(
        &mut self,
        schemas: &[&'k Value],
        pairs: &Pairs<'_>,
        key: &'j str,
        own: &str,
    ) -> Result<Cow<'j, str>, Stop> {
        let Some(written) = self.keys.written(own) else { return Ok(key.into()) };
        let (wanted, other) = if self.form == Form::Own { (own, written) } else { (written, own) };
        if key == wanted {
            return Ok(key.into());
        }
        self.budget.spend(pairs.len() / 8 + 1)?;
        if pairs.iter().any(|(key, _)| key == wanted) {
            if self.conflicts.len() < MAX_SHOWN_ERRORS {
                let conflict = self.conflict(schemas, other);
                self.conflicts.push(conflict);
            }
            return Ok(key.into());
        }
        self.has_changed = true;
        Ok(wanted.to_owned().into())
    }

    fn conflict(&self, schemas: &[&Value], key: &str) -> ArgumentError {
        let names = schemas.iter().filter_map(|schema| schema.get("properties")?.as_object()).flatten();
        let in_form = |(name, _): (&String, _)| match self.form {
            Form::Own => name.clone(),
            Form::Written => self.keys.written(name).unwrap_or(name).to_owned(),
        };
        let mut argument = self.path.clone();
        push_key(&mut argument, key);
        let available = names.map(in_form).collect();
        ArgumentError::Unknown { argument, suggestion: None, available }
    }

    /// The schemas that may apply to a value: these, those that they refer to, and those that they combine.
    fn applicable(&mut self, schemas: &[&'k Value], pairs: &Pairs<'_>) -> Result<Vec<&'k Value>, Stop> {
        let mut found: Vec<&Value> = Vec::new();
        let mut rest: Vec<&Value> = schemas.iter().rev().copied().collect();
        while let Some(schema) = rest.pop() {
            self.budget.spend(found.len() / 8 + 1)?;
            let Value::Object(keywords) = schema else { continue };
            if found.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            found.push(schema);
            for (keyword, value) in keywords {
                match (&**keyword, value) {
                    ("$ref", Value::String(reference)) => rest.extend(referenced(self.document, reference)),
                    ("allOf", Value::Array(parts)) => rest.extend(parts),
                    ("anyOf" | "oneOf", Value::Array(branches)) => {
                        self.budget.spend(branches.len().saturating_mul(pairs.len() / 8 + 1))?;
                        let possible: Vec<&Value> =
                            branches.iter().filter(|branch| !self.contradicts(branch, pairs)).collect();
                        // An invalid value may have no branch.
                        if possible.is_empty() { rest.extend(branches) } else { rest.extend(possible) }
                    }
                    ("if" | "then" | "else" | "not", schema) => rest.push(schema),
                    ("dependentSchemas", Value::Object(entries)) => rest.extend(entries.values()),
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// Whether a property that the branch declares as a constant string has another value.
    fn contradicts(&self, branch: &'k Value, pairs: &Pairs<'_>) -> bool {
        let reference = branch.get("$ref").and_then(Value::as_str);
        let branch = reference.and_then(|reference| referenced(self.document, reference)).unwrap_or(branch);
        let properties = branch.get("properties").and_then(Value::as_object).into_iter().flatten();
        let constants = properties.filter_map(|(name, schema)| Some((name, schema.get("const")?.as_str()?)));
        constants.take(MAX_CONSTANTS).any(|(name, constant)| {
            let is_named = |key: &str| key == name || Some(key) == self.keys.written(name);
            let value = pairs.iter().find(|(key, _)| is_named(key)).map(|(_, value)| *value);
            let value = value.and_then(|value| serde_json::from_str::<String>(value).ok());
            value.is_some_and(|value| value != constant)
        })
    }
}

/// The schemas of the value of a key.
fn values_of<'v>(schema: &'v Value, key: &str) -> Vec<&'v Value> {
    if let Some(property) = schema.get("properties").and_then(|properties| properties.get(key)) {
        return vec![property];
    }
    let patterns = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
    let others = ["additionalProperties", "unevaluatedProperties"].map(|keyword| schema.get(keyword));
    patterns.map(|(_, value)| value).chain(others.into_iter().flatten()).collect()
}

/// The schemas of an item.
fn items_of(schema: &Value, index: usize) -> Vec<&Value> {
    let keywords = ["prefixItems", "items", "unevaluatedItems", "contains"];
    let found = keywords.into_iter().filter_map(|keyword| match schema.get(keyword)? {
        Value::Array(items) => items.get(index),
        items => Some(items),
    });
    found.collect()
}
