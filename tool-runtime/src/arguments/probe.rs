//! Which way of passing a parameter has.
//!
//! The macro asks the compiler, not the tokens: `Tag::<T>::NEW.__passing()` is an inherent method for the types
//! that are borrowed, which wins over the trait's for any other type. So aliases need no special care. The names
//! have `__`, since a trait of the user's may be in scope with any other.

use super::passing::{Borrowed, Owned, Passing};
use super::slot::{Argument, Decode, Describe};
use std::marker::PhantomData;

/// A type to ask the compiler about.
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Tag<T> {
    /// The only one.
    pub const NEW: Self = Tag(PhantomData);
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
