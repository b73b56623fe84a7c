//! The verdict about a call, with its reason.

use crate::rule::Rule;
use crate::rules::AllowedCall;
use std::fmt;

/// The verdict of [`Rules`](crate::Rules) about a call, and why. The text is for a person: "allowed by the rule `read_*`".
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Verdict<'a> {
    /// A rule denies the call.
    Denied(&'a Rule),
    /// A person has allowed exactly this call.
    AllowedCall(&'a AllowedCall),
    /// A rule lets a person decide.
    Asks(&'a Rule),
    /// It is unclear whether the rule is about the call, so a person decides.
    Unclear {
        /// The first of the rules that may be about the call.
        rule: &'a Rule,
        /// The reason why it is unclear.
        reason: &'static str,
    },
    /// A rule allows the call.
    Allowed(&'a Rule),
    /// No rule is about the call.
    Undecided,
}

impl fmt::Display for Verdict<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Denied(rule) => write!(formatter, "denied by the rule {rule}"),
            Verdict::AllowedCall(call) => write!(formatter, "allowed before: {call}"),
            Verdict::Asks(rule) => write!(formatter, "a person decides by the rule {rule}"),
            Verdict::Unclear { rule, reason } => {
                write!(formatter, "a person decides, since the rule {rule} may be about the call: {reason}")
            }
            Verdict::Allowed(rule) => write!(formatter, "allowed by the rule {rule}"),
            Verdict::Undecided => formatter.write_str("no rule is about the call"),
        }
    }
}
