//! Values of the keywords in `#[arg(schema(..))]`.

use serde_json::{Number, Value};

/// A value in the attribute.
#[derive(Clone, Copy, Debug)]
pub enum Literal {
    /// `1`, `-1`
    Integer(i128),
    /// `0.5`
    Float(f64),
    /// `true`
    Boolean(bool),
    /// `"text"`
    Text(&'static str),
    /// `[1, 2]`
    List(&'static [Literal]),
}

impl From<Literal> for Value {
    fn from(literal: Literal) -> Value {
        match literal {
            Literal::Integer(integer) => Number::from_i128(integer).map_or(Value::Null, Value::Number),
            Literal::Float(float) => float.into(),
            Literal::Boolean(boolean) => boolean.into(),
            Literal::Text(text) => text.into(),
            Literal::List(list) => list.iter().copied().map(Value::from).collect(),
        }
    }
}
