//! Objects from pairs.

use serde_json::{Map, Value};

/// An object with these entries. `collect` sorts the entries first, and the binary then contains a sort for each caller.
pub(crate) fn object(entries: impl IntoIterator<Item = (String, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    object.extend(entries);
    object
}
