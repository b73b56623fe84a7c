//! The decoder of valid arguments: one pass over the text validates each value against its schema and decodes it.
//!
//! It may reject any value, without a reason: `errors` reads the text again. A value whose schema is compared with its
//! text, such as a union, an enum or a map, is validated first, and `serde_json` decodes it.

use crate::json::Number;
use crate::json::{Scanner, Text, TypeSet, nesting};
use crate::validator::{Budget, Node, NodeId, Validator, Validity};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, IntoDeserializer as _, MapAccess, SeqAccess,
    Visitor,
};
use serde_json::de::StrRead;
use serde_json::value::RawValue;
use std::fmt;
use std::marker::PhantomData;

/// The maximum nesting that `serde_json` decodes. It applies to the whole argument, also if a part of it is decoded alone.
const MAX_NESTING: usize = 127;

/// The arguments of one call, from the next value to the end.
#[derive(Debug)]
pub struct Decoder<'de, 'v> {
    pub(super) json: Scanner<'de>,
    validator: &'v Validator,
    /// For all values that are validated by their text.
    budget: Budget,
    /// The number of arrays and objects around the next value, in its argument.
    depth: usize,
    /// Whether a value was rejected. A type may ignore the error, and continue at the wrong position.
    has_rejected: bool,
}

/// The decoder does not accept a value, which may be valid.
#[derive(Debug)]
pub(super) struct Rejected;

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("rejected")
    }
}

impl std::error::Error for Rejected {}

impl serde::de::Error for Rejected {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Rejected
    }
}

type Json<'de> = serde_json::Deserializer<StrRead<'de>>;

impl<'de, 'v> Decoder<'de, 'v> {
    pub(super) fn new(arguments: &'de str, validator: &'v Validator) -> Self {
        let (json, budget) = (Scanner::new(arguments), Budget::new(arguments));
        Decoder { json, validator, budget, depth: 0, has_rejected: false }
    }

    /// Decodes the next value; `None` if it is rejected.
    pub(super) fn decode<T: Deserialize<'de>>(&mut self, node: NodeId) -> Option<T> {
        let value = self.value(PhantomData::<T>, node).ok()?;
        (!self.has_rejected).then_some(value)
    }

    /// Decodes the next value. It is rejected if its decoder fails, which a caller may ignore, or reads nothing.
    fn value<S: DeserializeSeed<'de>>(&mut self, seed: S, node: NodeId) -> Result<S::Value, Rejected> {
        let start = self.json.position();
        let next = NextValue { node: self.validator.node(node), decoder: self };
        let value = seed.deserialize(next);
        let is_read = self.json.position() > start;
        value.ok().filter(|_| is_read).ok_or_else(|| self.reject())
    }

    fn reject(&mut self) -> Rejected {
        self.has_rejected = true;
        Rejected
    }

    fn expect(&mut self, is_valid: bool) -> Result<(), Rejected> {
        if is_valid { Ok(()) } else { Err(self.reject()) }
    }

    /// Reads the next value with `serde_json`.
    fn read<T>(&mut self, read: impl FnOnce(&mut Json<'de>) -> serde_json::Result<T>) -> Result<T, Rejected> {
        let mut json = serde_json::Deserializer::from_str(self.json.rest());
        let value = read(&mut json);
        // Only this iterator exposes the position.
        self.json.skip(json.into_iter::<IgnoredAny>().byte_offset());
        value.map_err(|_| self.reject())
    }

    /// Reads the next key, and its colon. `find` returns the index of a name. Models follow the order of the schema, so
    /// that the expected key, in its quotes, is compared first, without parsing.
    pub(super) fn key(
        &mut self,
        (expected, key): (usize, Option<&str>),
        find: impl FnOnce(&str) -> Option<usize>,
    ) -> Option<usize> {
        let index = match key {
            Some(key) if self.json.take_text(key) => expected,
            _ => find(&self.read(|json| Text::deserialize(json)).ok()?.0)?,
        };
        self.json.take(b':').then_some(index)
    }

    /// Reads `true`, `false` or `null`.
    fn literal(&mut self, literal: &str) -> Result<(), Rejected> {
        let is_next = self.json.rest().starts_with(literal);
        self.json.skip(literal.len());
        self.expect(is_next)
    }

    /// Whether an array or an object has one more entry. Skips the comma before it, or the bracket at the end.
    pub(super) fn has_entry(&mut self, is_first: bool, end: u8) -> Result<bool, Rejected> {
        let next = self.json.peek();
        self.expect(is_first || next == b',' || next == end)?;
        self.json.skip(usize::from(!is_first || next == end));
        Ok(next != end)
    }

    /// Decodes the entries of an array or an object, which begins with this bracket.
    fn entries<T>(
        &mut self,
        bracket: u8,
        decode: impl FnOnce(&mut Self) -> Result<T, Rejected>,
    ) -> Result<T, Rejected> {
        let begins = self.json.take(bracket);
        self.expect(begins && self.depth < MAX_NESTING)?;
        self.depth += 1;
        let decoded = decode(self);
        self.depth -= 1;
        self.has_rejected |= decoded.is_err();
        decoded
    }
}

