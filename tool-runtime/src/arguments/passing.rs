//! How each kind of parameter is passed.
//!
//! The macro asks the compiler, not the tokens, how a parameter takes its argument: `Tag::<T>::NEW.__argument()`
//! is an inherent method for `&str` and its like, which wins over the trait's for any other type. So aliases
//! need no special care.

use super::slot::Argument;
use super::text::Text;
use std::borrow::Cow;
use std::marker::PhantomData;

/// How a parameter takes its argument.
pub trait Passing {
    /// What is decoded.
    type Value;
    /// What `#[arg(default = ..)]` gives.
    type Default;

    /// The default as if it had been decoded.
    fn of_default(default: Self::Default) -> Self::Value;
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
    fn of_default(default: T) -> T {
        default
    }
}

impl<'a> Passing for AsStr<'a> {
    type Value = Text<'a>;
    type Default = &'static str;
    fn of_default(default: &'static str) -> Text<'a> {
        Text(Cow::Borrowed(default))
    }
}

impl<'a> Passing for AsOptionStr<'a> {
    type Value = Option<Text<'a>>;
    type Default = Option<&'static str>;
    fn of_default(default: Option<&'static str>) -> Option<Text<'a>> {
        default.map(|text| Text(Cow::Borrowed(text)))
    }
}

impl<'a> Passing for AsCow<'a> {
    type Value = Text<'a>;
    type Default = Cow<'static, str>;
    fn of_default(default: Cow<'static, str>) -> Text<'a> {
        Text(default)
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
    pub fn __argument<'a>(&self) -> Argument<AsStr<'a>> {
        Argument::EMPTY
    }
}

impl Tag<Option<&str>> {
    /// A place for this kind of argument.
    #[must_use]
    pub fn __argument<'a>(&self) -> Argument<AsOptionStr<'a>> {
        Argument::EMPTY
    }
}

impl Tag<Cow<'_, str>> {
    /// A place for this kind of argument.
    #[must_use]
    pub fn __argument<'a>(&self) -> Argument<AsCow<'a>> {
        Argument::EMPTY
    }
}

/// Any other type is taken by value.
pub trait ArgumentOfAnyType<T> {
    /// A place for an argument that is passed by value.
    fn __argument(&self) -> Argument<Owned<T>>;
}

impl<T> ArgumentOfAnyType<T> for Tag<T> {
    fn __argument(&self) -> Argument<Owned<T>> {
        Argument::EMPTY
    }
}

/// A place for an argument whose type shows by its tokens that it is owned: no probing, less to compile.
#[must_use]
pub const fn argument<T>() -> Argument<Owned<T>> {
    Argument::EMPTY
}
