//! Trimming of histories.

use crate::{calling, generated, random_lists, rounds, seed, text_reply, tool_message, user, written};
use fastrand::Rng;
use tool_runtime::Conversation;
use tool_runtime::history::{TrimBudget, Trimmed, validate};
use tool_runtime::message::Message;
use tool_runtime_repair::repair;

/// Repairs and trims a list.
fn trim(messages: Vec<Message>, budget: &TrimBudget<'_>) -> (Vec<Message>, Trimmed) {
    let mut chat = Conversation::try_from(repair(messages).0).expect("it is valid");
    let trimmed = chat.trim(budget);
    (chat.into(), trimmed)
}

fn length(message: &Message) -> usize {
    written(message).len()
}

fn is_prompt(message: &Message) -> bool {
    matches!(message, Message::System(_) | Message::Developer(_))
}

/// The index of the first message of the newest exchange.
fn newest_exchange(messages: &[Message]) -> usize {
    let is_user = |place: &usize| matches!(messages[*place], Message::User(_));
    let Some(mut start) = (0..messages.len()).rev().find(is_user) else {
        return messages.iter().position(|message| !is_prompt(message)).unwrap_or(messages.len());
    };
    while let Some(before) = (0..start).rev().find(|&place| !is_prompt(&messages[place])).filter(is_user) {
        start = before;
    }
    start
}

#[test]
fn trimmed_lists_are_valid_and_within_the_budget_unless_the_newest_exchange_exceeds_it() {
    let mut random = Rng::with_seed(seed("trimming"));
    let mut trimmed_lists = 0;
    for round in 0..rounds() {
        let list =
            if round % 2 == 0 { random_lists::list(&mut random) } else { generated::history(&mut random) };
        let counts_messages = random.bool();
        let count = |message: &Message| if counts_messages { 1 } else { length(message) };
        let size = |messages: &[Message]| messages.iter().map(count).sum::<usize>();
        let limit = random.usize(..=size(&list) + 2);
        let mut budget = if counts_messages {
            TrimBudget::max_messages(limit)
        } else {
            TrimBudget::max_tokens(limit, length)
        };
        let keeps = random.bool();
        budget = budget.keep_newest_exchange(keeps);
        let shortens = random.bool();
        if shortens {
            budget = budget.truncate_results(random.usize(..20));
        }
        let (kept, trimmed) = trim(list.clone(), &budget);
        let kept = &kept;
        let shown = || format!("{budget:?}\n{}", list.iter().map(written).collect::<Vec<_>>().join("\n"));
        validate(kept).unwrap_or_else(|violations| panic!("{violations}: {}", shown()));
        validate(&trimmed.removed).unwrap_or_else(|violations| panic!("{violations}: {}", shown()));
        assert!(!matches!(kept.first(), Some(Message::Tool(_))));

        let (repaired, _) = repair(list.clone());
        let newest = newest_exchange(&repaired);
        let is_reply = |place: &usize| matches!(repaired[*place], Message::Assistant(_));
        let newest_reply = (newest..repaired.len()).rev().find(is_reply).unwrap_or(repaired.len());
        // The messages of the newest exchange that must stay.
        let stays =
            |place: usize| keeps || place >= newest_reply || matches!(repaired[place], Message::User(_));
        let must_stay: Vec<Message> = repaired
            .iter()
            .enumerate()
            .filter(|(place, message)| (*place >= newest && stays(*place)) || is_prompt(message))
            .map(|(_, message)| message.clone())
            .collect();
        assert_eq!(size(kept) <= limit, trimmed.is_within_budget);
        assert!(trimmed.is_within_budget || kept.len() == must_stay.len(), "{}", shown());
        assert!(
            shortens || !keeps || kept.ends_with(&repaired[newest..]),
            "the newest exchange is complete: {}",
            shown()
        );
        assert!(kept.ends_with(&repaired[newest_reply..]), "the newest reply is complete: {}", shown());
        // No exchange was removed without need: without the last removed one, the budget would be exceeded.
        let is_user = |place: &usize| matches!(trimmed.removed[*place], Message::User(_));
        let last_exchange_removed = (0..trimmed.removed.len())
            .rev()
            .find(|&place| is_user(&place) && (place == 0 || !is_user(&(place - 1))));
        if let (Some(start), true, false) = (last_exchange_removed, keeps, shortens) {
            let last_exchange = size(&trimmed.removed[start..]);
            assert!(size(kept) + last_exchange > limit, "{}", shown());
        }
        assert_eq!(
            kept.iter().filter(|message| is_prompt(message)).count(),
            repaired.iter().filter(|message| is_prompt(message)).count()
        );
        assert_eq!(kept.len() + trimmed.removed.len(), repaired.len(), "no message is lost: {}", shown());
        if size(&repaired) <= limit {
            assert_eq!(*kept, repaired, "a list within the budget is not changed: {}", shown());
        }
        trimmed_lists += usize::from(!trimmed.removed.is_empty());
    }
    assert!(trimmed_lists > rounds() / 20, "{trimmed_lists}");
}

fn long() -> Vec<Message> {
    vec![
        Message::system("Be brief."),
        user("One?"),
        calling(&["a"]),
        tool_message("a"),
        text_reply("One."),
        user("Two?"),
        calling(&["b"]),
        tool_message("b"),
        calling(&["c"]),
        tool_message("c"),
    ]
}

