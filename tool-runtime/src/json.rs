//! JSON text that is read without copies, and the functions for JSON of `tool-runtime-schema`.

mod object_end;
mod pairs;
mod scanner;
mod text;

pub(crate) use object_end::ObjectEnd;
pub(crate) use pairs::pairs;
pub(crate) use scanner::{JsonString, Scanner};
pub(crate) use text::Text;
pub(crate) use tool_runtime_schema::json::{
    Entries, Nesting, SplitPairs, TypeSet, definition_name, descendants, escaped_token, integer_from_float,
    json_in_string, may_be_only_item, nesting, object, referenced, remove_entry, replace_lone_surrogates,
    sorted_text, to_text,
};
