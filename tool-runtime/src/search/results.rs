//! The result of a search.

use super::documented_signature;
use super::settings::Search;
use crate::message::Part;
use crate::output::ToolOutput;
use crate::schema::ToolSchema;
use std::fmt::Write as _;
use tool_runtime_search::one_line;

/// In characters. Descriptions of remote servers may have thousands.
const MAX_DESCRIPTION: usize = 200;
const MAX_FULL_DESCRIPTION: usize = 1_000;

/// In bytes. A larger schema is replaced by the signature.
const MAX_SCHEMA: usize = 4_000;

/// The tools that a search has found, the best first.
pub(super) struct Results<'a> {
    pub(super) found: &'a [&'a ToolSchema],
    /// The names of matching pinned tools, if no other tool matches.
    pub(super) pinned: Vec<&'a str>,
    /// Whether there is no tool to find.
    pub(super) is_empty: bool,
    pub(super) settings: &'a Search,
}

impl Results<'_> {
    /// The description of the tools for the model, and a reference to each.
    pub(super) fn into_output(self) -> ToolOutput {
        let Results { found, settings, .. } = self;
        if found.is_empty() {
            return self.no_match().into();
        }
        let mut text = match found.len() {
            1 => "The best match.".to_owned(),
            tools => format!("The {tools} best matches, the best first."),
        };
        text.push_str(" If one fits, call it with `call_tool`; otherwise search with other words.\n");
        for (index, tool) in found.iter().enumerate() {
            let is_full = index < settings.full_schemas;
            let schema = Some(tool.parameters().get()).filter(|schema| is_full && schema.len() <= MAX_SCHEMA);
            text.push('\n');
            let head = schema.map_or_else(|| documented_signature(tool), |_| tool.name().to_owned());
            text.push_str(&head);
            let limit = if schema.is_some() { MAX_FULL_DESCRIPTION } else { MAX_DESCRIPTION };
            let description = one_line(tool.description(), limit);
            if !description.is_empty() {
                let _ = write!(text, "\n{description}");
            }
            if let Some(schema) = schema {
                let _ = write!(text, "\nSchema of its arguments: {schema}");
            }
            text.push('\n');
        }
        let output = ToolOutput::new().with_text(text.trim_end());
        found.iter().fold(output, |output, tool| output.with_part(Part::tool_reference(tool.name())))
    }

    fn no_match(&self) -> String {
        if !self.pinned.is_empty() {
            let names = self.pinned.join("`, `");
            return format!("No further tool matches. Call these matching tools directly: `{names}`.");
        }
        if self.is_empty {
            return "There are no further tools.".to_owned();
        }
        "No tool matches. Search with other words for the task, its objects or its data.".to_owned()
    }
}
