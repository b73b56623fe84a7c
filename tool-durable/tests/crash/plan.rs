//! The plan of a session, which its seed determines: the calls of the replies, the decisions of the person, and the ways in
//! which the program runs and stores the session.

use fastrand::Rng;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// A kind of a round that has more than one session with one run at a time. A round can have several kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A tool runs inner sessions.
    Inner,
    /// A process runs two sessions at once.
    Two,
    /// A process runs the same session twice at once.
    Same,
}

impl Kind {
    pub(crate) const ALL: [Kind; 3] = [Kind::Inner, Kind::Two, Kind::Same];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Inner => "inner",
            Kind::Two => "two",
            Kind::Same => "same",
        }
    }

    /// The kind that each round has. The processes of a round inherit the variable.
    pub(crate) fn forced() -> Option<Self> {
        let name = std::env::var("CRASH_KIND").ok()?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        Some(kind.unwrap_or_else(|| panic!("CRASH_KIND={name}: there are `inner`, `two` and `same`")))
    }

    /// The kinds of a round.
    pub(crate) fn for_round(seed: u64) -> BTreeSet<Self> {
        let mut random = Rng::with_seed(digest(&("kinds", seed)));
        let mut kinds: BTreeSet<Kind> = Kind::ALL.into_iter().filter(|_| random.u8(..3) == 0).collect();
        kinds.extend(Kind::forced());
        kinds
    }
}

/// A tool of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    FindOrder,
    SetAddress,
    Export,
    RaiseLimit,
    Refund,
    PayOut,
    PrintLabel,
    Notify,
    AskBrowser,
    Decline,
    Hang,
    Fail,
    /// Runs an inner session.
    HandleReturn,
}

impl Tool {
    /// The tools of each plan.
    const ALL: [Tool; 12] = [
        Tool::FindOrder,
        Tool::SetAddress,
        Tool::Export,
        Tool::RaiseLimit,
        Tool::Refund,
        Tool::PayOut,
        Tool::PrintLabel,
        Tool::Notify,
        Tool::AskBrowser,
        Tool::Decline,
        Tool::Hang,
        Tool::Fail,
    ];

    /// The tools of an inner session, in which nobody decides.
    const INNER: [Tool; 8] = [
        Tool::FindOrder,
        Tool::SetAddress,
        Tool::Refund,
        Tool::PrintLabel,
        Tool::Notify,
        Tool::Decline,
        Tool::Hang,
        Tool::Fail,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::FindOrder => "find_order",
            Tool::SetAddress => "set_address",
            Tool::Export => "export",
            Tool::RaiseLimit => "raise_limit",
            Tool::Refund => "refund",
            Tool::PayOut => "pay_out",
            Tool::PrintLabel => "print_label",
            Tool::Notify => "notify",
            Tool::AskBrowser => "ask_browser",
            Tool::Decline => "decline",
            Tool::Hang => "hang",
            Tool::Fail => "fail",
            Tool::HandleReturn => "handle_return",
        }
    }

    /// Whether the tool is read-only or idempotent.
    pub(crate) fn may_repeat(self) -> bool {
        let is_idempotent =
            matches!(self, Tool::SetAddress | Tool::Export | Tool::RaiseLimit | Tool::HandleReturn);
        is_idempotent || self == Tool::FindOrder
    }

    pub(crate) fn requires_approval(self) -> bool {
        matches!(self, Tool::RaiseLimit | Tool::PayOut)
    }
}

/// A call of a planned reply.
#[derive(Clone, Debug)]
pub(crate) struct PlannedCall {
    pub(crate) tool: Tool,
    /// Identifies the effect: the number of the reply, how often the model was asked for it, and the position.
    pub(crate) order: String,
    pub(crate) arguments: Value,
}

/// The decision of a person about a call that requires an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Approve,
    /// Approves the call with another order.
    Edit,
    Deny,
}

/// When the program stores its session before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stores {
    Never,
    AfterRuns,
    /// Also a claim before each run.
    Claims,
    AfterSomeRuns,
}

