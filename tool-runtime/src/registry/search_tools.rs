//! The two tools of a search.

use super::Config;
use super::candidate::Candidate;
use super::search::Tool;
use crate::schema::{SchemaError, ToolSchema};
use crate::search::{Catalog, DEFAULT_LIMIT, Findable, Scope, Search};
use crate::tool::{Body, DynamicTool, ToolEntry};
use crate::tool_name::{CALL_TOOL, SEARCH_TOOLS};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tool_runtime_schema::schema_text;

/// The settings of a search, `search_tools`, without tools to find, and `call_tool`.
pub(super) struct SearchTools {
    pub(super) settings: Search,
    search: Tool,
    call: Tool,
}

impl SearchTools {
    /// The tools of a registry with this configuration.
    pub(super) fn new(settings: Search, config: &Config) -> Result<Self, SchemaError> {
        let configured = |(schema, mut tool): (ToolSchema, ToolEntry)| {
            config.apply_to(&mut tool);
            (schema, Arc::new(tool))
        };
        let (search, call) = (configured(search_tool(&settings)?), configured(call_tool()?));
        Ok(SearchTools { settings, search, call })
    }

    /// The tools, for these tools to find.
    pub(super) fn bind(&self, catalog: &Arc<Catalog>, scope: &Arc<Scope>) -> [Tool; 2] {
        let (schema, tool) = &self.search;
        let bound = (Arc::clone(catalog), Arc::clone(scope));
        let search = DynamicTool::with_context("", "", Value::Null, move |arguments, call| {
            let (catalog, scope) = bound.clone();
            async move {
                let findable = Findable { catalog: &catalog, scope: &scope, run: &call.run };
                let query = arguments.get("query").and_then(Value::as_str).unwrap_or_default();
                let limit = arguments.get("limit").and_then(Value::as_u64);
                findable.search(query, limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))).await
            }
        });
        let search = ToolEntry { body: Body::Dynamic(search.handler), ..ToolEntry::clone(tool) };
        [(schema.clone(), Arc::new(search)), self.call.clone()]
    }
}

fn search_tool(settings: &Search) -> Result<(ToolSchema, ToolEntry), SchemaError> {
    let subject = match &*settings.subject {
        "" => String::new(),
        subject => format!(" for {subject}"),
    };
    let description = format!(
        "Finds further tools{subject}. Use it if no other tool fits the task. Returns the names, descriptions and \
         parameters of the best matches."
    );
    let max = settings.max_results;
    let default = DEFAULT_LIMIT.min(max);
    let parameters = json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "A task in a few words, for example \"create an issue\", or the name of a tool.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "description": format!("The number of tools; {default} by default, at most {max}."),
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    let unbound = |_: Map<String, Value>| async { Ok::<_, String>(()) };
    let tool = DynamicTool::new(SEARCH_TOOLS, description, parameters, unbound).read_only();
    Candidate::from_dynamic(SEARCH_TOOLS.to_owned(), tool).map(Candidate::into_tool)
}

fn call_tool() -> Result<(ToolSchema, ToolEntry), SchemaError> {
    let parameters = |arguments: Value| {
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "description": "The name of the tool." },
                "arguments": arguments,
            },
            "required": ["name"],
            "additionalProperties": false,
        })
    };
    let description =
        "Calls a tool by its name, with arguments that match its schema. `search_tools` finds both.";
    let strict_parameters =
        parameters(json!({ "type": "string", "description": "The arguments: the text of one JSON object." }));
    let published = parameters(json!({ "type": "object", "description": "The arguments of the tool." }));
    // The other forms of `arguments` are valid in every call, since a model may write either.
    let enforced = parameters(json!({ "type": ["object", "string", "null"] }));
    // A call with valid arguments is that of the tool itself: only a call of `call_tool` arrives here.
    let handler = |_: Map<String, Value>| async {
        Err::<String, _>("`call_tool` cannot call itself. Pass the name and the arguments of another tool.")
    };
    let tool = DynamicTool::new(CALL_TOOL, description, enforced, handler);
    let (_, tool) = Candidate::from_dynamic(CALL_TOOL.to_owned(), tool).map(Candidate::into_tool)?;
    let schema = ToolSchema::with_strict_parameters(
        CALL_TOOL.into(),
        description.into(),
        schema_text(&published)?,
        schema_text(&strict_parameters)?,
    );
    Ok((schema, tool))
}
