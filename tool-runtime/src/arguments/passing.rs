//! The ways in which a parameter takes its argument: what is decoded, and what the function gets of it.

use crate::json::Text;
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

/// Text is borrowed from the call.
macro_rules! passing_of_text {
    ($($passing:ident: $value:ty, $default:ty, |$given:ident| $of_default:expr;)*) => {$(
        impl<'a> Passing for $passing<'a> {
            type Value = $value;
            type Default = $default;
            const NEW: Self = $passing(PhantomData);
            fn of_default($given: $default) -> $value {
                $of_default
            }
        }
    )*};
}
passing_of_text! {
    AsStr: Text<'a>, &'static str, |text| Text(Cow::Borrowed(text));
    AsOptionStr: Option<Text<'a>>, Option<&'static str>,
        |text| text.map(|text| Text(Cow::Borrowed(text)));
    AsCow: Text<'a>, Cow<'static, str>, |text| Text(text);
}
