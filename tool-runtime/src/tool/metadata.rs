//! Metadata of a tool: neither requests nor dispatch use it.

use super::Options;
use serde_json::Value;
use std::borrow::Cow;

/// The metadata of a tool, for other parts of the program.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) output_schema: Option<Value>,
}

impl Metadata {
    /// The metadata of a function; its output schema is generated now.
    pub(crate) fn from_options(options: &Options) -> Self {
        Metadata {
            title: options.title.map(Cow::Borrowed),
            output_schema: options.output_schema.map(|schema| schema()),
        }
    }
}
