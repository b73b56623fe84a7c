//! The place of one argument, and how each kind of parameter is passed.
//!
//! The macro asks the compiler, not the tokens, how a parameter takes its argument: `Tag::<T>::NEW.argument()`
//! is an inherent method for `&str`, `&T` and their like, which wins over the trait's for any other type.
//! So aliases need no special care.

use super::text::Text;
use super::{Described, absent, cursor};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use serde::de::Deserialize;
use std::borrow::Cow;
use std::marker::PhantomData;

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
    fn describe(&mut self, generator: &mut SchemaGenerator) -> Described;
}

/// How a parameter takes its argument.
pub trait Passing {
    /// What is decoded.
    type Value;
    /// What `#[arg(default = ..)]` gives.
    type Default;
    /// What the schema is made from.
    type Described: ?Sized;

    /// The default as if it had been decoded.
    fn of_default(default: Self::Default) -> Self::Value;
}

/// The place of an argument that is passed as `P` says.
pub struct Argument<P: Passing> {
    value: Option<P::Value>,
    default: Option<fn() -> P::Default>,
    default_as_json: Option<fn(P::Default) -> Option<serde_json::Value>>,
}

const FILLED: &str = "a function starts only when every slot is filled";

impl<P: Passing> Argument<P> {
    const EMPTY: Self = Argument { value: None, default: None, default_as_json: None };

    fn filled(&self) -> &P::Value {
        self.value.as_ref().unwrap_or_else(|| unreachable!("{FILLED}"))
    }

    fn into_filled(self) -> P::Value {
        self.value.unwrap_or_else(|| unreachable!("{FILLED}"))
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: it does not implement `Deserialize`",
    label = "cannot be decoded from JSON",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to the type"
)]
pub trait Decode<'a>: Deserialize<'a> {}
#[diagnostic::do_not_recommend]
impl<'a, T: Deserialize<'a>> Decode<'a> for T {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: it does not implement `JsonSchema`",
    label = "cannot be described to a model",
    note = "add `#[derive(schemars::JsonSchema)]` to the type"
)]
pub trait Describe: JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: JsonSchema + ?Sized> Describe for T {}

impl<'a, P: Passing> Slot<'a> for Argument<P>
where
    P::Value: Decode<'a>,
    P::Described: Describe,
{
    fn read(&mut self, rest: &'a str) -> Result<usize, serde_json::Error> {
        let (value, length) = cursor::value(rest)?;
        self.value = Some(value);
        Ok(length)
    }

    fn fill_absent(&mut self) -> bool {
        self.value = match self.default {
            Some(default) => Some(P::of_default(default())),
            None => absent::value(),
        };
        self.value.is_some()
    }

    fn describe(&mut self, generator: &mut SchemaGenerator) -> Described {
        let mut schema = generator.subschema_for::<P::Described>();
        if let (Some(default), Some(as_json)) = (self.default, self.default_as_json) {
            if let Some(json) = as_json(default()) {
                schema.insert("default".to_owned(), json);
            }
        }
        Described { schema, required: !self.fill_absent() }
    }
}

/// `T`, by value.
pub struct Owned<T>(PhantomData<T>);
/// `&str`.
pub struct AsStr<'a>(PhantomData<&'a str>);
/// `Option<&str>`.
pub struct AsOptionStr<'a>(PhantomData<&'a str>);
/// `Cow<'_, str>`.
pub struct AsCow<'a>(PhantomData<&'a str>);

impl<T> Passing for Owned<T> {
    type Value = T;
    type Default = T;
    type Described = T;
    fn of_default(default: T) -> T {
        default
    }
}

impl<'a> Passing for AsStr<'a> {
    type Value = Text<'a>;
    type Default = &'static str;
    type Described = str;
    fn of_default(default: &'static str) -> Text<'a> {
        Text(Cow::Borrowed(default))
    }
}

impl<'a> Passing for AsOptionStr<'a> {
    type Value = Option<Text<'a>>;
    type Default = Option<&'static str>;
    type Described = Option<String>;
    fn of_default(default: Option<&'static str>) -> Option<Text<'a>> {
        default.map(|text| Text(Cow::Borrowed(text)))
    }
}

impl<'a> Passing for AsCow<'a> {
    type Value = Text<'a>;
    type Default = Cow<'static, str>;
    type Described = str;
    fn of_default(default: Cow<'static, str>) -> Text<'a> {
        Text(default)
    }
}

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

/// A type to ask the compiler about.
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Tag<T> {
    /// The only one.
    pub const NEW: Self = Tag(PhantomData);
}

impl Tag<&str> {
    /// A place for this kind of argument.
    #[must_use]
    pub fn argument<'a>(&self) -> Argument<AsStr<'a>> {
        Argument::EMPTY
    }
}

impl Tag<Option<&str>> {
    /// A place for this kind of argument.
    #[must_use]
    pub fn argument<'a>(&self) -> Argument<AsOptionStr<'a>> {
        Argument::EMPTY
    }
}

impl Tag<Cow<'_, str>> {
    /// A place for this kind of argument.
    #[must_use]
    pub fn argument<'a>(&self) -> Argument<AsCow<'a>> {
        Argument::EMPTY
    }
}

/// Any other type is taken by value.
pub trait ArgumentOfAnyType<T> {
    /// A place for an argument that is passed by value.
    fn argument(&self) -> Argument<Owned<T>>;
}

impl<T> ArgumentOfAnyType<T> for Tag<T> {
    fn argument(&self) -> Argument<Owned<T>> {
        Argument::EMPTY
    }
}

/// A place for an argument whose type shows by its tokens that it is owned: no probing, less to compile.
#[must_use]
pub const fn argument<T>() -> Argument<Owned<T>> {
    Argument::EMPTY
}

impl<P: Passing> Argument<P>
where
    P::Default: Serialize,
{
    /// Taken when the argument is absent, and shown in the schema.
    #[must_use]
    pub fn with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self.default_as_json = Some(|default| serde_json::to_value(default).ok());
        self
    }
}

/// A default whose type cannot be written as JSON is not shown in the schema.
pub trait DefaultUnseen<D> {
    /// Taken when the argument is absent.
    #[must_use]
    fn with_default(self, default: fn() -> D) -> Self;
}

impl<P: Passing> DefaultUnseen<P::Default> for Argument<P> {
    fn with_default(mut self, default: fn() -> P::Default) -> Self {
        self.default = Some(default);
        self
    }
}
