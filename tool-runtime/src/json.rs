//! JSON: text that is read without copies, and objects that keep the order of their keys.

mod nesting;
mod object_end;
mod order;
mod pairs;
mod scanner;
mod surrogates;
mod text;
mod type_set;

pub(crate) use nesting::{Nesting, nesting};
pub(crate) use object_end::ObjectEnd;
pub(crate) use order::{Entries, sorted_text};
pub(crate) use pairs::pairs;
pub(crate) use scanner::{JsonString, Scanner};
pub(crate) use surrogates::{SplitPairs, replace_lone_surrogates};
pub(crate) use text::Text;
pub(crate) use tool_runtime_schema::json::{
    definition_name, descendants, escaped_token, object, referenced, remove_entry, to_text,
};
pub(crate) use type_set::TypeSet;
