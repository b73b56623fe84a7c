//! The lists of rules, and the verdict about a call.

use crate::matching::{Match, ReadCall};
use crate::pattern::Pattern;
use crate::rule::Rule;
use crate::unique_keys;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use tool_runtime::conversation::WaitingCall;
use tool_runtime::dispatch::{Decision, ProposedCall};

/// Rules about calls: which are denied, which ask a person, and which are allowed. The [front page](crate) describes how they
/// decide, and their form as a settings file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) commands: Vec<CommandArgument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) deny: Vec<Rule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ask: Vec<Rule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) allow: Vec<Rule>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allow_calls: Vec<AllowedCall>,
}

/// An argument that is a command of a shell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandArgument {
    pub(crate) tool: Pattern,
    pub(crate) argument: String,
}

/// A call that is allowed with exactly these arguments. It contains no pattern, so no edit of a text makes it wider by mistake.
///
/// [`Rules::allow_like`] adds one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowedCall {
    tool: String,
    #[serde(deserialize_with = "unique_keys::values")]
    arguments: BTreeMap<String, Value>,
}

impl Rules {
    /// No rules: every call is [`Verdict::Undecided`].
    #[must_use]
    pub fn new() -> Self {
        Rules::default()
    }

    /// Declares that an argument of the tools whose name matches the pattern is a command of a shell such as `sh` or `bash`, or an
    /// array with a program and its arguments. [Commands](crate#commands) describes how rules match it.
    ///
    /// Without it, the argument is a plain text: `git *` would allow `git status; rm x`. With it, rules of `deny` and `ask`
    /// match more calls. A rule of `allow` matches fewer texts, with two exceptions: `git *` also matches `git` alone, and
    /// the words of an array are matched together.
    #[must_use]
    pub fn command(mut self, tool: impl Into<String>, argument: impl Into<String>) -> Self {
        let declared = CommandArgument { tool: Pattern::new(tool.into()), argument: argument.into() };
        add(&mut self.commands, declared);
        self
    }

    /// Denies the calls that the rule is about.
    #[must_use]
    pub fn deny(mut self, rule: impl Into<Rule>) -> Self {
        add(&mut self.deny, rule.into());
        self
    }

    /// Lets a person decide about the calls that the rule is about.
    #[must_use]
    pub fn ask(mut self, rule: impl Into<Rule>) -> Self {
        add(&mut self.ask, rule.into());
        self
    }

    /// Allows the calls that the rule is about, without asking a person. A rule that is only the name of a tool allows every call
    /// of it, whatever its arguments.
    ///
    /// For a tool with `requires_approval`, a rule counts only if it names the tool: one with a wildcard in the name does not.
    #[must_use]
    pub fn allow(mut self, rule: impl Into<Rule>) -> Self {
        add(&mut self.allow, rule.into());
        self
    }

