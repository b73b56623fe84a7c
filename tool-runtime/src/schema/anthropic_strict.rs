//! Anthropic's strict form of the parameters of a tool.

use serde_json::value::RawValue;

/// A tool's parameters in Anthropic's strict form, and how much of the limits of a request they take.
///
/// The server accepts a request if its strict tools together have at most 24 optional properties and 16 unions, and
/// there are at most 20 of them. Other tools do not count.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnthropicStrict {
    /// The JSON Schema of the arguments.
    pub parameters: Box<RawValue>,
    /// The number of properties that are not required.
    pub optional: usize,
    /// The number of schemas with alternatives (`anyOf`).
    pub unions: usize,
}
