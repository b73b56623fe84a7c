//! Which way of passing a parameter has, and the place that it so gets.
//!
//! The macro asks the compiler, not the tokens: `Tag::<T>::NEW.__passing()` is an inherent method for the types
//! that are borrowed, which wins over the trait's for any other type. So aliases need no special care. The names
//! have `__`, since a trait of the user's may be in scope with any other.

#![allow(clippy::unused_self, reason = "the ways are told apart by type alone")]

use super::passing::{AsCow, AsOptionRef, AsOptionSlice, AsOptionStr, AsRef, AsSlice, AsStr, Owned, Passing};
use super::slot::Argument;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::marker::PhantomData;

/// A type to ask the compiler about.
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Tag<T> {
    /// The only one.
    pub const NEW: Self = Tag(PhantomData);
}

/// A type that is not taken by value, for the probe.
pub trait Borrowed {
    /// How it is taken.
    type Passing: Passing;
}

macro_rules! borrowed {
    ($([$($generics:tt)*] $borrowed:ty => $passing:ty;)*) => {$(
        impl<$($generics)*> Borrowed for $borrowed {
            type Passing = $passing;
        }
    )*};
}
borrowed! {
    ['a] &'a str => AsStr<'a>;
    ['a] Option<&'a str> => AsOptionStr<'a>;
    ['a] Cow<'a, str> => AsCow<'a>;
    [T] &T => AsRef<T>;
    [T] &[T] => AsSlice<T>;
    [T] Option<&T> => AsOptionRef<T>;
    [T] Option<&[T]> => AsOptionSlice<T>;
}

impl<T: Borrowed> Tag<T> {
    /// How the type is taken.
    #[must_use]
    pub fn __passing(&self) -> T::Passing {
        T::Passing::NEW
    }
}

/// Any other type is taken by value.
pub trait PassedByValue<T> {
    /// How the type is taken.
    fn __passing(&self) -> Owned<T>;
}

impl<T> PassedByValue<T> for Tag<T> {
    fn __passing(&self) -> Owned<T> {
        Owned::NEW
    }
}

/// A place for an argument whose type shows by its tokens that it is owned: no probing, less to compile.
#[must_use]
pub fn argument<'a, T: Decode + Describe>() -> Argument<'a, Owned<T>> {
    Argument::described_as::<T>()
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: it does not implement `DeserializeOwned`",
    label = "cannot be decoded from JSON",
    note = "if the type is yours, add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to it",
    note = "if the program gives it, not the model, write `#[state]` or `#[context]` before the parameter",
    note = "of borrowed types, a tool takes `&str`, `&T`, `&[T]`, `Option<_>` of these and `Cow<'_, str>`"
)]
pub trait Decode: DeserializeOwned {}
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Decode for T {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool: it does not implement `JsonSchema`",
    label = "cannot be described to a model",
    note = "if the type is yours, add `#[derive(schemars::JsonSchema)]` to it"
)]
pub trait Describe: JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> Describe for T {}

// The bounds stand on methods, written out: an error then tells of `T` alone, and shows no macro.

impl<T> Owned<T> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument<'a>(self) -> Argument<'a, Self>
    where
        T: Decode + Describe,
    {
        Argument::described_as::<T>()
    }
}

impl<T> AsRef<T> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument<'a>(self) -> Argument<'a, Self>
    where
        T: Decode + Describe,
    {
        Argument::described_as::<T>()
    }
}

impl<T> AsSlice<T> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument<'a>(self) -> Argument<'a, Self>
    where
        T: Decode + Describe,
    {
        Argument::described_as::<Vec<T>>()
    }
}

impl<T> AsOptionRef<T> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument<'a>(self) -> Argument<'a, Self>
    where
        T: Decode + Describe,
    {
        Argument::described_as::<Option<T>>()
    }
}

impl<T> AsOptionSlice<T> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument<'a>(self) -> Argument<'a, Self>
    where
        T: Decode + Describe,
    {
        Argument::described_as::<Option<Vec<T>>>()
    }
}

impl<'a> AsStr<'a> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument(self) -> Argument<'a, Self> {
        Argument::described_as::<str>()
    }
}

impl<'a> AsOptionStr<'a> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument(self) -> Argument<'a, Self> {
        Argument::described_as::<Option<String>>()
    }
}

impl<'a> AsCow<'a> {
    /// A place for such an argument.
    #[must_use]
    pub fn argument(self) -> Argument<'a, Self> {
        Argument::described_as::<str>()
    }
}
