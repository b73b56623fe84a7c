//! Strings that are borrowed from JSON text, and the functions for JSON of `tool-runtime-schema`.

mod text;

pub(crate) use text::Text;
pub(crate) use tool_runtime_schema::json::{
    Entries, JsonString, Number, ObjectEnd, Scanner, SplitPairs, TypeSet, canonical, canonical_text,
    definition_name, descendants, escaped_token, integer_from_float, json_in_string, may_be_only_item,
    nesting, object, pairs, referenced, remove_entry, replace_lone_surrogates, sorted_text, to_text,
};
