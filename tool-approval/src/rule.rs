//! One rule: a pattern of names of tools, and patterns of arguments.

use crate::matching::{Match, ReadCall};
use crate::pattern::Pattern;
use crate::unique_keys;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// The calls that a [`Rules`](crate::Rules) list is about: a pattern of the name of the tool, and patterns of arguments, which
/// must all match. [Patterns](crate#patterns) describes them.
///
/// A rule without patterns of arguments is about every call of the tool; a string converts into one. In JSON, it is a string,
/// and any other rule is an object:
///
/// ```
/// use tool_runtime_approval::Rule;
///
/// assert_eq!(serde_json::to_string(&Rule::tool("read_*"))?, r#""read_*""#);
/// let rule = Rule::tool("run_command").argument("command", "git *");
/// let text = r#"{"tool":"run_command","arguments":{"command":"git *"}}"#;
/// assert_eq!(serde_json::to_string(&rule)?, text);
/// assert_eq!(serde_json::from_str::<Rule>(text)?, rule);
/// assert_eq!(rule.to_string(), "`run_command` with `command`: `git *`");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    pub(crate) tool: Pattern,
    pub(crate) arguments: BTreeMap<String, Pattern>,
}

impl Rule {
    /// A rule about every call of the tools whose name matches the pattern. An empty pattern matches no tool.
    #[must_use]
    pub fn tool(pattern: impl Into<String>) -> Self {
        Rule { tool: Pattern::new(pattern.into()), arguments: BTreeMap::new() }
    }

    /// Restricts the rule to calls whose argument matches the pattern. A second pattern for the same argument replaces the
    /// first one.
    #[must_use]
    pub fn argument(mut self, name: impl Into<String>, pattern: impl Into<String>) -> Self {
        self.arguments.insert(name.into(), Pattern::new(pattern.into()));
        self
    }

    /// Whether the call is one that the rule denies or asks about.
    pub(crate) fn concerns(&self, call: &ReadCall<'_>) -> Match {
        if !self.tool.matches(call.tool) {
            return Match::No;
        }
        let matches = self.arguments.iter().map(|(name, pattern)| call.concerns(name, pattern));
        matches.fold(Match::Yes, Match::and)
    }

    /// Whether the rule allows the call.
    pub(crate) fn allows(&self, call: &ReadCall<'_>) -> bool {
        self.tool.matches(call.tool)
            && !(call.requires_approval && self.tool.has_wildcard())
            && self.arguments.iter().all(|(name, pattern)| call.allows(name, pattern))
    }

    /// Why a command cannot be compared with the patterns of the rule.
    pub(crate) fn doubt(&self, call: &ReadCall<'_>) -> Option<&'static str> {
        let mut names = self.arguments.keys().filter(|_| self.tool.matches(call.tool));
        names.find_map(|name| call.doubt(name))
    }

    /// The reason that the model receives for a denied call.
    pub(crate) fn denial(&self, tool: &str) -> String {
        let patterns: Vec<_> = self.arguments.iter().collect();
        let denied = match &patterns[..] {
            [] => format!("`{tool}` is denied by a rule"),
            [(name, pattern)] => {
                format!("`{tool}` with this `{name}` is denied by a rule: `{}`", pattern.as_str())
            }
            _ => format!("`{tool}` with these arguments is denied by a rule: {}", self.patterns()),
        };
        format!("{denied}. Do it another way, or ask the user.")
    }

    fn patterns(&self) -> String {
        let patterns =
            self.arguments.iter().map(|(name, pattern)| format!("`{name}`: `{}`", pattern.as_str()));
        patterns.collect::<Vec<_>>().join(", ")
    }
}

impl From<&str> for Rule {
    fn from(pattern: &str) -> Self {
        Rule::tool(pattern)
    }
}

impl From<String> for Rule {
    fn from(pattern: String) -> Self {
        Rule::tool(pattern)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}`", self.tool.as_str())?;
        if self.arguments.is_empty() {
            return Ok(());
        }
        write!(formatter, " with {}", self.patterns())
    }
}

/// A rule with patterns of arguments, in JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleObject {
    tool: Pattern,
    #[serde(default, deserialize_with = "unique_keys::entries")]
    arguments: BTreeMap<String, Pattern>,
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Rule { tool, arguments } = self.clone();
        if arguments.is_empty() {
            return tool.serialize(serializer);
        }
        RuleObject { tool, arguments }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RuleVisitor)
    }
}

struct RuleVisitor;

impl<'de> Visitor<'de> for RuleVisitor {
    type Value = Rule;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a rule: the name of a tool, or an object with `tool` and `arguments`")
    }

    fn visit_str<E: Error>(self, tool: &str) -> Result<Rule, E> {
        named(Rule::tool(tool))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rule, A::Error> {
        let RuleObject { tool, arguments } = RuleObject::deserialize(MapAccessDeserializer::new(map))?;
        named(Rule { tool, arguments })
    }
}

/// A rule of a file whose pattern can match a tool.
fn named<E: Error>(rule: Rule) -> Result<Rule, E> {
    if rule.tool.as_str().is_empty() {
        return Err(E::custom("the name of the tool is empty: write a name, or `*` for every tool"));
    }
    Ok(rule)
}
