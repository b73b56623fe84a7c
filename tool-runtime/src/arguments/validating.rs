//! A deserializer that validates each value while it is decoded, so that a struct is read once.
//!
//! It may reject any value, since `errors` reads the text again. A value whose schema is compared with its text, such as
//! a union, an enum or a map, is validated first and decoded afterwards.

use crate::json::{Text, TypeSet, nesting};
use crate::validator::{Budget, Node, NodeId, Number, Validator, Validity};
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::de::StrRead;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;

/// The nesting that `serde_json` decodes. A value that is decoded from its own text counts from the whole argument.
const MAX_NESTING: usize = 127;

/// The validation of the arguments of one call.
#[derive(Debug)]
pub(super) struct Validating<'v> {
    validator: &'v Validator,
    /// For all values that are validated by their text.
    budget: RefCell<Budget>,
    /// The number of arrays and objects around the value that is decoded, in its argument.
    depth: Cell<usize>,
    /// Whether a value was rejected. A decoder may ignore the error, and continue at the wrong position.
    has_rejected: Cell<bool>,
}

impl<'v> Validating<'v> {
    pub(super) fn new(validator: &'v Validator, arguments: &str) -> Self {
        let budget = RefCell::new(Budget::new(arguments));
        Validating { validator, budget, depth: Cell::default(), has_rejected: Cell::default() }
    }

    pub(super) fn has_rejected(&self) -> bool {
        self.has_rejected.get()
    }

    fn record<T, E>(&self, decoded: Result<T, E>) -> Result<T, E> {
        if decoded.is_err() {
            self.has_rejected.set(true);
        }
        decoded
    }

    /// The error of a rejected value. It has no text, since `errors` reads the arguments again and reports the problem.
    #[cold]
    fn reject<E: Error>(&self) -> E {
        self.has_rejected.set(true);
        E::custom("")
    }

    /// Decodes the parts of an array or an object.
    fn decode_parts<T>(&self, decode: impl FnOnce() -> T) -> T {
        self.depth.set(self.depth.get() + 1);
        let decoded = decode();
        self.depth.set(self.depth.get() - 1);
        decoded
    }
}

/// The schema of one value.
#[derive(Clone, Copy, Debug)]
pub struct ValueSchema<'v> {
    validating: &'v Validating<'v>,
    node: &'v Node,
}

impl<'v> ValueSchema<'v> {
    pub(super) fn new(validating: &'v Validating<'v>, node: NodeId) -> Self {
        ValueSchema { validating, node: validating.validator.node(node) }
    }

    /// Whether a value is valid. An integer that is written as `1.0` is rejected, since serde's integers do not decode it.
    fn accepts(self, json: &str) -> bool {
        // Each level has two brackets.
        let depth = self.validating.depth.get();
        if depth + json.len() / 2 > MAX_NESTING && depth + nesting(json) > MAX_NESTING {
            return false;
        }
        let budget = &mut self.validating.budget.borrow_mut();
        self.validating.validator.validity(self.node.id, json, budget) == Validity::Valid
    }

    fn with_node(self, node: NodeId) -> Self {
        ValueSchema::new(self.validating, node)
    }
}

/// Decodes one value.
pub(super) struct ValidatingDeserializer<'v, D> {
    pub(super) inner: D,
    pub(super) schema: ValueSchema<'v>,
}

