//! JSON text, read without copies.

mod descendants;
mod nesting;
mod object;
mod object_end;
mod pairs;
mod reference;
mod scanner;
mod surrogates;
mod text;
mod to_text;
mod type_set;

pub(crate) use descendants::descendants;
pub(crate) use nesting::{Nesting, nesting};
pub(crate) use object::object;
pub(crate) use object_end::ObjectEnd;
pub(crate) use pairs::pairs;
pub(crate) use reference::{definition_name, percent_decoded, referenced};
pub(crate) use scanner::{JsonString, Scanner};
pub(crate) use surrogates::{SplitPairs, replace_lone_surrogates};
pub(crate) use text::Text;
pub(crate) use to_text::to_text;
pub(crate) use type_set::TypeSet;
