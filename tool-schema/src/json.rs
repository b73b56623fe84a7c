//! JSON values: objects that keep the order of their keys, the values inside a value, references and text.

mod descendants;
mod object;
mod reference;
mod to_text;

pub use descendants::descendants;
pub use object::{object, remove_entry};
pub use reference::{definition_name, escaped_token, referenced};
pub(crate) use reference::{percent_decoded, unescaped_token};
pub use to_text::to_text;
