//! Exact comparison of numbers: a bound of 64 bits differs from the nearest float.

use super::to_text;
use serde_json::Value;
use std::cmp::Ordering;
use std::fmt;

/// A number of JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Without a fraction, also `1.0` and `1e3`.
    Integer(i128),
    /// With a fraction, or with more than 127 bits.
    Float(f64),
}

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

impl Number {
    /// Reads a number of JSON.
    pub fn read(json: &str) -> Self {
        // A larger integer is a float in a schema, since serde_json reads it so.
        let integer = json.parse::<i64>().map(i128::from).or_else(|_| json.parse::<u64>().map(i128::from));
        integer.map_or_else(|_| Number::from(json.parse::<f64>().unwrap_or(f64::NAN)), Number::Integer)
    }

    /// The number of a JSON value; `None` if it is neither an integer nor a float.
    pub fn from_json(number: &serde_json::Number) -> Option<Self> {
        match number.as_i128() {
            Some(integer) => Some(Number::Integer(integer)),
            None => number.as_f64().map(Number::from),
        }
    }

    /// A text that is equal for equal numbers.
    #[must_use]
    pub fn canonical(self) -> String {
        match self {
            Number::Integer(integer) => integer.to_string(),
            Number::Float(float) => format!("{float:?}"),
        }
    }

    /// Whether it has no fraction.
    #[must_use]
    pub fn is_integer(self) -> bool {
        match self {
            Number::Integer(_) => true,
            Number::Float(float) => float.fract() == 0.0,
        }
    }

    /// Compares two numbers. One that is not a number equals every number.
    #[allow(clippy::cast_precision_loss, reason = "next to a float with a fraction, 53 bits are enough")]
    #[must_use]
    pub fn compare(self, other: Self) -> Ordering {
        let compared = match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => return a.cmp(&b),
            (Number::Integer(a), Number::Float(b)) => (a as f64).partial_cmp(&b),
            (Number::Float(a), Number::Integer(b)) => a.partial_cmp(&(b as f64)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(&b),
        };
        compared.unwrap_or(Ordering::Equal)
    }

    /// Whether it is a multiple of the divisor, within the precision of floats.
    #[must_use]
    pub fn is_multiple_of(self, divisor: Self) -> bool {
        match (self, divisor) {
            // `checked_rem` fails if the divisor is 0, or if the smallest integer is divided by -1.
            (Number::Integer(number), Number::Integer(divisor)) => {
                number.checked_rem(divisor).is_none_or(|rest| rest == 0)
            }
            (number, divisor) => {
                let (number, divisor) = (number.as_f64(), divisor.as_f64());
                let quotient = number / divisor;
                // 19.99 and 0.01 have no exact float, but 0.5 has.
                let is_exact = (divisor * 1024.0).fract() == 0.0;
                if is_exact {
                    return number % divisor == 0.0;
                }
                if quotient.is_infinite() {
                    return (1.0 / divisor).fract() == 0.0 || number % divisor == 0.0;
                }
                // Floats of this size have no fraction to compare.
                if quotient.abs() > 1e15 {
                    return true;
                }
                let tolerance = (4.0 * f64::EPSILON * quotient.abs()).min(1e-6);
                (quotient - quotient.round()).abs() <= tolerance
            }
        }
    }

    /// The nearest float.
    #[allow(clippy::cast_precision_loss, reason = "only where a float is exact enough")]
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(integer) => integer as f64,
            Number::Float(float) => float,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(integer) if integer.unsigned_abs() <= u64::MAX.into() => integer.fmt(f),
            Number::Integer(_) => write!(f, "{:e}", self.as_f64()),
            Number::Float(float) if float.abs() >= 1e15 => write!(f, "{float:e}"),
            Number::Float(float) => float.fmt(f),
        }
    }
}

/// A text that is equal for equal values: keys are sorted, and `1.0` is `1`.
pub fn canonical(value: &Value) -> String {
    match value {
        Value::Number(number) => match Number::from_json(number) {
            Some(number) => number.canonical(),
            None => number.to_string(),
        },
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(entries) => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{}:{}", to_text(&key.as_str().into()), canonical(value))
            };
            let mut entries: Vec<String> = entries.iter().map(entry).collect();
            entries.sort_unstable();
            format!("{{{}}}", entries.join(","))
        }
        other => to_text(other),
    }
}

/// The canonical form of JSON text. Text that is not JSON equals only itself.
#[must_use]
pub fn canonical_text(json: &str) -> String {
    serde_json::from_str(json).map_or_else(|_| json.to_owned(), |value| canonical(&value))
}