/// Returns the text of the next value if it is valid.
fn valid_text<'de, D: Deserializer<'de>>(inner: D, schema: ValueSchema<'_>) -> Result<&'de str, D::Error> {
    let text = <&RawValue>::deserialize(inner)?.get();
    if schema.accepts(text) { Ok(text) } else { Err(schema.validating.reject()) }
}

/// Decodes a value after its text is validated.
fn decode_text<'de, T, E: Error>(
    text: &'de str,
    decode: impl FnOnce(&mut serde_json::Deserializer<StrRead<'de>>) -> serde_json::Result<T>,
) -> Result<T, E> {
    let mut json = serde_json::Deserializer::from_str(text);
    // A decoder may stop early.
    decode(&mut json).and_then(|value| json.end().map(|()| value)).map_err(E::custom)
}

/// Implements methods that validate the value while it is decoded. Those with `true` always validate its text first, since
/// their decoder rounds numbers, does not check control characters, or reads only a part of the value. The others do so if
/// the schema is not streamable: a decoder may take exponential time for an invalid value of nested enums.
macro_rules! deserialize {
    ($($method:ident($($argument:ident: $type:ty),*) $needs_text:expr;)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let ValidatingDeserializer { inner, schema } = self;
            let decoded = if schema.node.is_streamable && !$needs_text {
                inner.$method($($argument,)* ValidatingVisitor { visitor, schema })
            } else {
                let text = valid_text(inner, schema);
                text.and_then(|text| decode_text(text, |json| json.$method($($argument,)* visitor)))
            };
            schema.validating.record(decoded)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ValidatingDeserializer<'_, D> {
    type Error = D::Error;

    deserialize! {
        deserialize_any() false;
        deserialize_bool() false;
        deserialize_i8() false;
        deserialize_i16() false;
        deserialize_i32() false;
        deserialize_i64() false;
        deserialize_i128() true;
        deserialize_u8() false;
        deserialize_u16() false;
        deserialize_u32() false;
        deserialize_u64() false;
        deserialize_u128() true;
        deserialize_f32() true;
        deserialize_f64() false;
        deserialize_char() false;
        deserialize_str() false;
        deserialize_string() false;
        deserialize_bytes() true;
        deserialize_byte_buf() true;
        deserialize_option() false;
        deserialize_unit() false;
        deserialize_unit_struct(name: &'static str) false;
        deserialize_newtype_struct(name: &'static str) false;
        deserialize_seq() false;
        deserialize_tuple(length: usize) false;
        deserialize_tuple_struct(name: &'static str, length: usize) false;
        deserialize_map() false;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) false;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) true;
        deserialize_identifier() false;
        deserialize_ignored_any() true;
    }
}

/// Passes each valid value to the visitor of the decoder.
struct ValidatingVisitor<'v, V> {
    visitor: V,
    schema: ValueSchema<'v>,
}

impl<V> ValidatingVisitor<'_, V> {
    fn expect<E: Error>(&self, types: TypeSet) -> Result<(), E> {
        self.expect_that(|node| node.types.intersects(types))
    }

    fn expect_that<E: Error>(&self, is_valid: impl FnOnce(&Node) -> bool) -> Result<(), E> {
        if is_valid(self.schema.node) { Ok(()) } else { Err(self.schema.validating.reject()) }
    }
}

macro_rules! visit {
    ($($method:ident($value:ident: $type:ty) $types:ident;)*) => {$(
        fn $method<E: Error>(self, $value: $type) -> Result<V::Value, E> {
            self.expect(TypeSet::$types)?;
            self.visitor.$method($value)
        }
    )*};
}

macro_rules! visit_integer {
    ($($method:ident($type:ty);)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            let integer = i128::try_from(value).map(Number::Integer);
            self.expect_that(|node| integer.is_ok_and(|integer| node.accepts_number(integer)))?;
            self.visitor.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ValidatingVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    visit! {
        visit_bool(value: bool) BOOLEAN;
        visit_str(text: &str) STRING;
        visit_borrowed_str(text: &'de str) STRING;
        visit_bytes(bytes: &[u8]) STRING;
        visit_borrowed_bytes(bytes: &'de [u8]) STRING;
    }

    visit_integer! {
        visit_i64(i64);
        visit_u64(u64);
        visit_i128(i128);
        visit_u128(u128);
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        self.expect(TypeSet::NON_INTEGER)?;
        self.expect_that(|node| node.accepts_number(value.into()))?;
        self.visitor.visit_f64(value)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.expect(TypeSet::NULL)?;
        self.visitor.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.expect(TypeSet::NULL)?;
        self.visitor.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_some(ValidatingDeserializer { inner, schema: self.schema })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.visitor.visit_newtype_struct(ValidatingDeserializer { inner, schema: self.schema })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.expect(TypeSet::ARRAY)?;
        let mut items = ValidatingItems { inner, schema: self.schema, length: 0 };
        let value = self.schema.validating.decode_parts(|| self.visitor.visit_seq(&mut items))?;
        if self.schema.node.accepts_length(items.length) {
            Ok(value)
        } else {
            Err(self.schema.validating.reject())
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.expect(TypeSet::OBJECT)?;
        let schema = self.schema;
        let mut properties =
            ValidatingProperties { inner, schema, seen: 0, expected: 0, value_schema: schema };
        let value = schema.validating.decode_parts(|| self.visitor.visit_map(&mut properties))?;
        if schema.node.has_required(properties.seen) { Ok(value) } else { Err(schema.validating.reject()) }
    }
}

/// Decodes a value with the decoder of a caller.
struct ValidatingSeed<'v, S> {
    seed: S,
    schema: ValueSchema<'v>,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ValidatingSeed<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.seed.deserialize(ValidatingDeserializer { inner, schema: self.schema })
    }
}

/// The items of an array.
struct ValidatingItems<'v, A> {
    inner: A,
    schema: ValueSchema<'v>,
    length: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ValidatingItems<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let schema = self.schema.with_node(self.schema.node.item(self.length));
        let item = self.inner.next_element_seed(ValidatingSeed { seed, schema })?;
        self.length += usize::from(item.is_some());
        Ok(item)
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

/// The properties of an object.
struct ValidatingProperties<'v, A> {
    inner: A,
    schema: ValueSchema<'v>,
    /// A bit for each declared property.
    seen: u64,
    /// The index of the next property in the order of the schema, which models follow.
    expected: usize,
    value_schema: ValueSchema<'v>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ValidatingProperties<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let key = match self.inner.next_key()? {
            None => return Ok(None),
            Some(Text(Cow::Borrowed(key))) => key,
            // The key has an escape, so `BorrowedStrDeserializer` cannot borrow it.
            Some(Text(Cow::Owned(_))) => return Err(self.schema.validating.reject()),
        };
        let Some((index, node)) = self.schema.node.property_near(key, self.expected) else {
            return Err(self.schema.validating.reject());
        };
        if self.seen & (1 << index) != 0 {
            return Err(self.schema.validating.reject());
        }
        self.seen |= 1 << index;
        self.expected = index + 1;
        self.value_schema = self.schema.with_node(node);
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(ValidatingSeed { seed, schema: self.value_schema })
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}
