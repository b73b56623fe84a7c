//! Valid histories with one error: each is rejected, and repaired without a change to any other exchange.

use crate::rows::rows;
use crate::{generated, read, rejection, rounds, seed, user, violations, written};
use fastrand::Rng;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use tool_runtime::history::{ViolationKind, validate};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolMessage};
use tool_runtime_repair::repair;

/// A reply with calls, and its tool messages.
type Exchange = Range<usize>;

fn exchanges(messages: &[Message]) -> Vec<Exchange> {
    let is_calling =
        |message: &Message| matches!(message, Message::Assistant(reply) if !reply.tool_calls.is_empty());
    let calling = (0..messages.len()).filter(|&place| is_calling(&messages[place]));
    calling
        .map(|place| {
            let row = messages[place + 1..].iter().take_while(|message| matches!(message, Message::Tool(_)));
            place..place + 1 + row.count()
        })
        .collect()
}

fn reply(messages: &mut [Message], place: usize) -> &mut AssistantMessage {
    match &mut messages[place] {
        Message::Assistant(reply) => reply,
        _ => unreachable!("an exchange begins with a reply"),
    }
}

fn tool_message(messages: &mut [Message], place: usize) -> &mut ToolMessage {
    match &mut messages[place] {
        Message::Tool(tool_message) => tool_message,
        _ => unreachable!("tool messages follow the reply"),
    }
}

fn pick<T>(random: &mut Rng, from: impl IntoIterator<Item = T>) -> Option<T> {
    let from: Vec<T> = from.into_iter().collect();
    (!from.is_empty()).then(|| random.usize(..from.len())).and_then(|index| from.into_iter().nth(index))
}

/// An id that no call has, the id of another call of the reply, or no id.
fn other_id(random: &mut Rng, siblings: &[String], than: &str) -> String {
    match random.u8(..3) {
        0 => String::new(),
        1 => siblings.iter().find(|id| *id != than).cloned().unwrap_or_else(|| format!("{than}x")),
        _ => format!("x{}", random.u32(..)),
    }
}

