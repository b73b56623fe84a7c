//! JSON objects without repeated keys. A reader that takes another one of two values would not see what the tool receives.

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Integers up to this magnitude are different numbers in the memory too.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A JSON value that is exactly the one of its text: without repeated keys, and without numbers that are rounded to another
/// integer.
struct Exact(Value);

/// The object in a JSON text.
pub(crate) fn object(text: &str) -> Option<BTreeMap<String, Value>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = values(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(object)
}

/// An object of exact values, for `deserialize_with`.
pub(crate) fn values<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Value>, D::Error> {
    let entries = entries::<Exact, D>(deserializer)?;
    Ok(entries.into_iter().map(|(key, Exact(value))| (key, value)).collect())
}

/// An object without repeated keys, for `deserialize_with`.
pub(crate) fn entries<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    deserializer.deserialize_map(Entries(PhantomData))
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with the names of arguments as keys")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some((key, value)) = map.next_entry::<String, T>()? {
            if entries.insert(key.clone(), value).is_some() {
                return Err(repeated(&key));
            }
        }
        Ok(entries)
    }
}

fn repeated<E: Error>(key: &str) -> E {
    E::custom(format_args!("the key `{key}` is repeated: remove one of the two"))
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExactVisitor)
    }
}

struct ExactVisitor;

impl<'de> Visitor<'de> for ExactVisitor {
    type Value = Exact;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Exact, E> {
        Ok(Exact(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Exact, E> {
        match Number::from_f64(value) {
            Some(number) if value.abs() < EXACT => Ok(Exact(number.into())),
            _ => Err(E::custom("the number is too large to be compared exactly")),
        }
    }

    fn visit_str<E>(self, value: &str) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Exact, A::Error> {
        let mut array = Vec::new();
        while let Some(Exact(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Exact(array.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Exact, A::Error> {
        let mut object = Map::new();
        while let Some((key, Exact(value))) = map.next_entry::<String, Exact>()? {
            if object.contains_key(&key) {
                return Err(repeated(&key));
            }
            object.insert(key, value);
        }
        Ok(Exact(object.into()))
    }
}
