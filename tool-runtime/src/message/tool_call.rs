//! Calls that the model requests.

use super::Extra;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Map, Value};

/// The further field of a call about which the provider asks a person. Only a wire sets it.
pub(crate) const ASKS_APPROVAL: &str = "asks_approval";

/// One call of a tool that the model requests: the tool and its arguments.
///
/// ```
/// use tool_runtime::ToolCall;
///
/// let call: ToolCall = serde_json::from_str(
///     r#"{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":{"city":"Beijing"}}}"#,
/// )?;
/// assert_eq!(call, ToolCall::new("call_1", "get_weather", r#"{"city":"Beijing"}"#));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The id that the `tool_call_id` of the tool message must have. Unique within one message at most: several servers
    /// count from `call_0` in each. Empty if the server sent none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments, as the model wrote them: the text of one JSON object if the call is well-formed. If a server sent
    /// an object instead of a string, the text is that object as `serde_json` writes it.
    pub arguments: String,
    pub(crate) is_truncated: bool,
    /// Whether its model received definitions in which every argument is required, so that null means an absent one.
    pub(crate) null_is_absent: bool,
    /// Other fields of a call that was read.
    pub(crate) extra: Extra,
}

/// Calls are equal if the model wrote the same, whatever definitions it received.
impl PartialEq for ToolCall {
    fn eq(&self, other: &Self) -> bool {
        let ToolCall { id, name, arguments, is_truncated, null_is_absent: _, extra } = self;
        (id, name, arguments, is_truncated, extra)
            == (&other.id, &other.name, &other.arguments, &other.is_truncated, &other.extra)
    }
}

impl ToolCall {
    /// A call, for tests and for histories made by hand.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        ToolCall {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            is_truncated: false,
            null_is_absent: false,
            extra: Extra::default(),
        }
    }

    /// Whether the reply ended within this call. Such a call never runs; its tool message reports that it was truncated.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// A further field of a call that was read, such as `extra_content`.
    #[must_use]
    pub fn extra(&self, field: &str) -> Option<&Value> {
        self.extra.get(field)
    }

    /// Whether the provider asks a person about the call.
    pub(crate) fn asks_approval(&self) -> bool {
        self.extra.get(ASKS_APPROVAL).is_some()
    }

    /// Replaces the arguments, as an approval or a coercion does.
    pub(crate) fn set_arguments(&mut self, arguments: String) {
        self.arguments = arguments;
        self.is_truncated = false;
    }

    /// Whether another call with this id and name states this call again. Some gateways use the name of the tool as the
    /// id of all its calls.
    pub(crate) fn is_stated_by(&self, id: &str, name: &str) -> bool {
        !id.is_empty() && self.id == id && self.name == name && id != name
    }

    /// Takes arguments that the server states for this call once more, and returns whether they replace missing ones.
    /// Objects that contradict the arguments follow them. The arguments are no object then, so that the call does not run.
    pub(crate) fn state_arguments_again(&mut self, again: &str) -> bool {
        if means_none(again) {
            return false;
        }
        if means_none(&self.arguments) || is_empty_object(&self.arguments) {
            again.clone_into(&mut self.arguments);
            return true;
        }
        if self.is_contradicted_by(again) {
            self.arguments.push_str(again);
        }
        false
    }

    /// Whether the text begins with objects, of which one is neither empty nor the arguments of this call.
    pub(crate) fn is_contradicted_by(&self, again: &str) -> bool {
        let known =
            is_comparable(&self.arguments, again).then(|| serde_json::from_str::<Value>(&self.arguments));
        let known = known.and_then(Result::ok);
        let is_empty = |object: &Value| object.as_object().is_some_and(Map::is_empty);
        let mut objects = Deserializer::from_str(again).into_iter::<Value>().map_while(Result::ok);
        objects.any(|object| !is_empty(&object) && Some(&object) != known.as_ref())
    }

    /// Whether the arguments are one JSON object, or mean no arguments.
    pub(crate) fn has_an_object(&self) -> bool {
        is_object(&self.arguments) || means_none(&self.arguments)
    }
}

/// Whether the text means no arguments: it is empty, white space, or null, which some servers encode twice as `"null"`.
pub(crate) fn means_none(arguments: &str) -> bool {
    matches!(arguments.trim(), "" | "null" | "\"null\"" | "\"\"")
}

/// Whether the text is an object without entries.
pub(crate) fn is_empty_object(arguments: &str) -> bool {
    let content = arguments.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    content.is_some_and(|content| content.trim().is_empty())
}

/// Whether two texts are the same JSON value.
pub(crate) fn is_same_value(one: &str, other: &str) -> bool {
    let value = |text| serde_json::from_str::<Value>(text).ok();
    is_comparable(one, other) && (one == other || value(one).is_some_and(|one| Some(one) == value(other)))
}

/// Whether two texts have such lengths that they can be the same JSON value: white space and escapes change the length.
/// The comparison of a long text with many short ones would otherwise take quadratic time.
fn is_comparable(one: &str, other: &str) -> bool {
    const MAX_RATIO: usize = 16;
    let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
    longer <= (shorter + MAX_RATIO) * MAX_RATIO
}

pub(crate) fn is_object(arguments: &str) -> bool {
    if !arguments.trim_start().starts_with('{') {
        return false;
    }
    // `IgnoredAny` accepts half of a surrogate pair, which no parser of strings accepts.
    if arguments.contains("\\u") {
        serde_json::from_str::<Value>(arguments).is_ok()
    } else {
        serde_json::from_str::<IgnoredAny>(arguments).is_ok()
    }
}
