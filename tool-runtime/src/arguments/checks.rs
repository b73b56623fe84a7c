//! What the arguments of one tool are held to beside what their decoders say.

use super::Parameter;
use crate::check::{Checker, RuleId};
use crate::json::Text;
use serde_json::Value;

/// The schema of a tool as a checker, and what each parameter needs of it.
#[derive(Debug)]
pub(crate) struct Checks {
    checker: Checker,
    parameters: Vec<Check>,
}

/// What holds for one parameter.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) name: &'static str,
    /// The name as JSON, in its quotes.
    pub(super) key: Box<str>,
    pub(super) rule: RuleId,
    /// Whether its type takes what its schema does not admit. A plain scalar, or a list of these, does not.
    pub(super) is_needed: bool,
}

impl Checks {
    /// `is_plain[i]` says of `parameters[i]` that its decoder and its schema agree by themselves.
    pub(crate) fn of_parameters(schema: &Value, parameters: &[Parameter], is_plain: &[bool]) -> Self {
        let checker = Checker::new(schema);
        let of_parameter = |(parameter, is_plain): (&Parameter, &bool)| {
            let is_narrowed =
                parameter.keywords.iter().any(|(keyword, _)| !matches!(*keyword, "format" | "examples"));
            let rule = checker
                .rule(checker.root())
                .named_property(parameter.name)
                .map_or(RuleId::ANYTHING, |(rule, _)| rule);
            let key = Value::from(parameter.name).to_string().into();
            Check { name: parameter.name, key, rule, is_needed: is_narrowed || !is_plain }
        };
        let parameters = parameters.iter().zip(is_plain).map(of_parameter).collect();
        Checks { checker, parameters }
    }

    pub(crate) fn of_object(schema: &Value) -> Self {
        Checks { checker: Checker::new(schema), parameters: Vec::new() }
    }

    pub(crate) fn checker(&self) -> &Checker {
        &self.checker
    }

    /// In declared order; none for a tool that reads its arguments itself.
    pub(super) fn parameters(&self) -> &[Check] {
        &self.parameters
    }

    /// The rule of the argument of a parameter.
    pub(super) fn rule(&self, index: usize) -> RuleId {
        self.parameters.get(index).map_or(RuleId::ANYTHING, |check| check.rule)
    }

    /// The same, where its decoder does not suffice.
    pub(super) fn needed(&self, index: usize) -> Option<RuleId> {
        self.parameters.get(index).filter(|check| check.is_needed).map(|check| check.rule)
    }
}

/// Whether the decoder of a type takes just what its schema admits: a scalar, a list of them, or either of these as an
/// option. The name of a type is not for the compiler to keep, but one that is not known here costs no more than time. An
/// `f32` takes more, and so do integers of 128 bits.
pub(super) fn is_plain(type_name: &str) -> bool {
    let mut inner = type_name;
    while let Some(within) = inner
        .strip_prefix("core::option::Option<")
        .or_else(|| inner.strip_prefix("alloc::vec::Vec<"))
        .and_then(|rest| rest.strip_suffix('>'))
    {
        inner = within;
    }
    inner == std::any::type_name::<Text<'_>>()
        || matches!(
            inner,
            "alloc::string::String"
                | "bool"
                | "char"
                | "f64"
                | "u8"
                | "u16"
                | "u32"
                | "u64"
                | "usize"
                | "i8"
                | "i16"
                | "i32"
                | "i64"
                | "isize"
        )
}
