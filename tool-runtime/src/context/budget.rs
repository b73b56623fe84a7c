//! Budgets that sessions share.

use super::RunContext;
use crate::message::{Prices, Usage};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A budget of tokens, calls, money and time, which runs, sessions and their inner sessions share. Clones are the same budget.
///
/// [`Run::budget`](crate::session::Run::budget) adds it to a run, and inner sessions inherit it
/// ([`CallContext::child_run_context`](crate::CallContext::child_run_context)). A run checks it before each request, and ends with
/// [`RunEnd::TokenBudget`](crate::session::RunEnd::TokenBudget), [`CallBudget`](crate::session::RunEnd::CallBudget),
/// [`MoneyBudget`](crate::session::RunEnd::MoneyBudget) or [`TimeBudget`](crate::session::RunEnd::TimeBudget) once a limit is reached.
/// So each running session exceeds it by at most one reply with its calls. Replies without a report of their tokens do not count. A
/// recorded reply counts again when a later run replays it.
///
/// A budget belongs to the process. To continue it in another one, store [`spent`](Budget::spent), and set lower limits.
///
/// ```
/// use std::time::Duration;
/// use tool_runtime::message::Prices;
/// use tool_runtime::session::{Budget, RunEnd, Session};
/// use tool_runtime::{Registry, tools};
/// # use tool_runtime::AssistantMessage;
/// # use tool_runtime::conversation::Request;
/// # use tool_runtime::message::Usage;
/// # async fn complete(_: Request) -> Result<AssistantMessage, serde_json::Error> {
/// #     serde_json::from_str(r#"{"choices":[{"message":{"content":"Hi!"}}],"usage":{"prompt_tokens":900,"completion_tokens":200}}"#)
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::new(tools![])?;
/// let budget = Budget::new().tokens(1_000).calls(500).money(2.0, Prices::per_million(3.0, 15.0)).time(Duration::from_secs(3600));
/// let mut first = Session::new().user("Hello!");
/// assert_eq!(first.run(&registry).budget(&budget).complete(complete).await?, RunEnd::Answered);
/// let mut second = Session::new().user("Hello!");
/// assert_eq!(second.run(&registry).budget(&budget).complete(complete).await?, RunEnd::TokenBudget);
/// assert_eq!(budget.spent().tokens, 1_100);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "pass it to `Run::budget`"]
pub struct Budget {
    tokens: Option<u64>,
    calls: Option<u64>,
    money: Option<f64>,
    time: Option<Duration>,
    prices: Option<Prices>,
    shared: Arc<SharedSpent>,
}

#[derive(Debug, Default)]
struct SharedSpent {
    spent: Mutex<Spent>,
    started: OnceLock<Instant>,
}

/// The amounts that the runs with a [`Budget`] have spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// The tokens of requests and replies.
    pub tokens: u64,
    /// The calls of the replies and the [inner calls](crate::CallContext::inner_call) of tools, each once, including those that fail or wait. Calls beyond [`max_calls`](crate::session::Run::max_calls)
    /// do not count.
    pub calls: u64,
    /// The price of the tokens, in the currency of the [`Prices`]; 0 without prices.
    pub money: f64,
    /// The time since the first run began.
    pub time: Duration,
}

/// A limit of a [`Budget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BudgetLimit {
    /// [`Budget::tokens`].
    Tokens,
    /// [`Budget::calls`].
    Calls,
    /// [`Budget::money`].
    Money,
    /// [`Budget::time`].
    Time,
}

impl Budget {
    /// A budget without limits.
    pub fn new() -> Self {
        Budget::default()
    }

    /// Limits the tokens, of requests and replies.
    pub fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Limits the calls of tools. The calls of the reply that reaches the limit run: see
    /// [`max_calls_per_reply`](crate::RegistryBuilder::max_calls_per_reply).
    pub fn calls(mut self, calls: u64) -> Self {
        self.calls = Some(calls);
        self
    }

    /// Limits the price of the tokens, with the prices of the model, in their currency.
    pub fn money(mut self, amount: f64, prices: Prices) -> Self {
        (self.money, self.prices) = (Some(amount), Some(prices));
        self
    }

    /// Limits the time since the first run with this budget began. It does not interrupt a reply or a call.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Returns the same budget for runs with another model: what they spend counts in both.
    pub fn with_prices(&self, prices: Prices) -> Self {
        Budget { prices: Some(prices), ..self.clone() }
    }

    /// Adds the tokens of a request that no run has sent: that of a summary, for example.
    pub fn add_usage(&self, usage: &Usage) {
        self.add(usage, 0);
    }

    /// The amounts that were spent so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        let time = self.shared.started.get().map(Instant::elapsed).unwrap_or_default();
        Spent { time, ..*self.lock() }
    }

    /// The first limit that is reached, in the order of [`BudgetLimit`].
    #[must_use]
    pub fn reached(&self) -> Option<BudgetLimit> {
        let spent = self.spent();
        let limits = [
            (BudgetLimit::Tokens, self.tokens.is_some_and(|tokens| spent.tokens >= tokens)),
            (BudgetLimit::Calls, self.calls.is_some_and(|calls| spent.calls >= calls)),
            (BudgetLimit::Money, self.money.is_some_and(|money| spent.money >= money)),
            (BudgetLimit::Time, self.time.is_some_and(|time| spent.time >= time)),
        ];
        limits.into_iter().find(|(_, is_reached)| *is_reached).map(|(limit, _)| limit)
    }

    pub(crate) fn start(&self) {
        self.shared.started.get_or_init(Instant::now);
    }

    pub(crate) fn add(&self, usage: &Usage, calls: u64) {
        let cost = self.prices.map_or(0.0, |prices| prices.cost(usage));
        let mut spent = self.lock();
        spent.tokens = spent.tokens.saturating_add(usage.total_tokens());
        spent.calls = spent.calls.saturating_add(calls);
        spent.money += cost;
    }

    /// Whether both count in the same place.
    pub(crate) fn is_same(&self, other: &Budget) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        // No code panics while it has the lock.
        self.shared.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunContext {
    /// Adds a budget. It replaces the same budget with other prices.
    pub(crate) fn with_budget(mut self, budget: Budget) -> Self {
        let budgets = &mut self.data().budgets;
        budgets.retain(|known| !known.is_same(&budget));
        budgets.push(budget);
        self
    }

    pub(crate) fn budgets(&self) -> &[Budget] {
        &self.0.budgets
    }
}
