//! The rules of a session, by the ledger and its messages alone.

use crate::ledger::{Entry, What};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use tool_runtime::message::{Message, ToolMessage};
use tool_runtime::{AssistantMessage, Session, ToolCall};

const MAY_REPEAT: [&str; 2] = ["look", "charge"];

/// The counts of all sessions.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) sessions: usize,
    calls: usize,
    succeeded: usize,
    /// Calls with the error "interrupted": before they began, between beginning and effect, after the effect.
    interrupted: [usize; 3],
    /// Calls of `read_only` and `idempotent` tools that ran more than once.
    repeated: usize,
    /// Requests whose replies were lost before they were recorded.
    asked_again: usize,
    /// Calls that a version with other tools rejects.
    other_tools: usize,
    pub(crate) violations: Vec<String>,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { sessions, calls, succeeded, interrupted: [before, within, after], repeated, .. } = self;
        let Tally { asked_again, other_tools, violations, .. } = self;
        write!(
            f,
            "{sessions} sessions, {calls} calls: {succeeded} with their results, {other_tools} rejected by other tools, interrupted: {before} \
             before, {within} during and {after} after the effect; {repeated} repeated without harm; {asked_again} requests repeated; {} \
             violations",
            violations.len()
        )
    }
}

impl Tally {
    pub(crate) fn add(&mut self, id: &str, session: &Session, ledger: &[Entry]) {
        self.sessions += 1;
        let prefix = format!("{id}:");
        let own = |entry: &&Entry| {
            entry.order.starts_with(&prefix)
                || entry.order.strip_prefix("edited ").is_some_and(|order| order.starts_with(&prefix))
        };
        let mut check = Check {
            id,
            ledger: ledger.iter().filter(own).collect(),
            orders: BTreeSet::new(),
            keys: BTreeMap::new(),
            tally: self,
        };
        check.session(session);
    }
}

struct Check<'a> {
    id: &'a str,
    ledger: Vec<&'a Entry>,
    orders: BTreeSet<String>,
    keys: BTreeMap<String, String>,
    tally: &'a mut Tally,
}