/// The kind of the error, and the affected exchanges.
type Broken = (&'static str, Vec<Exchange>);

/// Adds one error to the history; `None` if the chosen error is not possible.
fn mutate(messages: &mut Vec<Message>, random: &mut Rng) -> Option<Broken> {
    let exchanges = exchanges(messages);
    let exchange = pick(random, exchanges.iter().filter(|exchange| exchange.len() > 1).cloned())?;
    let others: Vec<Exchange> = exchanges.into_iter().filter(|other| *other != exchange).collect();
    if random.bool() {
        mutate_answers(messages, &exchange, &others, random)
    } else {
        mutate_calls(messages, &exchange, &others, random)
    }
}

fn mutate_answers(
    messages: &mut Vec<Message>,
    exchange: &Exchange,
    others: &[Exchange],
    random: &mut Rng,
) -> Option<Broken> {
    let place = random.usize(exchange.start + 1..exchange.end);
    let id = tool_message(messages, place).tool_call_id.clone();
    let siblings: Vec<String> =
        reply(messages, exchange.start).tool_calls.iter().map(|call| call.id.clone()).collect();
    let own = vec![exchange.clone()];
    Some(match random.u8(..7) {
        0 => {
            messages.remove(place);
            ("a tool message dropped", own)
        }
        1 => {
            let copy = messages[place].clone();
            messages.insert(random.usize(exchange.start + 1..=exchange.end), copy);
            ("a tool message twice", own)
        }
        2 => {
            tool_message(messages, place).tool_call_id = other_id(random, &siblings, &id);
            ("a tool message renamed", own)
        }
        3 => {
            let copy = messages[place].clone();
            messages.insert(exchange.end, copy);
            tool_message(messages, exchange.end).tool_call_id = other_id(random, &[], &id);
            ("a tool message too many", own)
        }
        4 => {
            let to =
                pick(random, (0..=messages.len()).filter(|&to| to <= exchange.start || to > exchange.end))?;
            let moved = messages.remove(place);
            messages.insert(if to > place { to - 1 } else { to }, moved);
            // The message may be moved into another exchange, which is then changed too.
            let landed = others.iter().filter(|other| (other.start + 1..=other.end).contains(&to)).cloned();
            ("a tool message moved to another exchange", own.into_iter().chain(landed).collect())
        }
        5 => {
            let moved = messages.remove(place);
            messages.insert(exchange.start, moved);
            let before = others.iter().filter(|other| other.end == exchange.start).cloned();
            ("a tool message before its calls", own.into_iter().chain(before).collect())
        }
        _ => {
            messages.insert(random.usize(exchange.start + 1..exchange.end), user("Are you there?"));
            ("a message between", own)
        }
    })
}

fn mutate_calls(
    messages: &mut Vec<Message>,
    exchange: &Exchange,
    others: &[Exchange],
    random: &mut Rng,
) -> Option<Broken> {
    let calling = reply(messages, exchange.start);
    let call = random.usize(..calling.tool_calls.len());
    let ids: Vec<String> = calling.tool_calls.iter().map(|call| call.id.clone()).collect();
    let own = vec![exchange.clone()];
    Some(match random.u8(..7) {
        0 => {
            calling.tool_calls.remove(call);
            ("a call dropped", own)
        }
        1 => {
            calling.tool_calls.clear();
            ("all calls dropped", own)
        }
        2 => {
            let copy = calling.tool_calls[call].clone();
            calling.tool_calls.push(copy);
            if random.bool() {
                messages.insert(exchange.end, ToolMessage::new(&*ids[call], "again").into());
            }
            ("a call twice", own)
        }
        3 => {
            let id = other_id(random, &ids, &ids[call]);
            calling.tool_calls[call].id.clone_from(&id);
            if id.is_empty() && random.bool() {
                let mut places = exchange.start + 1..exchange.end;
                let place = places.find(|&place| tool_message(messages, place).tool_call_id == ids[call])?;
                tool_message(messages, place).tool_call_id = id;
            }
            ("a call renamed", own)
        }
        4 => {
            let other = pick(random, others.iter().cloned())?;
            let moved = calling.tool_calls.remove(call);
            reply(messages, other.start).tool_calls.push(moved);
            ("a call moved to another exchange", vec![exchange.clone(), other])
        }
        5 => {
            messages.remove(exchange.start);
            let before = others.iter().filter(|other| other.end == exchange.start).cloned();
            ("a reply dropped", own.into_iter().chain(before).collect())
        }
        _ => {
            calling.tool_calls.clear();
            calling.content = None;
            messages.drain(exchange.start + 1..exchange.end);
            ("calls and tool messages dropped", own)
        }
    })
}

/// The JSON of each exchange, and of each message outside of exchanges.
fn pieces(messages: &[Message]) -> Vec<(Range<usize>, String)> {
    let exchanges = exchanges(messages);
    let in_exchange: HashSet<usize> = exchanges.iter().flat_map(Clone::clone).collect();
    let others =
        (0..messages.len()).filter(|place| !in_exchange.contains(place)).map(|place| place..place + 1);
    let mut places: Vec<Range<usize>> = exchanges.into_iter().chain(others).collect();
    places.sort_by_key(|places| places.start);
    places.into_iter().map(|place| (place.clone(), messages[place].iter().map(written).collect())).collect()
}

/// Adds errors to histories, and counts how often each kind of violation was the only one.
fn check(
    name: &str,
    mut next: impl FnMut(&mut Rng) -> Vec<Message>,
    is_strict: bool,
) -> BTreeMap<&'static str, usize> {
    let mut random = Rng::with_seed(seed(name));
    let (mut kinds, mut alone) = (BTreeMap::new(), BTreeMap::new());
    let (mut count, rounds) = (0, rounds());
    while count < rounds {
        let history = next(&mut random);
        let mut broken = history.clone();
        let Some((kind, touched)) = mutate(&mut broken, &mut random) else { continue };
        count += 1;
        *kinds.entry(kind).or_insert(0) += 1;
        let shown = || format!("{kind}\n{}", broken.iter().map(written).collect::<Vec<_>>().join("\n"));

        let rules: HashSet<ViolationKind> =
            violations(&broken).iter().map(|violation| violation.kind).collect();
        assert!(!rules.is_empty(), "it is not rejected: {}", shown());
        if let [rule] = Vec::from_iter(&rules)[..] {
            *alone.entry(rule.name()).or_insert(0) += 1;
        }
        if is_strict {
            assert!(rejection(&broken).is_some(), "a strict server accepts it: {}", shown());
        }

        let (fixed, repairs) = repair(broken.clone());
        assert!(validate(&fixed).is_ok() && !repairs.is_empty(), "it is not repaired: {}", shown());
        if is_strict {
            assert_eq!(rejection(&fixed), None, "a strict server rejects the repair of: {}", shown());
            assert_eq!(
                crate::rejection_by_anthropic(&fixed),
                None,
                "Anthropic rejects the repair of: {}",
                shown()
            );
        }
        let mut left = pieces(&fixed).into_iter().map(|(_, piece)| piece);
        for (places, piece) in pieces(&history) {
            if !touched.contains(&places) {
                assert!(left.any(|fixed| fixed == piece), "{piece} was changed, after {}", shown());
            }
        }
    }
    println!("{name}: {kinds:?}; rejected by one rule alone: {alone:?}");
    alone
}