/// The next value, and its schema.
struct NextValue<'d, 'de, 'v> {
    decoder: &'d mut Decoder<'de, 'v>,
    node: &'v Node,
}

impl<'de> NextValue<'_, 'de, '_> {
    fn expect_type(&mut self, types: TypeSet) -> Result<(), Rejected> {
        self.decoder.expect(self.node.types.intersects(types))
    }

    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Rejected> {
        match self.decoder.json.peek() {
            b'{' => self.map(visitor),
            b'[' => self.seq(visitor),
            b'"' => self.string(visitor),
            b't' | b'f' => self.boolean(visitor),
            b'n' => self.unit(visitor),
            _ => self.number(visitor),
        }
    }

    fn float<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        self.decoder.json.peek();
        if short_integer(self.decoder.json.rest()).is_some() {
            return self.number(visitor);
        }
        self.expect_type(TypeSet::NON_INTEGER)?;
        let float = self.decoder.read(|json| f64::deserialize(json))?;
        self.decoder.expect(self.node.accepts_number(float.into()))?;
        visitor.visit_f64(float)
    }

    fn boolean<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        self.expect_type(TypeSet::BOOLEAN)?;
        let value = self.decoder.json.peek() == b't';
        self.decoder.literal(if value { "true" } else { "false" })?;
        visitor.visit_bool(value)
    }

    fn null(&mut self) -> Result<(), Rejected> {
        self.expect_type(TypeSet::NULL)?;
        self.decoder.literal("null")
    }

    fn unit<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        self.null()?;
        visitor.visit_unit()
    }

    fn option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        if self.decoder.json.peek() != b'n' {
            return visitor.visit_some(self);
        }
        self.null()?;
        visitor.visit_none()
    }

    fn newtype<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Rejected> {
        visitor.visit_newtype_struct(self)
    }

    fn string<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        self.expect_type(TypeSet::STRING)?;
        self.decoder.json.peek();
        match short_string(self.decoder.json.rest()) {
            Some(text) => {
                self.decoder.json.skip(text.len() + 2);
                visitor.visit_borrowed_str(text)
            }
            None => self.decoder.read(|json| json.deserialize_str(visitor)),
        }
    }

    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Rejected> {
        let next = self.decoder.json.peek();
        self.decoder.expect(matches!(next, b'-' | b'0'..=b'9'))?;
        if let Some((length, integer)) = short_integer(self.decoder.json.rest()) {
            self.decoder.json.skip(length);
            self.decoder.expect(self.node.accepts_number(Number::Integer(integer.into())))?;
            return match u64::try_from(integer) {
                Ok(integer) => visitor.visit_u64(integer),
                Err(_) => visitor.visit_i64(integer),
            };
        }
        self.by_text(|json| json.deserialize_any(visitor))
    }

    fn seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        self.expect_type(TypeSet::ARRAY)?;
        let node = self.node;
        self.decoder.entries(b'[', |decoder| {
            let mut items = Items { decoder, node, length: 0, has_ended: false };
            let value = visitor.visit_seq(&mut items)?;
            items.end()?;
            Ok(value)
        })
    }

    fn map<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Rejected> {
        self.expect_type(TypeSet::OBJECT)?;
        let node = self.node;
        self.decoder.entries(b'{', |decoder| {
            let (seen, expected, value) = (0, 0, node.id);
            let mut properties = Properties { decoder, node, seen, expected, value, has_ended: false };
            let value = visitor.visit_map(&mut properties)?;
            properties.end()?;
            Ok(value)
        })
    }

    /// Decodes a value after its text is validated. An integer that is written as `1.0` is rejected, since serde's
    /// integers do not decode it.
    fn by_text<T>(self, decode: impl FnOnce(&mut Json<'de>) -> serde_json::Result<T>) -> Result<T, Rejected> {
        self.decoder.json.peek();
        let text = self.decoder.read(|json| <&RawValue>::deserialize(json))?.get();
        // Each level has two brackets.
        let depth = self.decoder.depth;
        let is_too_deep = depth + text.len() / 2 > MAX_NESTING && depth + nesting(text) > MAX_NESTING;
        let Decoder { validator, budget, .. } = &mut *self.decoder;
        let is_valid = !is_too_deep && validator.validity(self.node.id, text, budget) == Validity::Valid;
        self.decoder.expect(is_valid)?;
        let mut json = serde_json::Deserializer::from_str(text);
        // A decoder may stop early: an integer of 128 bits reads only the `1` of `1e3`.
        let value = decode(&mut json).and_then(|value| json.end().map(|()| value));
        value.map_err(|_| self.decoder.reject())
    }
}

