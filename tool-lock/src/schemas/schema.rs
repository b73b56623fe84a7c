//! A schema in its document.

use super::ANNOTATIONS;
use crate::json_type::JsonType;
use crate::references::{referenced, references_in};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The references that one schema may lead through.
const MAX_REFERENCES: usize = 50;

static TRUE: Value = Value::Bool(true);
static FALSE: Value = Value::Bool(false);

/// A schema, and the document in which its references are.
#[derive(Clone, Copy)]
pub(super) struct Schema<'a> {
    pub(super) value: &'a Value,
    document: &'a Value,
}

impl<'a> Schema<'a> {
    pub(super) fn root(document: &'a Value) -> Self {
        Schema { value: document, document }
    }

    /// A schema inside this one.
    pub(super) fn inner(self, value: &'a Value) -> Self {
        Schema { value, ..self }
    }

    pub(super) fn get(self, keyword: &str) -> Option<&'a Value> {
        self.value.get(keyword)
    }

    pub(super) fn object(self, keyword: &str) -> Option<&'a Map<String, Value>> {
        self.get(keyword)?.as_object()
    }

    pub(super) fn array(self, keyword: &str) -> Option<&'a [Value]> {
        self.get(keyword)?.as_array().map(Vec::as_slice)
    }

    pub(super) fn requires(self, name: &str) -> bool {
        self.array("required").unwrap_or_default().iter().any(|required| required == name)
    }

    pub(super) fn property(self, name: &str) -> Option<Self> {
        self.object("properties")?.get(name).map(|value| self.inner(value))
    }

    /// Whether no value is valid.
    pub(super) fn is_never(self) -> bool {
        *self.value == Value::Bool(false)
    }

    /// Whether any value is valid.
    pub(super) fn is_any(self) -> bool {
        !self.is_never() && self.constraints().next().is_none()
    }

    /// The keywords that constrain values.
    pub(super) fn constraints(self) -> impl Iterator<Item = &'a str> {
        let keywords = self.value.as_object().into_iter().flatten().map(|(keyword, _)| &**keyword);
        keywords.filter(|keyword| {
            !ANNOTATIONS.contains(keyword)
                && !["description", "title", "$defs", "definitions"].contains(keyword)
        })
    }

    /// The schemas that references lead to, if nothing is next to them.
    fn chain(self) -> impl Iterator<Item = Self> {
        let next = |schema: &Self| {
            let reference = schema.get("$ref")?.as_str().filter(|_| schema.constraints().count() == 1)?;
            schema.target(reference)
        };
        std::iter::successors(Some(self), next).take(MAX_REFERENCES)
    }

    pub(super) fn resolved(self) -> Self {
        self.chain().last().unwrap_or(self)
    }

    /// A keyword that constrains nothing, from the first schema that has it.
    pub(super) fn annotation(self, keyword: &str) -> Option<&'a Value> {
        self.chain().find_map(|schema| schema.get(keyword))
    }

    /// The types of the values that may be valid.
    pub(super) fn types(self) -> BTreeSet<JsonType> {
        let types = |name: &Value| name.as_str().and_then(JsonType::from_name).unwrap_or(JsonType::ALL);
        let declared: BTreeSet<_> = match self.get("type") {
            Some(Value::Array(names)) => names.iter().flat_map(types).copied().collect(),
            Some(name) => types(name).iter().copied().collect(),
            None => JsonType::ALL.iter().copied().collect(),
        };
        let Some(values) = self.values() else { return declared };
        let listed: BTreeSet<_> = values.iter().flat_map(JsonType::from_value).copied().collect();
        &declared & &listed
    }

    /// Whether each valid value has this type.
    pub(super) fn has_only(self, kind: JsonType) -> bool {
        self.types() == BTreeSet::from([kind])
    }

    /// The values of `const` or `enum`.
    pub(super) fn values(self) -> Option<&'a [Value]> {
        self.get("const").map(std::slice::from_ref).or_else(|| self.array("enum"))
    }

    /// The schema that accepts any value.
    pub(super) fn any(self) -> Self {
        self.inner(&TRUE)
    }

    /// The schema that rejects every value.
    pub(super) fn never(self) -> Self {
        self.inner(&FALSE)
    }

    /// The schema of a reference in this document.
    pub(super) fn target(self, reference: &str) -> Option<Self> {
        referenced(self.document, reference).map(|value| self.inner(value))
    }

    /// The schemas of the first items, each its own.
    pub(super) fn first_items(self) -> &'a [Value] {
        self.array("prefixItems").unwrap_or_default()
    }

    pub(super) fn item(self, index: usize) -> Self {
        let items = self.get("items").filter(|items| !items.is_array());
        self.inner(self.first_items().get(index).or(items).unwrap_or(&TRUE))
    }
}

/// Whether another file compares a keyword of this schema.
pub(super) fn is_compared(schema: Schema<'_>, keyword: &str) -> bool {
    let Some(value) = schema.get(keyword) else { return true };
    match keyword {
        // Only one keyword of each pair is compared.
        "oneOf" if schema.get("anyOf").is_some() => false,
        "enum" if schema.get("const").is_some() => false,
        "type" => value.is_string() || value.is_array(),
        "const" => true,
        "enum" | "required" | "prefixItems" | "anyOf" | "oneOf" => value.is_array(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "minLength" | "maxLength"
        | "minItems" | "maxItems" | "minProperties" | "maxProperties" => value.is_number(),
        "pattern" | "format" => value.is_string(),
        "uniqueItems" => value.is_boolean(),
        "properties" => value.is_object(),
        "additionalProperties" | "items" => value.is_object() || value.is_boolean(),
        _ => false,
    }
}

/// Whether the references in a value lead to the same schemas in both documents.
pub(super) fn have_same_references(old: Schema<'_>, new: Schema<'_>, value: Option<&Value>) -> bool {
    let is_in_definitions = |reference: &Value| {
        let reference = reference.as_str().unwrap_or_default();
        reference.starts_with("#/$defs/") || reference.starts_with("#/definitions/")
    };
    let has_same = |keyword: &str| old.document.get(keyword) == new.document.get(keyword);
    let are_same = has_same("$defs") && has_same("definitions");
    let mut references = value.into_iter().flat_map(references_in);
    references.all(|reference| are_same && is_in_definitions(reference))
}
