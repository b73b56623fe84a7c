//! JSON values and JSON text: types, conversions to another type, objects that keep the order of their keys, the values inside a
//! value, references, halves of surrogate pairs, and text that is read without copies.

mod conversions;
mod descendants;
mod nesting;
mod number;
mod object;
mod object_end;
mod order;
mod pairs;
mod reference;
mod scanner;
mod surrogates;
mod to_text;
mod type_set;

pub use conversions::{integer_from_float, json_in_string, may_be_only_item};
pub use descendants::descendants;
pub use nesting::{Nesting, nesting};
pub use number::{Number, canonical, canonical_text};
pub use object::{object, remove_entry};
pub use object_end::ObjectEnd;
pub use order::{Entries, sorted_text};
pub use pairs::pairs;
pub use reference::{definition_name, escaped_token, referenced};
pub(crate) use reference::{percent_decoded, unescaped_token};
pub use scanner::{JsonString, Scanner};
pub use surrogates::{SplitPairs, replace_lone_surrogates};
pub use to_text::to_text;
pub use type_set::TypeSet;