/// The text of a string without escapes. A longer string is read by `serde_json`, which reads several bytes at once.
fn short_string(json: &str) -> Option<&str> {
    const MAX_LENGTH: usize = 32;
    let inner = json.strip_prefix('"')?;
    let bytes = inner.as_bytes();
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    let end = bytes[..bytes.len().min(MAX_LENGTH)].iter().position(is_special)?;
    (bytes[end] == b'"').then(|| &inner[..end])
}

/// An integer of at most 18 digits, and its length.
fn short_integer(json: &str) -> Option<(usize, i64)> {
    const MAX_DIGITS: usize = 18;
    let unsigned = json.strip_prefix('-').unwrap_or(json).as_bytes();
    let is_negative = unsigned.len() < json.len();
    let (mut absolute, mut digits) = (0, 0);
    while let Some(digit @ b'0'..=b'9') = unsigned.get(digits) {
        if digits == MAX_DIGITS {
            return None;
        }
        absolute = absolute * 10 + i64::from(digit - b'0');
        digits += 1;
    }
    let is_zero_first = unsigned.first() == Some(&b'0') && (digits > 1 || is_negative);
    let has_fraction = matches!(unsigned.get(digits), Some(b'.' | b'e' | b'E'));
    if digits == 0 || is_zero_first || has_fraction {
        return None;
    }
    Some((digits + usize::from(is_negative), if is_negative { -absolute } else { absolute }))
}

/// Implements methods that validate the value while they decode it, if its schema allows it. Otherwise, they validate the text
/// first: the decoder of an invalid value of nested enums may take exponential time.
macro_rules! deserialize {
    ($($read:ident: $($method:ident($($argument:ident: $type:ty),*)),*;)*) => {$($(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Rejected> {
            if self.node.is_streamable {
                self.$read(visitor)
            } else {
                self.by_text(|json| json.$method($($argument,)* visitor))
            }
        }
    )*)*};
}

/// Implements methods that always validate the text first, since their decoder rounds numbers, does not check control
/// characters, or reads only a part of the value.
macro_rules! deserialize_by_text {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, Rejected> {
            self.by_text(|json| json.$method($($argument,)* visitor))
        }
    )*};
}