/// The failure of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Error,
    /// The reply is interrupted, if it is streamed.
    Interrupted,
}

pub(crate) struct Plan {
    seed: u64,
    /// The name of the session in the ledger. That of an inner session continues that of the outer one: `1/0-0-2`.
    pub(crate) name: String,
    kinds: BTreeSet<Kind>,
    pub(crate) run_id: String,
    /// The tools of each reply; an answer has none.
    replies: Vec<Vec<Tool>>,
    pub(crate) stores: Stores,
    /// Whether a process may begin with any stored session, instead of the newest one.
    pub(crate) may_begin_with_old: bool,
    pub(crate) has_threads: bool,
    /// The time after which the journal removes the session, which is longer than a round.
    pub(crate) remove_after: Duration,
    /// The number of replies of a run; 0 for no limit.
    pub(crate) replies_per_run: usize,
    /// The number of calls by which the limit of a run increases; 0 for no limit.
    pub(crate) calls_per_run: usize,
}

impl Plan {
    /// The plans of the sessions of a round.
    pub(crate) fn for_round(seed: u64) -> Vec<Self> {
        let kinds = Kind::for_round(seed);
        let mut plans = vec![Plan::new(seed, "1", kinds.clone())];
        if kinds.contains(&Kind::Two) {
            plans.push(Plan::new(digest(&("second session", seed)), "2", kinds));
        }
        plans
    }

    fn new(seed: u64, name: &str, kinds: BTreeSet<Kind>) -> Self {
        let mut random = Rng::with_seed(seed);
        // Each tool once, and some more than once.
        let mut tools = Tool::ALL.to_vec();
        for _ in 0..random.usize(..8) {
            tools.push(Tool::ALL[random.usize(..Tool::ALL.len())]);
        }
        tools.extend([Tool::Notify, Tool::Notify]);
        if kinds.contains(&Kind::Inner) {
            tools.extend([Tool::HandleReturn, Tool::HandleReturn]);
        }
        let mut replies = replies(tools, &mut random);
        if random.bool() {
            // The session continues with another user message.
            replies.insert(random.usize(1..replies.len() - 1), Vec::new());
        }
        // An id may look like that of an inner session.
        let run_ids = [format!("session-{seed}"), format!("Köln {seed}/2"), format!("{name}/1/1")];
        let stores = [Stores::Never, Stores::AfterRuns, Stores::Claims, Stores::AfterSomeRuns];
        let replies_per_run = if random.bool() { random.usize(1..=3) } else { 0 };
        let calls_per_run = if random.u8(..4) == 0 { random.usize(1..=4) } else { 0 };
        Plan {
            seed,
            name: name.to_owned(),
            kinds,
            run_id: run_ids[random.usize(..run_ids.len())].clone(),
            replies,
            stores: stores[random.usize(..stores.len())],
            may_begin_with_old: random.bool(),
            has_threads: random.u8(..4) == 0,
            remove_after: if random.bool() { Duration::MAX } else { Duration::from_secs(3600) },
            replies_per_run,
            calls_per_run,
        }
    }

    /// The plan of the inner session of a call. Without persons, each process does the same.
    pub(crate) fn inner(&self, order: &str) -> Self {
        let mut random = self.random(("inner", order));
        let mut tools = vec![Tool::Refund];
        for _ in 0..random.usize(1..6) {
            tools.push(Tool::INNER[random.usize(..Tool::INNER.len())]);
        }
        // A session in an inner session has no other one.
        if !self.name.contains('/') && random.u8(..3) == 0 {
            tools.push(Tool::HandleReturn);
        }
        Plan {
            seed: random.u64(..),
            name: format!("{}/{order}", self.name),
            kinds: self.kinds.clone(),
            run_id: self.key(order),
            replies: replies(tools, &mut random),
            stores: Stores::Never,
            may_begin_with_old: true,
            has_threads: self.has_threads,
            remove_after: self.remove_after,
            replies_per_run: 0,
            calls_per_run: 0,
        }
    }

