//! The result of a search.

use super::settings::Search;
use super::documented_signature;
use crate::output::ToolOutput;
use crate::schema::ToolSchema;
use std::fmt::Write as _;

/// In characters. Descriptions of remote servers may have thousands, and the model can read a whole one in a later search.
const MAX_DESCRIPTION: usize = 200;
const MAX_FULL_DESCRIPTION: usize = 1_000;

/// In bytes. A larger schema is replaced by the signature.
const MAX_SCHEMA: usize = 4_000;

/// The tools that a search has found, the best first.
pub(super) struct Results<'a> {
    pub(super) found: &'a [&'a ToolSchema],
    /// Matching tools of the request, if no other tool matches.
    pub(super) listed: Vec<&'a str>,
    pub(super) settings: &'a Search,
}

impl Results<'_> {
    /// The description of the tools for the model, and a reference to each.
    pub(super) fn into_output(self) -> ToolOutput {
        let Results { found, listed, settings } = self;
        if found.is_empty() {
            return no_match(&listed).into();
        }
        let mut text = match found.len() {
            1 => "The best match.".to_owned(),
            tools => format!("The {tools} best matches, the best first."),
        };
        text.push_str(" If one fits, call it with `call_tool`; otherwise search with other words.\n");
        for (index, tool) in found.iter().enumerate() {
            let schema = Some(tool.parameters().get()).filter(|schema| schema.len() <= MAX_SCHEMA);
            text.push('\n');
            if let Some(schema) = schema.filter(|_| index < settings.full_schemas.0) {
                let description = Start(tool.description(), MAX_FULL_DESCRIPTION);
                let _ = writeln!(text, "{}\n{description}\nSchema of its arguments: {schema}", tool.name());
            } else {
                let description = Start(tool.description(), MAX_DESCRIPTION);
                let _ = writeln!(text, "{}\n{description}", documented_signature(tool));
            }
        }
        let output = ToolOutput::new().with_text(text.trim_end());
        found.iter().fold(output, |output, tool| output.with_tool_reference(tool.name()))
    }
}

fn no_match(listed: &[&str]) -> String {
    let mut text = "No tool matches. Search with other words for the task, its objects or its data.".to_owned();
    if !listed.is_empty() {
        let _ = write!(text, " Tools that you can call without a search match: `{}`.", listed.join("`, `"));
    }
    text
}

/// The first characters of a text.
struct Start<'a>(&'a str, usize);

impl std::fmt::Display for Start<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.char_indices().nth(self.1) {
            Some((end, _)) => write!(f, "{}…", self.0[..end].trim_end()),
            None => f.write_str(self.0.trim_end()),
        }
    }
}
