//! The ways in which a parameter takes its argument.

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
