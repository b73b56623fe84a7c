//! JSON: text that is read without copies, and objects that keep the order of their keys.

mod descendants;
mod nesting;
mod object_end;
mod order;
mod pairs;
mod reference;
mod scanner;
mod surrogates;
mod text;
mod to_text;
mod type_set;

pub(crate) use descendants::descendants;
pub(crate) use nesting::{Nesting, nesting};
pub(crate) use object_end::ObjectEnd;
pub(crate) use order::{Entries, object, remove_entry, sorted_text};
pub(crate) use pairs::pairs;
pub(crate) use reference::{definition_name, escaped_token, percent_decoded, referenced, unescaped_token};
pub(crate) use scanner::{JsonString, Scanner};
pub(crate) use surrogates::{SplitPairs, replace_lone_surrogates};
pub(crate) use text::Text;
pub(crate) use to_text::to_text;
pub(crate) use type_set::TypeSet;