impl Check<'_> {
    fn wrong(&mut self, text: impl fmt::Display) {
        self.tally.violations.push(format!("{}: {text}", self.id));
    }

    fn session(&mut self, session: &Session) {
        if session.pending().is_some() {
            self.wrong("it has pending calls");
        }
        let messages = session.messages();
        let mut reply = 0;
        for (at, message) in messages.iter().enumerate() {
            let Message::Assistant(message) = message else { continue };
            let results = messages[at + 1..].iter().map_while(|message| match message {
                Message::Tool(result) => Some(result),
                _ => None,
            });
            self.reply(reply, message, &results.collect::<Vec<_>>());
            reply += 1;
        }
        if reply != 3 || !session.final_text().starts_with("The end of ") {
            self.wrong(format_args!("it ended with {reply} replies and {:?}", session.final_text()));
        }
        let lost: Vec<_> = self
            .ledger
            .iter()
            .filter(|entry| entry.what == What::Begun && !self.orders.contains(&entry.order))
            .collect();
        if let Some(entry) = lost.first() {
            self.tally.violations.push(format!("{}: a call of a lost reply began: {entry:?}", self.id));
        }
    }

    fn reply(&mut self, number: usize, reply: &AssistantMessage, results: &[&ToolMessage]) {
        if results.len() != reply.tool_calls.len() {
            self.wrong(format_args!(
                "reply {number} has {} calls and {} results",
                reply.tool_calls.len(),
                results.len()
            ));
        }
        let mut requests = BTreeSet::new();
        if reply.tool_calls.is_empty() {
            requests.insert(reply.text().trim_start_matches("The end of ").to_owned());
        }
        for call in &reply.tool_calls {
            let order = order(call);
            let request =
                order.trim_start_matches("edited ").rsplit_once(':').map(|(request, _)| request.to_owned());
            requests.insert(request.unwrap_or_default());
            let own: Vec<_> = results.iter().filter(|result| result.tool_call_id == call.id).collect();
            match &*own {
                [result] => self.call(call, &order, result),
                _ => self.wrong(format_args!("{} {order} has {} results", call.name, own.len())),
            }
        }
        let requests: Vec<_> = requests.into_iter().collect();
        let [request] = &*requests else {
            return self.wrong(format_args!("reply {number} is that of {requests:?}"));
        };
        self.requests(number, request);
    }

    /// The model was asked for the reply that counts, and not again after this reply was recorded. An attempt that is repeated while its
    /// reply is being recorded asks again; the first use of the reply shows that it was recorded before.
    fn requests(&mut self, number: usize, request: &str) {
        let (own, next, ended) = (
            format!("{}:{number}:", self.id),
            format!("{}:{}:", self.id, number + 1),
            format!("{}:ended", self.id),
        );
        let is_use = |entry: &Entry| match entry.what {
            What::Begun => entry.order.trim_start_matches("edited ").starts_with(&format!("{request}:")),
            What::Asked => entry.order.starts_with(&next),
            _ => entry.order == ended,
        };
        let used = self.ledger.iter().position(|entry| is_use(entry)).unwrap_or(self.ledger.len());
        let is_asked = |entry: &&&Entry| entry.what == What::Asked && entry.order.starts_with(&own);
        let asked: Vec<_> = self.ledger.iter().filter(is_asked).map(|entry| entry.order.clone()).collect();
        let late: Vec<_> =
            self.ledger[used..].iter().filter(is_asked).map(|entry| entry.order.clone()).collect();
        self.tally.asked_again += asked.len().saturating_sub(1);
        if !late.is_empty() || !asked.iter().any(|asked| asked == request) {
            self.wrong(format_args!("reply {number} is that of {request}, and the model was asked {asked:?}, of these late: {late:?}"));
        }
    }

    fn call(&mut self, call: &ToolCall, order: &str, result: &ToolMessage) {
        self.tally.calls += 1;
        let entries =
            |what| self.ledger.iter().filter(move |entry| entry.what == what && entry.order == order);
        let (begun, done, text) = (entries(What::Begun).count(), entries(What::Done).count(), result.text());
        let keys: BTreeSet<_> = entries(What::Begun).map(|entry| entry.key.clone()).collect();
        let has_effect = |prefix: &str| {
            let nonce = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix(order)).map(str::trim);
            nonce.is_some_and(|nonce| entries(What::Done).any(|entry| entry.nonce == nonce))
        };
        let is_effect = match &*call.name {
            "decline" => has_effect("Error: declined "),
            "ask" => has_effect("answered done "),
            _ => has_effect("done "),
        };
        let may_repeat = MAY_REPEAT.contains(&&*call.name);
        if !may_repeat && begun > 1 {
            self.wrong(format_args!("{} {order} began {begun} times", call.name));
        }
        if keys.len() > 1 || keys.contains("") {
            self.wrong(format_args!("{order} has the keys {keys:?}"));
        }
        for key in keys {
            if let Some(other) = self.keys.insert(key.clone(), order.to_owned()) {
                self.wrong(format_args!("{order} and {other} have the key {key}"));
            }
        }
        self.tally.repeated += usize::from(may_repeat && begun > 1);
        if is_effect {
            self.tally.succeeded += 1;
        } else if text.contains("was interrupted. It may have taken effect") && !may_repeat {
            self.tally.interrupted[begun.min(1) + done.min(1)] += 1;
        } else if matches!(&*call.name, "look" | "charge") && text.starts_with("Error: ") {
            // The next version has no tool `look`, and another tool `charge`.
            self.tally.other_tools += 1;
        } else {
            self.wrong(format_args!("{} {order} has the result {text:?}", call.name));
        }
        self.orders.insert(order.to_owned());
    }
}

fn order(call: &ToolCall) -> String {
    let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    arguments["order"].as_str().unwrap_or_default().to_owned()
}
