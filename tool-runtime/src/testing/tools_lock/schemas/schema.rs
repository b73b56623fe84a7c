//! A schema in its document, with its references resolved.

use crate::json::{TypeSet, referenced};
use serde_json::{Map, Value};

/// The keywords that constrain nothing.
pub(super) const DESCRIPTIONS: [&str; 10] = [
    "description",
    "title",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$defs",
    "definitions",
];
/// The references that one schema may lead through.
const MAX_REFERENCES: usize = 50;

static TRUE: Value = Value::Bool(true);

/// A schema inside a document.
#[derive(Clone, Copy)]
pub(super) struct Schema<'a> {
    pub(super) value: &'a Value,
    document: &'a Value,
    /// The types of the values that are considered.
    types: TypeSet,
    /// Whether this is an alternative of a schema that is no union.
    is_part: bool,
}

/// Equal for the same schema of the same document.
pub(super) type Identity = (usize, TypeSet);

impl<'a> Schema<'a> {
    pub(super) fn root(document: &'a Value) -> Self {
        Schema { value: document, document, types: TypeSet::ALL, is_part: false }
    }

    /// A schema inside this one.
    pub(super) fn inner(self, value: &'a Value) -> Self {
        Schema { value, types: TypeSet::ALL, is_part: false, ..self }
    }

    /// The schema that accepts any value.
    pub(super) fn any(self) -> Self {
        self.inner(&TRUE)
    }

    pub(super) fn identity(self) -> Identity {
        (std::ptr::from_ref(self.value).addr(), self.types)
    }

    pub(super) fn document(self) -> &'a Value {
        self.document
    }

    pub(super) fn is_never(self) -> bool {
        *self.value == Value::Bool(false)
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

    /// The strings of a keyword such as `required`.
    pub(super) fn strings(self, keyword: &str) -> impl Iterator<Item = &'a str> {
        self.array(keyword).unwrap_or_default().iter().filter_map(Value::as_str)
    }

    /// The keywords that constrain values.
    pub(super) fn constraints(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let keywords = self.value.as_object().into_iter().flatten();
        keywords
            .map(|(keyword, value)| (&**keyword, value))
            .filter(|(keyword, _)| !DESCRIPTIONS.contains(keyword))
    }

    /// The next schema, if the only constraint is a reference to it, or a list of this one schema.
    fn next(self) -> Option<Self> {
        let mut constraints = self.constraints();
        let (Some((keyword, value)), None) = (constraints.next(), constraints.next()) else { return None };
        let next = match (keyword, value) {
            ("$ref", Value::String(reference)) => self.target(reference)?.value,
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => match &schemas[..] {
                [schema] => schema,
                _ => return None,
            },
            _ => return None,
        };
        Some(Schema { value: next, ..self })
    }

    /// The schema of a reference.
    pub(super) fn target(self, reference: &str) -> Option<Self> {
        referenced(self.document, reference).map(|value| self.inner(value))
    }

    /// This schema and those that its references lead to.
    fn chain(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |schema| schema.next()).take(MAX_REFERENCES)
    }

    /// The schema at the end of the references. A cycle of references ends anywhere, at a reference.
    pub(super) fn resolved(self) -> Self {
        self.chain().last().unwrap_or(self)
    }

    pub(super) fn is_resolved(self) -> bool {
        self.next().is_none()
    }

    /// A keyword that constrains nothing, from the first schema that has it.
    pub(super) fn description(self, keyword: &str) -> Option<&'a Value> {
        self.chain().find_map(|schema| schema.get(keyword))
    }

    /// Whether a union is the only constraint.
    pub(super) fn is_union(self) -> bool {
        self.constraints().count() == 1 && self.union().is_some()
    }

    /// The alternatives of a union, and whether a value must match exactly one.
    pub(super) fn union(self) -> Option<(&'a [Value], bool)> {
        let any_of = self.array("anyOf").map(|schemas| (schemas, false));
        any_of
            .or_else(|| self.array("oneOf").map(|schemas| (schemas, true)))
            .filter(|(schemas, _)| !schemas.is_empty())
    }

    /// The types of the values that may be valid.
    pub(super) fn types(self) -> TypeSet {
        let declared = match self.get("type") {
            Some(Value::String(name)) => TypeSet::from_name(name).unwrap_or(TypeSet::ALL),
            Some(Value::Array(names)) => names
                .iter()
                .map(|name| name.as_str().and_then(TypeSet::from_name).unwrap_or(TypeSet::ALL))
                .fold(TypeSet::NONE, TypeSet::union),
            _ => TypeSet::ALL,
        };
        let listed = match self.listed_values() {
            Some(values) => values.iter().map(TypeSet::from_value).fold(TypeSet::NONE, TypeSet::union),
            None => TypeSet::ALL,
        };
        declared.intersection(listed).intersection(self.types)
    }

    /// The values of `const` or `enum`, whatever their types are.
    fn listed_values(self) -> Option<&'a [Value]> {
        self.get("const").map(std::slice::from_ref).or_else(|| self.array("enum"))
    }

    /// The values of the considered types, if the schema has few enough to list them.
    pub(super) fn values(self) -> Option<Vec<Value>> {
        let types = self.types();
        if let Some(values) = self.listed_values() {
            let of_types = values.iter().filter(|value| types.intersects(TypeSet::from_value(value)));
            return Some(of_types.cloned().collect());
        }
        (types.intersection(TypeSet::NULL.union(TypeSet::BOOLEAN)) == types).then(|| {
            let mut values = Vec::new();
            if types.intersects(TypeSet::NULL) {
                values.push(Value::Null);
            }
            if types.intersects(TypeSet::BOOLEAN) {
                values.extend([true.into(), false.into()]);
            }
            values
        })
    }

    /// The alternatives of a union; otherwise one for each declared type.
    pub(super) fn alternatives(self) -> Vec<Self> {
        if let (true, Some((schemas, _))) = (self.is_union(), self.union()) {
            return schemas.iter().map(|schema| self.inner(schema)).collect();
        }
        match self.array("type") {
            Some(names) if names.len() > 1 => {
                let types = names.iter().filter_map(|name| TypeSet::from_name(name.as_str()?));
                types
                    .map(|types| Schema { types: types.intersection(self.types), is_part: true, ..self })
                    .collect()
            }
            _ => vec![Schema { is_part: true, ..self }],
        }
    }

    pub(super) fn is_part(self) -> bool {
        self.is_part
    }
}
