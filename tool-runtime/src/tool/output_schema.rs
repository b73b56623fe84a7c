//! The schema of a function's result, for the option `output_schema`.

#![allow(clippy::unused_self, reason = "only the types differ")]
#![allow(clippy::must_use_candidate, reason = "only generated code calls this")]

use crate::schema::inline_settings;
use schemars::JsonSchema;
use serde_json::{Map, Value};
use std::marker::PhantomData;
use std::ops::Deref;

/// Carries the return type of a function. `ReturnType::<R>::NEW.__value()` selects the type of its value, even through
/// type aliases such as `std::io::Result<T>`: `T` of a `Result<T, E>`, otherwise `R`.
pub struct ReturnType<R>(PhantomData<fn() -> R>);
/// The second candidate, after [`ReturnType`]: a type other than `Result`.
pub struct OtherType<R>(PhantomData<fn() -> R>);
/// Carries the type of the value.
pub struct ValueType<T>(PhantomData<fn() -> T>);

impl<R> ReturnType<R> {
    /// The only value.
    pub const NEW: Self = ReturnType(PhantomData);
}

impl<T, E> ReturnType<Result<T, E>> {
    /// The type of the value.
    pub fn __value(&self) -> ValueType<T> {
        ValueType(PhantomData)
    }
}

impl<R> Deref for ReturnType<R> {
    type Target = OtherType<R>;
    fn deref(&self) -> &OtherType<R> {
        &OtherType(PhantomData)
    }
}

impl<R> OtherType<R> {
    /// The type of the value.
    pub fn __value(&self) -> ValueType<R> {
        ValueType(PhantomData)
    }
}

#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot have an output schema: it does not implement `JsonSchema`",
    label = "has no JSON Schema",
    note = "if the type is from your crate, add `#[derive(schemars::JsonSchema)]` to it; `cargo add schemars` adds the \
            derive",
    note = "otherwise remove `output_schema`, which is optional"
)]
pub trait DescribeOutput: JsonSchema {}
#[diagnostic::do_not_recommend]
impl<T: JsonSchema> DescribeOutput for T {}

impl<T> ValueType<T> {
    /// The schema of the serialized value.
    pub fn __schema(self) -> Value
    where
        T: DescribeOutput,
    {
        let mut generator = inline_settings().for_serialize().into_generator();
        let mut schema = generator.subschema_for::<T>().to_value();
        // Types that contain themselves.
        let definitions: Map<String, Value> = generator.take_definitions(true);
        if let (Some(keywords), false) = (schema.as_object_mut(), definitions.is_empty()) {
            keywords.insert("$defs".to_owned(), definitions.into());
        }
        schema
    }
}
