//! The check of a request by the rules of its provider.

use crate::rejected::{RejectedError, invalid};
use crate::rules::rules_of;
use serde_json::Value;
use tool_runtime::wire::Wire;

/// Checks the body of a request by the rules of the providers that accept the format of this wire: the pairing of calls
/// and results, empty contents, unknown fields, names of tools, and response formats.
///
/// For [`ChatCompletions`](tool_runtime::wire::ChatCompletions), the rules are those that its providers have in common. A wire that
/// wraps another one has the rules of that wire, if it returns its name. The fields of the program, such as `model`, are not
/// checked.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::wire::ChatCompletions;
/// use tool_runtime_testing::check_request;
///
/// let orphan = json!({"role": "tool", "tool_call_id": "call_1", "content": "sunny"});
/// let body = json!({"messages": [{"role": "user", "content": "Beijing?"}, orphan]});
/// let rejected = check_request(&ChatCompletions::new(), &body).expect_err("there is no call");
/// assert!(rejected.message.contains("messages with role 'tool' must be a response"));
/// ```
///
/// A [`Request`](tool_runtime::conversation::Request) has valid messages, so a test of an invalid request writes the messages
/// itself: `wire.write(&RequestParts::new(&messages))`, and `serde_json::to_value` of the body.
///
/// # Errors
///
/// The request breaks a rule; the error has the message of a provider for the first one.
pub fn check_request(wire: &dyn Wire, body: &Value) -> Result<(), RejectedError> {
    let name = wire.name();
    match rules_of(name) {
        Some(rules) => (rules.check)(wire, body),
        None => invalid(format!(
            "there are no rules for the wire `{name}`: a wire that wraps another one returns its name"
        )),
    }
}