    /// Allows later calls of the same tool with exactly the same arguments: for "always allow this", after a person has seen the
    /// call. Commands are the same if their text is. Such a call does not ask again, even if a rule of
    /// [`ask`](Rules::ask) is about it; one that is denied stays denied.
    ///
    /// Returns whether such calls are allowed now, apart from rules that deny them. It is false if the arguments are not an
    /// object, repeat a key, or have a number that cannot be compared exactly.
    ///
    /// `rules.allow(call.tool.clone())` is a different rule: it allows all calls of the tool.
    ///
    /// ```
    /// use tool_runtime::conversation::WaitingCall;
    /// use tool_runtime_approval::Rules;
    ///
    /// # let text = r#"{"id": "1", "tool": "run_command", "arguments": "{\"command\":\"rm * | cat\"}"}"#;
    /// # let waiting: WaitingCall = serde_json::from_str(text)?;
    /// let mut rules = Rules::new();
    /// assert!(rules.allow_like(&waiting)); // from `Session::awaiting_approval`
    /// assert_eq!(
    ///     serde_json::to_string(&rules)?,
    ///     r#"{"allow_calls":[{"tool":"run_command","arguments":{"command":"rm * | cat"}}]}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn allow_like(&mut self, call: &WaitingCall) -> bool {
        let Some(arguments) = unique_keys::object(&call.arguments) else { return false };
        add(&mut self.allow_calls, AllowedCall { tool: call.tool.clone(), arguments });
        true
    }

    /// Adds the rules of another list: those of a project to those of a user, or new ones to those of a running program. The order
    /// does not matter.
    pub fn extend(&mut self, other: Rules) {
        other.commands.into_iter().for_each(|argument| add(&mut self.commands, argument));
        other.deny.into_iter().for_each(|rule| add(&mut self.deny, rule));
        other.ask.into_iter().for_each(|rule| add(&mut self.ask, rule));
        other.allow.into_iter().for_each(|rule| add(&mut self.allow, rule));
        other.allow_calls.into_iter().for_each(|call| add(&mut self.allow_calls, call));
    }

    /// The rules without those that allow calls: for a file from somebody whom the user does not trust to allow anything, such as
    /// the one in a repository that was just downloaded.
    #[must_use]
    pub fn without_allowed(self) -> Self {
        Rules { allow: Vec::new(), allow_calls: Vec::new(), ..self }
    }

    /// The decision for a [`before_call`](tool_runtime::RegistryBuilder::before_call) hook: the [verdict](Rules::verdict) as
    /// a [`Decision`]. A denied call gets a reason for the model, an unclear one asks a person, and one that no rule is about
    /// is [`Decision::Undecided`].
    #[must_use]
    pub fn decide(&self, call: &ProposedCall) -> Decision {
        match self.verdict(call) {
            Verdict::Denied(rule) => Decision::Deny(rule.denial(call.tool())),
            Verdict::Asks(_) | Verdict::Unclear { .. } => Decision::Ask,
            Verdict::AllowedCall(_) | Verdict::Allowed(_) => Decision::Run,
            Verdict::Undecided => Decision::Undecided,
        }
    }

    /// The verdict about the call, with the rule that gives it, for a page that shows it.
    ///
    /// ```
    /// use tool_runtime::Registry;
    /// use tool_runtime_approval::Rules;
    ///
    /// let rules = Rules::new().allow("read_*");
    /// let builder = Registry::builder().before_call(move |call| {
    ///     println!("{}: {}", call.tool(), rules.verdict(&call)); // read_index: allowed by the rule `read_*`
    ///     let decision = rules.decide(&call);
    ///     async move { decision }
    /// });
    /// ```
    #[must_use]
    pub fn verdict(&self, call: &ProposedCall) -> Verdict<'_> {
        let requires_approval = call.policy().requires_approval;
        let call = ReadCall::new(call.tool(), call.arguments(), requires_approval, &self.commands);
        let concerns =
            |rules: &'_ [Rule]| -> Vec<Match> { rules.iter().map(|rule| rule.concerns(&call)).collect() };
        let (denies, asks) = (concerns(&self.deny), concerns(&self.ask));
        let certain = |matches: &[Match]| matches.iter().position(|found| *found == Match::Yes);
        if let Some(position) = certain(&denies) {
            return Verdict::Denied(&self.deny[position]);
        }
        if let Some(allowed) = self.allow_calls.iter().find(|allowed| allowed.is(&call)) {
            return Verdict::AllowedCall(allowed);
        }
        if let Some(position) = certain(&asks) {
            return Verdict::Asks(&self.ask[position]);
        }
        let restricting = self.deny.iter().zip(&denies).chain(self.ask.iter().zip(&asks));
        let mut unclear = restricting.filter_map(|(rule, found)| match found {
            Match::Maybe(reason) => Some((rule, *reason)),
            Match::No | Match::Yes => None,
        });
        if let Some((rule, reason)) = unclear.next() {
            return Verdict::Unclear { rule, reason };
        }
        if let Some(rule) = self.allow.iter().find(|rule| rule.allows(&call)) {
            return Verdict::Allowed(rule);
        }
        // Whether a rule allows a command that cannot be read is unclear too.
        let unclear = self.allow.iter().find_map(|rule| Some((rule, rule.doubt(&call)?)));
        unclear.map_or(Verdict::Undecided, |(rule, reason)| Verdict::Unclear { rule, reason })
    }
}

impl AllowedCall {
    fn is(&self, call: &ReadCall<'_>) -> bool {
        self.tool == call.tool && call.arguments.as_ref() == Some(&self.arguments)
    }
}

/// Adds an item once.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

impl fmt::Display for AllowedCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let json = Value::from_iter(self.arguments.clone());
        let mut arguments = String::new();
        // JSON escapes control characters; the others that change how a text looks are escaped here.
        for character in json.to_string().chars() {
            match character {
                '"' | '\'' | '\\' => arguments.push(character),
                other => arguments.extend(other.escape_debug()),
            }
        }
        write!(formatter, "`{}` with exactly {arguments}", self.tool)
    }
}
