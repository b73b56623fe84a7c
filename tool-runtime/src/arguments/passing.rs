//! The ways in which a parameter takes its argument: what is decoded, and what the function gets of it.

#![allow(clippy::unused_self, reason = "the ways are told apart by type alone")]

use super::slot::{Argument, Decode, Describe};
use super::text::Text;
use std::borrow::Cow;
use std::marker::PhantomData;

/// How a parameter takes its argument.
pub trait Passing {
    /// What is decoded, and kept for as long as the function runs.
    type Value;
    /// What `#[arg(default = ..)]` gives.
    type Default;
    /// The only value.
    const NEW: Self;

    /// The default as if it had been decoded.
    fn of_default(default: Self::Default) -> Self::Value;
}

/// `T`, by value.
pub struct Owned<T>(PhantomData<fn() -> T>);
/// `&T`.
pub struct AsRef<T>(PhantomData<fn() -> T>);
/// `&[T]`.
pub struct AsSlice<T>(PhantomData<fn() -> T>);
/// `Option<&T>`.
pub struct AsOptionRef<T>(PhantomData<fn() -> T>);
/// `Option<&[T]>`.
pub struct AsOptionSlice<T>(PhantomData<fn() -> T>);
/// `&str`.
pub struct AsStr<'a>(PhantomData<&'a str>);
/// `Option<&str>`.
pub struct AsOptionStr<'a>(PhantomData<&'a str>);
/// `Cow<'_, str>`.
pub struct AsCow<'a>(PhantomData<&'a str>);

/// What is decoded is what the default gives.
macro_rules! passing_of_owned {
    ($($passing:ident: $value:ty),* $(,)?) => {$(
        impl<T> Passing for $passing<T> {
            type Value = $value;
            type Default = $value;
            const NEW: Self = $passing(PhantomData);
            fn of_default(default: $value) -> $value {
                default
            }
        }
    )*};
}
passing_of_owned!(
    Owned: T,
    AsRef: T,
    AsSlice: Vec<T>,
    AsOptionRef: Option<T>,
    AsOptionSlice: Option<Vec<T>>,
);

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

/// Text is borrowed from the call.
macro_rules! passing_of_text {
    ($($passing:ident: $value:ty, $described:ty, $default:ty, |$given:ident| $of_default:expr;)*) => {$(
        impl<'a> Passing for $passing<'a> {
            type Value = $value;
            type Default = $default;
            const NEW: Self = $passing(PhantomData);
            fn of_default($given: $default) -> $value {
                $of_default
            }
        }

        impl<'a> $passing<'a> {
            /// A place for such an argument.
            #[must_use]
            pub fn argument(self) -> Argument<'a, Self> {
                Argument::described_as::<$described>()
            }
        }
    )*};
}
passing_of_text! {
    AsStr: Text<'a>, str, &'static str, |text| Text(Cow::Borrowed(text));
    AsOptionStr: Option<Text<'a>>, Option<String>, Option<&'static str>,
        |text| text.map(|text| Text(Cow::Borrowed(text)));
    AsCow: Text<'a>, str, Cow<'static, str>, |text| Text(text);
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
