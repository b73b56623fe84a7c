//! JSON values and JSON text: types, conversions to another type, objects that keep the order of their keys, the values inside a
//! value, references, and halves of surrogate pairs.

mod conversions;
mod descendants;
mod nesting;
mod object;
mod order;
mod reference;
mod surrogates;
mod to_text;
mod type_set;

pub use conversions::{integer_from_float, json_in_string, may_be_only_item};
pub use descendants::descendants;
pub use nesting::{Nesting, nesting};
pub use object::{object, remove_entry};
pub use order::{Entries, sorted_text};
pub use reference::{definition_name, escaped_token, referenced};
pub(crate) use reference::{percent_decoded, unescaped_token};
pub use surrogates::{SplitPairs, replace_lone_surrogates};
pub use to_text::to_text;
pub use type_set::TypeSet;
