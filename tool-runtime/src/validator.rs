//! A validator of JSON text against a compiled schema.
//!
//! The decoder of a type and its schema do not always agree: a tool accepts only values that both accept.

mod budget;
mod compile;
mod cycles;
mod enum_values;
mod expectation;
mod limits;
mod node;
mod object;
mod pattern;
mod report;
mod suggestion;
mod unions;
mod validation;

pub(crate) use budget::{Budget, Stop};
use enum_values::EnumValues;
pub(crate) use limits::{ExceededLimit, drop_without_recursion};
pub(crate) use node::{Node, NodeId};
pub(crate) use report::{push_index, push_key};
pub(crate) use suggestion::suggest_unknown;

use crate::json::Scanner;
use crate::outcome::ArgumentError;
use report::Report;
use serde_json::Value;
use validation::Validation;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Validator {
    nodes: Vec<Node>,
    pub(crate) root: NodeId,
    pub(crate) unsupported_keywords: Vec<String>,
}

/// The result of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    Valid,
    /// Valid, and an integer is written as `1.0`, which serde's integers do not decode.
    WithIntegralFloats,
    /// Invalid, or a limit was reached.
    Invalid,
}

impl Validator {
    pub(crate) fn new(schema: &Value) -> Result<Self, ExceededLimit> {
        compile::compile(schema)
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Validates the value at the start of a text, which must be JSON: the caller parses the same text, before or after.
    pub(crate) fn validity(&self, node: NodeId, json: &str, budget: &mut Budget) -> Validity {
        let mut validation = Validation::new(self, None, budget);
        match validation.next(node, &mut Scanner::new(json)) {
            Ok(()) if validation.found.integral_float => Validity::WithIntegralFloats,
            Ok(()) => Validity::Valid,
            Err(_) => Validity::Invalid,
        }
    }

    /// Whether the arguments as a whole are valid, integers such as `1.0` included. They must be JSON.
    pub(crate) fn accepts(&self, arguments: &str) -> bool {
        self.validity(self.root, arguments, &mut Budget::new(arguments)) != Validity::Invalid
    }

    /// Returns every error of a JSON value. `path` is the path of the value, empty for the arguments as a whole.
    #[cold]
    pub(crate) fn errors(
        &self,
        node: NodeId,
        path: &str,
        json: &str,
        budget: &mut Budget,
    ) -> Vec<ArgumentError> {
        let mut validation = Validation::new(self, Some(Report::new(path)), budget);
        let ended = validation.value(node, json);
        let mut errors = validation.report.map(|report| report.errors).unwrap_or_default();
        if let (Err(Stop::LimitReached), true) = (ended, errors.is_empty()) {
            let problem = "it takes too long to validate; send a smaller or simpler value".to_owned();
            errors.push(ArgumentError::invalid(path.to_owned(), problem));
        }
        errors
    }
}
