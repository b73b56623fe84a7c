//! Rules about tools and arguments that a registry does not have.

use crate::Rules;
use crate::pattern::Pattern;
use serde_json::Value;
use tool_runtime::Registry;

impl Rules {
    /// A message for each rule or declared command whose pattern matches no tool of this registry, or whose argument none of
    /// the matching tools has. A tool that accepts unknown arguments has every argument. Calls of [`Rules::allow_like`] are
    /// not checked.
    ///
    /// A misspelt rule of `deny` protects nothing: log these messages when the program starts.
    ///
    /// ```
    /// use tool_runtime::{Registry, tool, tools};
    /// use tool_runtime_approval::{Rule, Rules};
    ///
    /// /// Runs a command in a shell.
    /// #[tool(destructive)]
    /// async fn run_command(command: &str) {}
    ///
    /// let rules = Rules::new().deny("run_comand").ask(Rule::tool("run_*").argument("comand", "rm *"));
    /// let registry = Registry::new(tools![run_command])?;
    /// assert_eq!(
    ///     rules.unknown_names(&registry),
    ///     ["no tool has the name `run_comand`", "no tool with the name `run_*` has the argument `comand`"]
    /// );
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn unknown_names(&self, registry: &Registry) -> Vec<String> {
        let tools: Vec<(&str, Value)> = registry
            .tools()
            .map(|tool| {
                // The schema of a tool is always an object.
                let parameters = serde_json::from_str(tool.schema.parameters().get()).unwrap_or_default();
                (tool.schema.name(), parameters)
            })
            .collect();
        let mut unknown = Vec::new();
        for (tool, argument) in self.names() {
            let mut named = tools.iter().filter(|(name, _)| tool.matches(name)).peekable();
            let tool = tool.as_str();
            if named.peek().is_none() {
                unknown.push(format!("no tool has the name `{tool}`"));
            } else if let Some(argument) = argument.filter(|argument| {
                let mut parameters = named.map(|(_, parameters)| parameters);
                !parameters.any(|parameters| may_have(parameters, argument))
            }) {
                unknown.push(format!("no tool with the name `{tool}` has the argument `{argument}`"));
            }
        }
        unknown.dedup();
        unknown
    }

    /// The patterns of tools of all rules, each with one of its arguments if it has any.
    fn names(&self) -> impl Iterator<Item = (&Pattern, Option<&str>)> {
        let commands = self.commands.iter().map(|command| (&command.tool, Some(&*command.argument)));
        let rules = self.deny.iter().chain(&self.ask).chain(&self.allow);
        commands.chain(rules.flat_map(|rule| {
            let arguments = rule.arguments.keys().map(|name| (&rule.tool, Some(&**name)));
            let tool = rule.arguments.is_empty().then_some((&rule.tool, None));
            tool.into_iter().chain(arguments)
        }))
    }
}

/// Whether an object of this schema may have the property.
fn may_have(parameters: &Value, name: &str) -> bool {
    parameters["additionalProperties"] != Value::Bool(false) || parameters["properties"].get(name).is_some()
}
