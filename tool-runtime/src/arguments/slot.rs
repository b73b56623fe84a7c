//! The place of one argument: what the decoder fills, and what the function takes from it.

use super::passing::{AsCow, AsOptionStr, AsStr, Owned, Passing};
use super::value::next_value;
use super::{Described, absent};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
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
pub struct Argument<P: Passing> {
    value: Option<P::Value>,
    default: Option<fn() -> P::Default>,
    default_as_json: Option<fn(P::Default) -> Option<serde_json::Value>>,
}

const FILLED: &str = "a function starts only when every slot is filled";

impl<P: Passing> Argument<P> {
    pub(super) const EMPTY: Self = Argument { value: None, default: None, default_as_json: None };

    fn filled(&self) -> &P::Value {
        self.value.as_ref().unwrap_or_else(|| unreachable!("{FILLED}"))
    }

    fn into_filled(self) -> P::Value {
        self.value.unwrap_or_else(|| unreachable!("{FILLED}"))
    }

    /// The default for the schema: not one that is another each time, which would change the prompt.
    fn shown_default(&self) -> Option<serde_json::Value> {
        let (default, as_json) = (self.default?, self.default_as_json?);
        let shown = as_json(default())?;
        (as_json(default())? == shown).then_some(shown)
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: it does not implement `DeserializeOwned`",
    label = "cannot be decoded from JSON",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to the type",
    note = "of borrowed types, a tool takes `&str`, `Option<&str>` and `Cow<'_, str>`, written as such"
)]
pub trait Decode: DeserializeOwned {}
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Decode for T {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: it does not implement `JsonSchema`",
    label = "cannot be described to a model",
    note = "add `#[derive(schemars::JsonSchema)]` to the type"
)]
pub trait Describe: JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> Describe for T {}

/// The slot of one way of passing, described as a type that has its schema.
macro_rules! slot {
    ([$($generics:tt)*] $passing:ty, $described:ty) => {
        impl<'a, $($generics)*> Slot<'a> for Argument<$passing> {
            fn read(&mut self, rest: &'a str) -> Result<usize, serde_json::Error> {
                let (value, length) = next_value(rest)?;
                self.value = Some(value);
                Ok(length)
            }

            fn fill_absent(&mut self) -> bool {
                self.value = match self.default {
                    Some(default) => Some(<$passing>::of_default(default())),
                    None => absent::value(),
                };
                self.value.is_some()
            }

            fn describe(&self, generator: &mut SchemaGenerator) -> Described {
                let mut schema = generator.subschema_for::<$described>();
                if let Some(default) = self.shown_default() {
                    schema.insert("default".to_owned(), default);
                }
                let required = self.default.is_none() && absent::value::<<$passing as Passing>::Value>().is_none();
                Described { schema, required }
            }
        }
    };
}
slot!([T: Decode + Describe] Owned<T>, T);
slot!([] AsStr<'a>, str);
slot!([] AsOptionStr<'a>, Option<String>);
slot!([] AsCow<'a>, str);

impl<T> Argument<Owned<T>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn get(self) -> T {
        self.into_filled()
    }
}

impl Argument<AsStr<'_>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn get(&self) -> &str {
        &self.filled().0
    }
}

impl Argument<AsOptionStr<'_>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn get(&self) -> Option<&str> {
        self.filled().as_ref().map(|text| &*text.0)
    }
}

impl<'a> Argument<AsCow<'a>> {
    /// The argument, as the function takes it.
    #[must_use]
    pub fn get(self) -> Cow<'a, str> {
        self.into_filled().0
    }
}

impl<P: Passing> Argument<P>
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

impl<P: Passing> DefaultUnseen<P::Default> for Argument<P> {
    fn __with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self
    }
}