    pub(crate) fn has(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// The key of a call. An inner session has the one of its outer call as its run id.
    pub(crate) fn key(&self, order: &str) -> String {
        let Place { reply, position, .. } = Place::of(order).expect("the order has a place");
        format!("{}/{reply}/{position}", self.run_id)
    }

    /// Random numbers that depend on the seed and on this value.
    pub(crate) fn random(&self, of: impl Hash) -> Rng {
        Rng::with_seed(digest(&(self.seed, digest(&of))))
    }

    /// The number of replies of the whole session.
    pub(crate) fn replies(&self) -> u64 {
        self.replies.len() as u64
    }

    /// The calls of a reply. If the model is asked again, it sends other calls.
    pub(crate) fn calls(&self, reply: u64, ask: u64) -> Vec<PlannedCall> {
        let index = usize::try_from(reply).unwrap_or(usize::MAX);
        let mut tools = self.replies.get(index).cloned().unwrap_or_default();
        if !tools.is_empty() {
            let turns = usize::try_from(ask).unwrap_or_default() % tools.len();
            tools.rotate_left(turns);
        }
        let planned = |(position, tool): (usize, Tool)| {
            let order = format!("{reply}-{ask}-{position}");
            let ms = match tool {
                Tool::Export => 12,
                _ => self.random(&order).u64(..5),
            };
            PlannedCall { tool, arguments: json!({ "order": order, "ms": ms }), order }
        };
        tools.into_iter().enumerate().map(planned).collect()
    }

    /// The tool of an order.
    pub(crate) fn tool(&self, order: &str) -> Option<Tool> {
        let Place { reply, ask, position } = Place::of(order)?;
        self.calls(reply, ask).get(position).map(|call| call.tool)
    }

    /// The number of the person who decides in this process. A program that continues with any stored session must repeat its
    /// decisions, so one person decides there.
    pub(crate) fn person(&self, process: usize) -> usize {
        if self.may_begin_with_old { 0 } else { process }
    }

    /// The decision of a person about a call. They approve the arguments of another person.
    pub(crate) fn decision(&self, order: &str, person: usize) -> Decision {
        if unedited(order) != order {
            return Decision::Approve;
        }
        match self.random(("decision", order, person)).u8(..10) {
            0..5 => Decision::Approve,
            5..8 => Decision::Edit,
            _ => Decision::Deny,
        }
    }

    /// The failure of this request, if it fails.
    pub(crate) fn failure(&self, reply: u64, ask: u64) -> Option<Failure> {
        match self.random(("failure", reply, ask)).u8(..30) {
            0 => Some(Failure::Error),
            1 | 2 => Some(Failure::Interrupted),
            _ => None,
        }
    }
}

/// Distributes tools to replies, of which the last one is the answer.
fn replies(mut tools: Vec<Tool>, random: &mut Rng) -> Vec<Vec<Tool>> {
    random.shuffle(&mut tools);
    let mut replies = Vec::new();
    while !tools.is_empty() {
        let calls = random.usize(1..=5).min(tools.len());
        replies.push(tools.split_off(tools.len() - calls));
    }
    replies.push(Vec::new());
    replies
}

/// The call of an order in its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) reply: u64,
    pub(crate) ask: u64,
    pub(crate) position: usize,
}

impl Place {
    pub(crate) fn of(order: &str) -> Option<Self> {
        let mut parts = unedited(order).split('-');
        let (reply, ask) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Place { reply, ask, position: parts.next()?.parse().ok()? })
    }
}

/// The order of a call that a person has edited.
pub(crate) fn edited(order: &str) -> String {
    format!("{order}e")
}

/// The order of the call as the model sent it.
pub(crate) fn unedited(order: &str) -> &str {
    order.strip_suffix('e').unwrap_or(order)
}

/// A hash that is the same in each process of this program.
pub(crate) fn digest(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