#[test]
fn mutations_are_rejected_and_repaired_without_changes_to_other_exchanges() {
    let alone = check("mutations", generated::history, true);
    // Each rule is needed: without it, these histories would be valid.
    for rule in [
        ViolationKind::OrphanResult,
        ViolationKind::MissingResult,
        ViolationKind::UnknownId,
        ViolationKind::DuplicateResult,
        ViolationKind::DuplicateCallId,
        ViolationKind::MissingCallId,
        ViolationKind::MessageBetween,
        ViolationKind::LostCalls,
        ViolationKind::EmptyReply,
    ] {
        assert!(alone.get(rule.name()).is_some_and(|&count| count > rounds() / 2_000), "{rule:?}: {alone:?}");
    }
}

#[test]
fn the_order_of_tool_messages_in_an_exchange_does_not_matter() {
    let mut random = Rng::with_seed(seed("reordering"));
    for _ in 0..2_000 {
        let mut history = generated::history(&mut random);
        for exchange in exchanges(&history) {
            random.shuffle(&mut history[exchange.start + 1..exchange.end]);
        }
        validate(&history).expect("the order does not matter");
        let (same, repairs) = repair(history.clone());
        assert_eq!((same, &*repairs), (history, &[][..]));
    }
}

/// The recorded histories that servers accepted, with their sources.
fn accepted() -> Option<Vec<(String, Vec<Message>)>> {
    let rows = rows("transcripts.jsonl")?;
    let accepted = rows.iter().map(|row| {
        let count = usize::try_from(row["accepted"].as_u64().expect("a number")).expect("it fits into usize");
        let messages = row["messages"].as_array().expect("an array")[..count].to_vec();
        (row["source"].to_string(), read(messages.into()))
    });
    Some(accepted.collect())
}

#[test]
fn recorded_histories_are_valid_in_any_order_of_tool_messages() {
    let Some(accepted) = accepted() else { return };
    let mut reordered = 0;
    let mut random = Rng::with_seed(seed("recorded orders"));
    for (source, messages) in &accepted {
        if let Err(violations) = validate(messages) {
            panic!("{source}: {violations}");
        }
        let (same, repairs) = repair(messages.clone());
        assert_eq!((&same, &*repairs), (messages, &[][..]), "{source}");
        let mut messages = messages.clone();
        for exchange in exchanges(&messages) {
            random.shuffle(&mut messages[exchange.start + 1..exchange.end]);
            reordered += usize::from(exchange.len() > 2);
        }
        validate(&messages).expect("the order does not matter");
    }
    println!("{} histories are valid, {reordered} exchanges also in another order", accepted.len());
}

#[test]
fn mutations_of_recorded_histories_are_rejected_and_repaired() {
    let Some(accepted) = accepted() else { return };
    check("recorded mutations", |random| accepted[random.usize(..accepted.len())].1.clone(), false);
}
