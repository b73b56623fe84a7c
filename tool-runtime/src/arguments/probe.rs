//! Which way of passing a parameter has.
//!
//! The macro asks the compiler, not the tokens: `Tag::<T>::NEW.__argument()` is an inherent method for `&str` and
//! its like, which wins over the trait's for any other type. So aliases need no special care. The names have
//! `__`, since a trait of the user's may be in scope with any other.

use super::passing::{AsCow, AsOptionStr, AsStr, Owned};
use super::slot::Argument;
use std::borrow::Cow;
use std::marker::PhantomData;

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