impl<'de> Deserializer<'de> for NextValue<'_, 'de, '_> {
    type Error = Rejected;

    deserialize! {
        any: deserialize_any();
        boolean: deserialize_bool();
        number: deserialize_i8(), deserialize_i16(), deserialize_i32(), deserialize_i64();
        number: deserialize_u8(), deserialize_u16(), deserialize_u32(), deserialize_u64();
        float: deserialize_f64();
        string: deserialize_char(), deserialize_str(), deserialize_string(), deserialize_identifier();
        option: deserialize_option();
        unit: deserialize_unit(), deserialize_unit_struct(name: &'static str);
        newtype: deserialize_newtype_struct(name: &'static str);
        seq: deserialize_seq(), deserialize_tuple(length: usize);
        seq: deserialize_tuple_struct(name: &'static str, length: usize);
        map: deserialize_map(), deserialize_struct(name: &'static str, fields: &'static [&'static str]);
    }

    deserialize_by_text! {
        deserialize_i128();
        deserialize_u128();
        deserialize_f32();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_enum(name: &'static str, variants: &'static [&'static str]);
        deserialize_ignored_any();
    }
}

/// The items of an array.
struct Items<'d, 'de, 'v> {
    decoder: &'d mut Decoder<'de, 'v>,
    node: &'v Node,
    length: usize,
    has_ended: bool,
}

impl Items<'_, '_, '_> {
    fn has_next(&mut self) -> Result<bool, Rejected> {
        self.has_ended = self.has_ended || !self.decoder.has_entry(self.length == 0, b']')?;
        Ok(!self.has_ended)
    }

    /// Checks the array after its last item.
    fn end(mut self) -> Result<(), Rejected> {
        let is_valid = !self.has_next()? && self.node.accepts_length(self.length);
        self.decoder.expect(is_valid)
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de, '_> {
    type Error = Rejected;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Rejected> {
        if !self.has_next()? {
            return Ok(None);
        }
        // Counted before it is decoded, since a caller may ignore its error.
        self.length += 1;
        self.decoder.value(seed, self.node.item(self.length - 1)).map(Some)
    }
}

/// The properties of an object.
struct Properties<'d, 'de, 'v> {
    decoder: &'d mut Decoder<'de, 'v>,
    node: &'v Node,
    /// A bit for each declared property.
    seen: u64,
    /// The index of the next property in the order of the schema, which models follow.
    expected: usize,
    /// The node of the next value.
    value: NodeId,
    has_ended: bool,
}

impl Properties<'_, '_, '_> {
    fn has_next(&mut self) -> Result<bool, Rejected> {
        self.has_ended = self.has_ended || !self.decoder.has_entry(self.seen == 0, b'}')?;
        Ok(!self.has_ended)
    }

    /// Checks the object after its last property.
    fn end(mut self) -> Result<(), Rejected> {
        let is_valid = !self.has_next()? && self.node.has_required(self.seen);
        self.decoder.expect(is_valid)
    }

    /// Reads the key of a declared property, and returns its name. `None` for any other key, and for one that comes again.
    fn key(&mut self) -> Option<&str> {
        let node = self.node;
        let expected = (self.expected, node.key(self.expected));
        let index = self.decoder.key(expected, |name| node.property(name))?;
        let is_new = self.seen & (1 << index) == 0;
        self.seen |= 1 << index;
        self.expected = index + 1;
        self.value = node.property_at(index);
        is_new.then(|| &*node.declared_names()[index])
    }
}

impl<'de> MapAccess<'de> for Properties<'_, 'de, '_> {
    type Error = Rejected;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Rejected> {
        if !self.has_next()? {
            return Ok(None);
        }
        match self.key() {
            Some(name) => seed.deserialize(name.into_deserializer()).map(Some),
            None => Err(self.decoder.reject()),
        }
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Rejected> {
        self.decoder.value(seed, self.value)
    }
}
