//! Selection of a parameter's mode by its type, and the constructors of its cell.
//!
//! The type selects the mode, not the tokens, so that type aliases work: `Tag::<T>::NEW.__mode()` is an inherent method
//! for borrowed types, which takes precedence over the trait method of all other types. The names begin with `__`,
//! since a trait of the user may be in scope with any other name.

#![allow(clippy::unused_self, reason = "only the types differ")]
#![allow(clippy::must_use_candidate, reason = "only generated code calls this")]

use super::arg_cell::ArgCell;
use super::param_mode::{
    ByCow, ByOptionRef, ByOptionSlice, ByOptionStr, ByRef, BySlice, ByStr, ByValue, ParamMode,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::marker::PhantomData;

/// Carries a type to the probe.
pub struct Tag<T>(PhantomData<fn() -> T>);

impl<T> Tag<T> {
    /// The only value.
    pub const NEW: Self = Tag(PhantomData);
}

/// A borrowed type.
pub trait Borrowed {
    /// The mode of the type.
    type Mode: ParamMode;
}

macro_rules! borrowed {
    ($([$($generics:tt)*] $borrowed:ty => $mode:ty;)*) => {$(
        impl<$($generics)*> Borrowed for $borrowed {
            type Mode = $mode;
        }
    )*};
}
borrowed! {
    ['a] &'a str => ByStr<'a>;
    ['a] Option<&'a str> => ByOptionStr<'a>;
    ['a] Cow<'a, str> => ByCow<'a>;
    [T] &T => ByRef<T>;
    [T] &[T] => BySlice<T>;
    [T] Option<&T> => ByOptionRef<T>;
    [T] Option<&[T]> => ByOptionSlice<T>;
}

impl<T: Borrowed> Tag<T> {
    /// The mode of the type.
    pub fn __mode(&self) -> T::Mode {
        T::Mode::NEW
    }
}

/// Any other type is passed by value.
pub trait PassedByValue<T> {
    /// The mode of the type.
    fn __mode(&self) -> ByValue<T>;
}

impl<T> PassedByValue<T> for Tag<T> {
    fn __mode(&self) -> ByValue<T> {
        ByValue::NEW
    }
}

/// Creates the cell of an argument whose tokens show that it is owned. Without the probe, there is less to compile.
pub fn argument<'a, T: Decode + Describe>() -> ArgCell<'a, ByValue<T>> {
    ArgCell::with_schema::<T>()
}

// Most types without these traits are application state, so that the errors name the missing attribute first.

#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an argument that a model can send nor marked as `#[state]` or `#[context]`",
    label = "`#[state]` or `#[context]` is missing, or `{Self}` does not implement `DeserializeOwned`",
    note = "if the application provides the value, write `#[state]` before the parameter, or `#[context]` for a \
            `CallContext`",
    note = "if the model sends it, add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to the type; \
            `cargo add serde --features derive` and `cargo add schemars` add the derives",
    note = "the supported borrowed types are `&str`, `&T`, `&[T]`, `Option<_>` of these and `Cow<'_, str>`"
)]
pub trait Decode: DeserializeOwned {}
#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> Decode for T {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an argument that a model can send nor marked as `#[state]` or `#[context]`",
    label = "`#[state]` or `#[context]` is missing, or `{Self}` does not implement `JsonSchema`",
    note = "if the application provides the value, write `#[state]` before the parameter, or `#[context]` for a \
            `CallContext`",
    note = "if the model sends it, add `#[derive(schemars::JsonSchema)]` to the type; `cargo add schemars` adds the \
            derive"
)]
pub trait Describe: JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> Describe for T {}

// Each method has its bounds, and no macro generates them: an error about a bound then names only `T`.

impl<T> ByValue<T> {
    /// Creates the cell of an argument.
    pub fn argument<'a>(self) -> ArgCell<'a, Self>
    where
        T: Decode + Describe,
    {
        ArgCell::with_schema::<T>()
    }
}

impl<T> ByRef<T> {
    /// Creates the cell of an argument.
    pub fn argument<'a>(self) -> ArgCell<'a, Self>
    where
        T: Decode + Describe,
    {
        ArgCell::with_schema::<T>()
    }
}

impl<T> BySlice<T> {
    /// Creates the cell of an argument.
    pub fn argument<'a>(self) -> ArgCell<'a, Self>
    where
        T: Decode + Describe,
    {
        ArgCell::with_schema::<Vec<T>>()
    }
}

impl<T> ByOptionRef<T> {
    /// Creates the cell of an argument.
    pub fn argument<'a>(self) -> ArgCell<'a, Self>
    where
        T: Decode + Describe,
    {
        ArgCell::with_schema::<Option<T>>()
    }
}

impl<T> ByOptionSlice<T> {
    /// Creates the cell of an argument.
    pub fn argument<'a>(self) -> ArgCell<'a, Self>
    where
        T: Decode + Describe,
    {
        ArgCell::with_schema::<Option<Vec<T>>>()
    }
}

/// These types have no bounds that an error could name.
macro_rules! text_argument {
    ($($mode:ident: $described:ty;)*) => {$(
        impl<'a> $mode<'a> {
            /// Creates the cell of an argument.
            pub fn argument(self) -> ArgCell<'a, Self> {
                ArgCell::with_schema::<$described>()
            }
        }
    )*};
}
text_argument! { ByStr: str; ByOptionStr: Option<String>; ByCow: str; }
