//! The storage of one argument: the decoder fills it, and the function takes the value.

use super::decoder::Decoder;
use super::param_mode::{
    ByCow, ByOptionRef, ByOptionSlice, ByOptionStr, ByRef, BySlice, ByStr, ByValue, ParamMode,
};
use super::{ParamSchema, missing_field};
use crate::validator::NodeId;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::Deserialize;
use std::borrow::Cow;

/// The error of a decoder, and its path inside the argument.
pub(super) type DecodeError = serde_path_to_error::Error<serde_json::Error>;

/// The storage of an argument of any type, for the decoder.
pub trait ArgSlot<'a> {
    /// Decodes the next value, if it is valid.
    fn decode(&mut self, decoder: &mut Decoder<'a, '_>, node: NodeId) -> Option<()>;

    /// Decodes a JSON value without its schema.
    ///
    /// # Errors
    ///
    /// The error of the type's decoder.
    fn read(&mut self, json: &'a str) -> Result<(), DecodeError>;

    /// Stores the default, or the type's own value for an absent field; `false` if the argument is required.
    fn fill_absent(&mut self) -> bool;

    /// The schema of the argument.
    fn describe(&self, generator: &mut SchemaGenerator) -> ParamSchema;
}

/// The storage of an argument that is passed in the mode `P`.
///
/// The cell stores the functions of its type. Only the constructor has the trait bounds, so that an error about a bound
/// names only the user's type.
pub struct ArgCell<'a, P: ParamMode> {
    value: Option<P::Value>,
    // One pointer, since each call moves the cell into the future of the tool. It makes a release build of 200 tools a
    // tenth smaller.
    functions: &'a Functions<'a, P::Value>,
    default: Option<fn() -> P::Default>,
    default_as_json: Option<fn(P::Default) -> Option<serde_json::Value>>,
}

/// The functions of a type.
struct Functions<'a, V> {
    decode: fn(&mut Decoder<'a, '_>, NodeId) -> Option<V>,
    read: fn(&'a str) -> Result<V, DecodeError>,
    missing: fn() -> Option<V>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

impl<'a, P: ParamMode> ArgCell<'a, P> {
    /// An empty cell, with the schema of `T`.
    pub(super) fn with_schema<T: JsonSchema + ?Sized>() -> Self
    where
        P::Value: Deserialize<'a>,
    {
        ArgCell {
            value: None,
            functions: &Functions {
                decode: |decoder, node| decoder.decode(node),
                read: |json| serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json)),
                missing: missing_field::value,
                schema: SchemaGenerator::subschema_for::<T>,
            },
            default: None,
            default_as_json: None,
        }
    }

    fn filled(&self) -> &P::Value {
        self.value
            .as_ref()
            .unwrap_or_else(|| unreachable!("a function starts only when every slot is filled"))
    }

    fn into_filled(self) -> P::Value {
        self.value.unwrap_or_else(|| unreachable!("a function starts only when every slot is filled"))
    }

    /// The default in the schema. `None` for a default that differs each time, since it would change the prompt, and
    /// for one that is not a JSON value, such as an infinite number.
    fn schema_default(&self) -> Option<serde_json::Value> {
        let (default, as_json) = (self.default?, self.default_as_json?);
        let value = as_json(default())?;
        let is_not_json = value.is_null() && (self.functions.missing)().is_none();
        (!is_not_json && as_json(default())? == value).then_some(value)
    }
}

impl<'a, P: ParamMode> ArgSlot<'a> for ArgCell<'a, P> {
    fn decode(&mut self, decoder: &mut Decoder<'a, '_>, node: NodeId) -> Option<()> {
        self.value = (self.functions.decode)(decoder, node);
        self.value.is_some().then_some(())
    }

    fn read(&mut self, json: &'a str) -> Result<(), DecodeError> {
        // The value of an earlier attempt is dropped first: if its `drop` panics, unwinding drops no second value.
        self.value = None;
        self.value = Some((self.functions.read)(json)?);
        Ok(())
    }

    fn fill_absent(&mut self) -> bool {
        self.value = match self.default {
            Some(default) => Some(P::from_default(default())),
            None => (self.functions.missing)(),
        };
        self.value.is_some()
    }

    fn describe(&self, generator: &mut SchemaGenerator) -> ParamSchema {
        let mut schema = (self.functions.schema)(generator);
        if let Some(default) = self.schema_default() {
            schema.insert("default".to_owned(), default);
        }
        let required = self.default.is_none() && (self.functions.missing)().is_none();
        ParamSchema { schema, required }
    }
}

impl<T> ArgCell<'_, ByValue<T>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn __get(self) -> T {
        self.into_filled()
    }
}

impl<'a> ArgCell<'a, ByCow<'a>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn __get(self) -> Cow<'a, str> {
        self.into_filled().0
    }
}

/// Implements `__get` for arguments that the function borrows.
macro_rules! borrowed {
    ($([$($generics:tt)*] $mode:ty, $taken:ty, |$value:ident| $get:expr;)*) => {$(
        impl<$($generics)*> ArgCell<'_, $mode> {
            /// The argument, as the function takes it.
            #[must_use]
            pub fn __get(&self) -> $taken {
                let $value = self.filled();
                $get
            }
        }
    )*};
}
borrowed! {
    [T] ByRef<T>, &T, |value| value;
    [T] BySlice<T>, &[T], |value| value;
    [T] ByOptionRef<T>, Option<&T>, |value| value.as_ref();
    [T] ByOptionSlice<T>, Option<&[T]>, |value| value.as_deref();
    [] ByStr<'_>, &str, |value| &value.0;
    [] ByOptionStr<'_>, Option<&str>, |value| value.as_ref().map(|text| &*text.0);
}

impl<P: ParamMode> ArgCell<'_, P>
where
    P::Default: Serialize,
{
    /// Sets the default, which replaces an absent argument and is in the schema.
    #[must_use]
    pub fn __with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self.default_as_json = Some(|default| serde_json::to_value(default).ok());
        self
    }
}

/// A default whose type does not implement `Serialize`; the schema does not contain it.
pub trait NonSerializeDefault<D> {
    /// Sets the default, which replaces an absent argument.
    #[must_use]
    fn __with_default(self, default: fn() -> D) -> Self;
}

impl<P: ParamMode> NonSerializeDefault<P::Default> for ArgCell<'_, P> {
    fn __with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self
    }
}
