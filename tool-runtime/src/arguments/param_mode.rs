//! Modes of passing an argument: the type that is decoded, and the type that the function gets.

use crate::json::Text;
use std::borrow::Cow;
use std::marker::PhantomData;

/// How an argument is passed to the function.
pub trait ParamMode {
    /// The type that is decoded, and stored while the function runs.
    type Value;
    /// The type of `#[arg(default = ..)]`.
    type Default;
    /// The only value.
    const NEW: Self;

    /// Converts the default to the type that is decoded.
    fn from_default(default: Self::Default) -> Self::Value;
}

/// `T`, by value.
pub struct ByValue<T>(PhantomData<fn() -> T>);
/// `&T`.
pub struct ByRef<T>(PhantomData<fn() -> T>);
/// `&[T]`.
pub struct BySlice<T>(PhantomData<fn() -> T>);
/// `Option<&T>`.
pub struct ByOptionRef<T>(PhantomData<fn() -> T>);
/// `Option<&[T]>`.
pub struct ByOptionSlice<T>(PhantomData<fn() -> T>);
/// `&str`.
pub struct ByStr<'a>(PhantomData<&'a str>);
/// `Option<&str>`.
pub struct ByOptionStr<'a>(PhantomData<&'a str>);
/// `Cow<'_, str>`.
pub struct ByCow<'a>(PhantomData<&'a str>);

/// Modes whose default has the type that is decoded.
macro_rules! owned_modes {
    ($($mode:ident: $value:ty),* $(,)?) => {$(
        impl<T> ParamMode for $mode<T> {
            type Value = $value;
            type Default = $value;
            const NEW: Self = $mode(PhantomData);
            fn from_default(default: $value) -> $value {
                default
            }
        }
    )*};
}
owned_modes!(
    ByValue: T,
    ByRef: T,
    BySlice: Vec<T>,
    ByOptionRef: Option<T>,
    ByOptionSlice: Option<Vec<T>>,
);

/// Modes of text, which is borrowed from the arguments.
macro_rules! text_modes {
    ($($mode:ident: $value:ty, $default:ty, |$given:ident| $from_default:expr;)*) => {$(
        impl<'a> ParamMode for $mode<'a> {
            type Value = $value;
            type Default = $default;
            const NEW: Self = $mode(PhantomData);
            fn from_default($given: $default) -> $value {
                $from_default
            }
        }
    )*};
}
text_modes! {
    ByStr: Text<'a>, &'static str, |text| Text(Cow::Borrowed(text));
    ByOptionStr: Option<Text<'a>>, Option<&'static str>,
        |text| text.map(|text| Text(Cow::Borrowed(text)));
    ByCow: Text<'a>, Cow<'static, str>, |text| Text(text);
}
