//! Budgets that runs and sessions share.

use super::*;
use tool_runtime::message::{Prices, Usage};
use tool_runtime::session::{Budget, BudgetLimit, RunEnd};
use tool_runtime::{CallContext, RunContext};

/// Replies with calls that take 100 tokens each.
fn costly(replies: u32) -> ScriptedModel {
    let reply = |n: u32| {
        AssistantMessage::from_tool_calls([call(&n.to_string(), "find", n)]).with_usage(Usage::new(80, 20))
    };
    ScriptedModel::new((0..replies).map(reply))
}

#[tokio::test]
async fn sessions_share_a_budget_and_exceed_it_by_one_reply_each() {
    let (registry, _) = shop();
    let (budget, model) = (Budget::new().tokens(350), costly(9));
    let (mut first, mut second) = (asked(), asked());
    let end = first
        .run(&registry)
        .budget(&budget)
        .max_requests(2)
        .complete(|request| model.complete(request))
        .await;
    assert_eq!(end.expect("valid"), RunEnd::RequestLimit);
    let end = second.run(&registry).budget(&budget).complete(|request| model.complete(request)).await;
    assert_eq!(end.expect("valid"), RunEnd::TokenBudget);
    assert_eq!((second.replies(), budget.spent().tokens, budget.spent().calls), (2, 400, 4));
    assert!(second.pending().is_none(), "the calls of the last reply have run");
    let end = first.run(&registry).budget(&budget).stream(|request| model.stream(request)).await;
    assert_eq!((end.expect("valid"), first.replies()), (RunEnd::TokenBudget, 2));
}

#[tokio::test]
async fn each_limit_has_its_end() {
    let (registry, _) = shop();
    let prices = Prices::per_million(1.0, 5.0);
    // A reply costs 80 * 1 + 20 * 5 millionths.
    for (budget, end, replies) in [
        (Budget::new().tokens(150), RunEnd::TokenBudget, 2),
        (Budget::new().calls(3), RunEnd::CallBudget, 3),
        (Budget::new().money(0.000_5, prices), RunEnd::MoneyBudget, 3),
        (Budget::new().time(Duration::ZERO), RunEnd::TimeBudget, 0),
        (Budget::new().calls(0), RunEnd::CallBudget, 0),
        (Budget::new(), RunEnd::ReplyLimit, 5),
    ] {
        let (mut session, model) = (asked(), costly(5));
        let run = session.run(&registry).budget(&budget).max_replies(5);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), end);
        assert_eq!(session.replies(), replies, "{end}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_counts_from_the_first_run() {
    let (registry, _) = shop();
    let budget = Budget::new().time(Duration::from_secs(60));
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(budget.reached(), None);
    let model = ScriptedModel::repeat(calling([call("a", "find", 7)]).with_delay(Duration::from_secs(25)));
    let mut session = asked();
    let end = session.run(&registry).budget(&budget).complete(|request| model.complete(request)).await;
    assert_eq!((end.expect("valid"), session.replies()), (RunEnd::TimeBudget, 3));
    assert_eq!(budget.reached(), Some(BudgetLimit::Time));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_run_and_added_usage_count() {
    let (registry, _) = shop();
    let budget = Budget::new().tokens(1_000);
    let mut session = asked();
    {
        let model = costly(2);
        let run = session.run(&registry).budget(&budget);
        let mut replies = 0;
        let run = run.complete(|request| {
            replies += 1;
            let reply = model.complete(request);
            async move { if replies == 2 { std::future::pending().await } else { reply.await } }
        });
        let ended = tokio::time::timeout(Duration::from_millis(20), run).await;
        assert!(ended.is_err(), "the second reply never arrives");
    }
    assert_eq!((budget.spent().tokens, budget.spent().calls), (100, 1));
    budget.add_usage(&Usage::new(900, 0));
    let end = session.run(&registry).budget(&budget).complete(|request| costly(1).complete(request)).await;
    assert_eq!(end.expect("valid"), RunEnd::TokenBudget);
}

/// The budget with the prices of the other model.
struct Cheap(Option<Budget>);

/// Asks another model.
#[tool(read_only)]
async fn delegate(
    order: u32,
    #[state] registry: &Registry,
    #[state] cheap: &Cheap,
    #[context] call: &CallContext,
) -> String {
    let model =
        ScriptedModel::new([AssistantMessage::from_text("Found.").with_usage(Usage::new(1_000_000, 0))]);
    let mut session = Session::new().user(format!("Find order {order}."));
    let run = session.run(&registry.with(&call.child_run_context()));
    let run = if let Cheap(Some(cheap)) = cheap { run.budget(cheap) } else { run };
    run.complete(|request| model.complete(request)).await.expect("valid").to_string()
}

#[tokio::test]
async fn inner_sessions_count_with_the_prices_of_their_model() {
    let (inner, _) = shop();
    let budget = Budget::new().money(10.0, Prices::per_million(3.0, 15.0));
    for (cheap, money) in [(None, 3.0), (Some(budget.with_prices(Prices::per_million(0.5, 1.0))), 3.5)] {
        let registry = Registry::builder()
            .tools(tools![delegate])
            .state(inner.clone())
            .state(Cheap(cheap))
            .build()
            .expect("valid");
        let model = model([calling([call("a", "delegate", 7)]), text_reply("Done.")]);
        let (mut session, registry) = (asked(), registry.with(&RunContext::new()));
        let run = session.run(&registry).budget(&budget);
        assert_eq!(run.complete(|request| model.complete(request)).await.expect("valid"), RunEnd::Answered);
        assert_eq!(results(&session), ["the model answered"]);
        assert!((budget.spent().money - money).abs() < 1e-9, "{:?}", budget.spent());
    }
}
