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

macro_rules! modes {
    ($($mode:ident<$parameter:tt>: $value:ty, $default:ty, |$given:ident| $from_default:expr;)*) => {$(
        impl<$parameter> ParamMode for $mode<$parameter> {
            type Value = $value;
            type Default = $default;
            const NEW: Self = $mode(PhantomData);
            fn from_default($given: $default) -> $value {
                $from_default
            }
        }
    )*};
}
modes! {
    ByValue<T>: T, T, |value| value;
    ByRef<T>: T, T, |value| value;
    BySlice<T>: Vec<T>, Vec<T>, |value| value;
    ByOptionRef<T>: Option<T>, Option<T>, |value| value;
    ByOptionSlice<T>: Option<Vec<T>>, Option<Vec<T>>, |value| value;
    // Text is borrowed from the arguments.
    ByStr<'a>: Text<'a>, &'static str, |text| Text(Cow::Borrowed(text));
    ByOptionStr<'a>: Option<Text<'a>>, Option<&'static str>, |text| text.map(|text| Text(Cow::Borrowed(text)));
    ByCow<'a>: Text<'a>, Cow<'static, str>, |text| Text(text);
}