#[test]
fn the_oldest_exchange_is_removed_completely_and_reported() {
    let (kept, trimmed) = trim(long(), &TrimBudget::max_messages(9));
    assert_eq!(kept, [&long()[..1], &long()[5..]].concat());
    assert_eq!(trimmed.removed, long()[1..5]);
    assert!(trimmed.truncated.is_empty());
}

#[test]
fn no_exchange_is_removed_without_need() {
    let exchanges = |count: usize| -> Vec<Message> {
        (0..count)
            .flat_map(|exchange| [user(&format!("{exchange}?")), text_reply(&format!("{exchange}."))])
            .collect()
    };
    let (kept, trimmed) = trim(exchanges(4), &TrimBudget::max_messages(6));
    assert_eq!((kept, trimmed.removed), (exchanges(4)[2..].to_vec(), exchanges(4)[..2].to_vec()));
    let (kept, _) = trim(exchanges(4), &TrimBudget::max_messages(5));
    assert_eq!(kept, exchanges(4)[4..]);
}

#[test]
fn system_messages_and_the_newest_exchange_stay_over_the_budget() {
    let (kept, trimmed) = trim(long(), &TrimBudget::max_messages(0));
    assert!(!trimmed.is_within_budget);
    assert_eq!(kept, [&long()[..1], &long()[5..]].concat());
}

#[test]
fn older_replies_of_the_newest_exchange_may_be_removed() {
    let (kept, trimmed) = trim(long(), &TrimBudget::max_messages(4).keep_newest_exchange(false));
    assert_eq!(kept, [&long()[..1], &long()[5..6], &long()[8..]].concat());
    assert_eq!(trimmed.removed, [&long()[1..5], &long()[6..8]].concat());
    let (kept, _) = trim(long(), &TrimBudget::max_messages(0).keep_newest_exchange(false));
    assert_eq!(kept, [&long()[..1], &long()[5..6], &long()[8..]].concat(), "the newest reply stays");
}

#[test]
fn old_results_are_truncated_before_removals_and_only_if_needed() {
    let output = |id: &str| {
        let mut message = tool_message(id);
        if let Message::Tool(tool_message) = &mut message {
            tool_message.content = "x".repeat(1_000).into();
        }
        message
    };
    let history = vec![
        user("One?"),
        calling(&["a", "b"]),
        output("a"),
        output("b"),
        text_reply("One."),
        user("Two?"),
        calling(&["c"]),
        output("c"),
        calling(&["d"]),
        output("d"),
    ];
    let text = |message: &Message| message.text().len();
    let (kept, trimmed) = trim(history.clone(), &TrimBudget::max_tokens(3_500, text).truncate_results(100));
    assert_eq!(kept.len(), history.len());
    assert!(trimmed.removed.is_empty());
    let lengths: Vec<usize> = kept.iter().map(text).filter(|&length| length > 50).collect();
    assert_eq!(lengths.len(), 4);
    assert!(lengths[0] <= 100 && lengths[1..] == [1_000; 3], "only the oldest: {lengths:?}");
    assert_eq!(trimmed.truncated.len(), 1);
    assert_eq!(trimmed.truncated[0].content.as_str().len(), 1_000, "the report has the original");

    // If the older exchanges are not enough, results of the newest one are truncated, except for its newest reply.
    let (kept, trimmed) = trim(history.clone(), &TrimBudget::max_tokens(1_500, text).truncate_results(100));
    assert_eq!(trimmed.removed.len(), 5);
    let lengths: Vec<usize> = kept.iter().map(text).filter(|&length| length > 50).collect();
    assert!(lengths[0] <= 100 && lengths[1..] == [1_000], "{lengths:?}");
    let long_exchange = history[5..].iter().chain(&[calling(&["e"]), output("e")]).cloned().collect();
    let budget = TrimBudget::max_tokens(1_300, text).truncate_results(100).keep_newest_exchange(false);
    let (kept_of_exchange, trimmed) = trim(long_exchange, &budget);
    assert_eq!(
        (kept_of_exchange.len(), trimmed.removed.len(), trimmed.truncated.len()),
        (7, 0, 2),
        "results are truncated before replies are removed"
    );
    let (kept, _) = trim(kept, &TrimBudget::max_tokens(0, text).truncate_results(10));
    assert_eq!(kept.last().map(text), Some(1_000), "the newest reply is never truncated");
}

#[test]
fn a_conversation_can_be_trimmed() {
    let mut chat = Conversation::try_from(long()).expect("the messages are valid");
    let trimmed = chat.trim(&TrimBudget::max_messages(9));
    assert_eq!((chat.messages().len(), trimmed.removed.len()), (6, 4));
    assert_eq!(chat.user("Three?").messages().len(), 7);
}

#[test]
fn a_result_with_an_image_is_not_truncated() {
    let parts = serde_json::json!([
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": [
            {"type": "text", "text": "x".repeat(100)},
            {"type": "image_url", "image_url": {"url": "data:,"}},
        ]},
        {"role": "user", "content": "?"},
    ]);
    let (kept, trimmed) = trim(crate::read(parts), &TrimBudget::max_messages(0).truncate_results(10));
    assert_eq!((kept.len(), trimmed.removed.len(), trimmed.truncated.len()), (1, 3, 0));
}
