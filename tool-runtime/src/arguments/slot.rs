//! The place of one argument: what the decoder fills, and what the function takes from it.

use super::checks::is_plain;
use super::passing::{AsCow, AsOptionRef, AsOptionSlice, AsOptionStr, AsRef, AsSlice, AsStr, Owned, Passing};
use super::value::{Next, next_value};
use super::{Described, absent};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::Deserialize;
use std::any::type_name;
use std::borrow::Cow;

/// One argument's place, whatever its type: what the decoder sees of it.
pub trait Slot<'a> {
    /// Decodes the JSON value at the start of `rest`; says how many bytes it took.
    ///
    /// # Errors
    ///
    /// Whatever the type's own decoder says.
    fn read(&mut self, rest: &'a str) -> Result<usize, serde_json::Error>;

    /// Puts the default in, or what absence means to the type; `false` where the argument must be given.
    fn fill_absent(&mut self) -> bool;

    /// The schema of the argument.
    fn describe(&self, generator: &mut SchemaGenerator) -> Described;
}

/// The place of an argument that is passed as `P` says.
///
/// What its type can do is kept as functions: the bounds are asked for once, where the place is made, and an
/// error about them tells of the user's type alone.
pub struct Argument<'a, P: Passing> {
    value: Option<P::Value>,
    // Behind one pointer: the place goes into the future of the tool, and to move it there is a part of each call. A
    // release build of 200 tools is a tenth smaller for it.
    functions: &'a Functions<'a, P::Value>,
    default: Option<fn() -> P::Default>,
    default_as_json: Option<fn(P::Default) -> Option<serde_json::Value>>,
}

/// What a type can do.
struct Functions<'a, V> {
    decode: fn(&'a str) -> Next<V>,
    absent: fn() -> Option<V>,
    schema: fn(&mut SchemaGenerator) -> Schema,
    type_name: fn() -> &'static str,
}

const FILLED: &str = "a function starts only when every slot is filled";

impl<'a, P: Passing> Argument<'a, P> {
    /// An empty place, described as a type that has its schema.
    pub(super) fn described_as<T: JsonSchema + ?Sized>() -> Self
    where
        P::Value: Deserialize<'a>,
    {
        Argument {
            value: None,
            functions: &Functions {
                decode: next_value,
                absent: absent::value,
                schema: SchemaGenerator::subschema_for::<T>,
                type_name: type_name::<P::Value>,
            },
            default: None,
            default_as_json: None,
        }
    }

    fn filled(&self) -> &P::Value {
        self.value.as_ref().unwrap_or_else(|| unreachable!("{FILLED}"))
    }

    fn into_filled(self) -> P::Value {
        self.value.unwrap_or_else(|| unreachable!("{FILLED}"))
    }

    /// The default for the schema: not one that is another each time, which would change the prompt, and not
    /// what JSON has no value for, as an infinite number.
    fn shown_default(&self) -> Option<serde_json::Value> {
        let (default, as_json) = (self.default?, self.default_as_json?);
        let shown = as_json(default())?;
        let is_unwritten = shown.is_null() && (self.functions.absent)().is_none();
        (!is_unwritten && as_json(default())? == shown).then_some(shown)
    }
}

impl<'a, P: Passing> Slot<'a> for Argument<'a, P> {
    fn read(&mut self, rest: &'a str) -> Result<usize, serde_json::Error> {
        // What an earlier reading has left is dropped first: where that panics, no other may panic while it is unwound.
        self.value = None;
        let (value, length) = (self.functions.decode)(rest)?;
        self.value = Some(value);
        Ok(length)
    }

    fn fill_absent(&mut self) -> bool {
        self.value = match self.default {
            Some(default) => Some(P::of_default(default())),
            None => (self.functions.absent)(),
        };
        self.value.is_some()
    }

    fn describe(&self, generator: &mut SchemaGenerator) -> Described {
        let mut schema = (self.functions.schema)(generator);
        if let Some(default) = self.shown_default() {
            schema.insert("default".to_owned(), default);
        }
        let required = self.default.is_none() && (self.functions.absent)().is_none();
        Described { schema, required, is_plain: is_plain((self.functions.type_name)()) }
    }
}

impl<T> Argument<'_, Owned<T>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn __get(self) -> T {
        self.into_filled()
    }
}

impl<'a> Argument<'a, AsCow<'a>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn __get(self) -> Cow<'a, str> {
        self.into_filled().0
    }
}

/// The same for what the function only borrows.
macro_rules! lent {
    ($([$($generics:tt)*] $passing:ty, $taken:ty, |$value:ident| $get:expr;)*) => {$(
        impl<$($generics)*> Argument<'_, $passing> {
            /// The argument, as the function takes it.
            #[must_use]
            pub fn __get(&self) -> $taken {
                let $value = self.filled();
                $get
            }
        }
    )*};
}
lent! {
    [T] AsRef<T>, &T, |value| value;
    [T] AsSlice<T>, &[T], |value| value;
    [T] AsOptionRef<T>, Option<&T>, |value| value.as_ref();
    [T] AsOptionSlice<T>, Option<&[T]>, |value| value.as_deref();
    [] AsStr<'_>, &str, |value| &value.0;
    [] AsOptionStr<'_>, Option<&str>, |value| value.as_ref().map(|text| &*text.0);
}

impl<P: Passing> Argument<'_, P>
where
    P::Default: Serialize,
{
    /// Taken when the argument is absent, and shown in the schema.
    #[must_use]
    pub fn __with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self.default_as_json = Some(|default| serde_json::to_value(default).ok());
        self
    }
}

/// A default whose type cannot be written as JSON is not shown in the schema.
pub trait DefaultUnseen<D> {
    /// Taken when the argument is absent.
    #[must_use]
    fn __with_default(self, default: fn() -> D) -> Self;
}

impl<P: Passing> DefaultUnseen<P::Default> for Argument<'_, P> {
    fn __with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self
    }
}
