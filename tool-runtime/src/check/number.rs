//! Numbers compared exactly: a bound of 64 bits is not what the nearest float is.

use std::cmp::Ordering;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// Without a fraction, however it was written.
    Integer(i128),
    /// With a fraction, or beyond 128 bits.
    Float(f64),
}

/// Every float below it without a fraction is an `i128`.
const TWO_POW_127: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

impl From<f64> for Number {
    #[allow(clippy::cast_possible_truncation, reason = "it has neither a fraction nor more than 127 bits")]
    fn from(float: f64) -> Self {
        if float.fract() == 0.0 && float.abs() < TWO_POW_127 {
            Number::Integer(float as i128)
        } else {
            Number::Float(float)
        }
    }
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// As decoders of integers take it.
    AsInteger,
    /// `1.0`, `1e3`, `-0`, or beyond 128 bits.
    AsFloat,
}

impl Number {
    /// A number as it stands in JSON.
    pub(super) fn read(json: &str) -> (Self, Written) {
        if let Ok(integer) = json.parse::<i64>() {
            let written = if json == "-0" { Written::AsFloat } else { Written::AsInteger };
            return (Number::Integer(integer.into()), written);
        }
        match json.parse::<i128>() {
            Ok(integer) => (Number::Integer(integer), Written::AsInteger),
            // A parser has read it: nothing else is left.
            Err(_) => (Number::from(json.parse::<f64>().unwrap_or(f64::NAN)), Written::AsFloat),
        }
    }

    pub(super) fn of(number: &serde_json::Number) -> Option<Self> {
        match number.as_i128() {
            Some(integer) => Some(Number::Integer(integer)),
            None => number.as_f64().map(Number::from),
        }
    }

    pub(super) fn is_integer(self) -> bool {
        match self {
            Number::Integer(_) => true,
            Number::Float(float) => float.fract() == 0.0,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "beside a float with a fraction, 53 bits tell")]
    pub(super) fn compare(self, other: Self) -> Ordering {
        let compared = match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => return a.cmp(&b),
            (Number::Integer(a), Number::Float(b)) => (a as f64).partial_cmp(&b),
            (Number::Float(a), Number::Integer(b)) => a.partial_cmp(&(b as f64)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        };
        compared.unwrap_or(Ordering::Equal)
    }

    pub(super) fn is_multiple_of(self, divisor: Self) -> bool {
        match (self, divisor) {
            (Number::Integer(_), Number::Integer(0)) => true,
            (Number::Integer(number), Number::Integer(divisor)) => number % divisor == 0,
            (number, divisor) => (number.as_f64() / divisor.as_f64()).fract() == 0.0,
        }
    }

    #[allow(clippy::cast_precision_loss, reason = "a quotient with a float is a float")]
    fn as_f64(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(integer) => integer.fmt(f),
            Number::Float(float) => float.fmt(f),
        }
    }
}
