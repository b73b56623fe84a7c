//! Valid histories, broken in one place: each is refused, and mended without a change to any other turn.

use crate::rows::rows;
use crate::{generated, read, refusal, seed, user, violations, written};
use fastrand::Rng;
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use tool_runtime::history::{ViolationKind, repair, validate};
use tool_runtime::message::Message;
use tool_runtime::{AssistantMessage, ToolMessage};

const MUTATIONS: usize = 20_000;

/// A reply with calls, and its answers.
type Turn = Range<usize>;

fn turns(messages: &[Message]) -> Vec<Turn> {
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
        _ => unreachable!("a turn begins with a reply"),
    }
}

fn answer(messages: &mut [Message], place: usize) -> &mut ToolMessage {
    match &mut messages[place] {
        Message::Tool(answer) => answer,
        _ => unreachable!("answers follow it"),
    }
}

fn pick<T>(random: &mut Rng, from: impl IntoIterator<Item = T>) -> Option<T> {
    let from: Vec<T> = from.into_iter().collect();
    (!from.is_empty()).then(|| random.usize(..from.len())).and_then(|index| from.into_iter().nth(index))
}

/// An id that no call has, one of a sibling, or none.
fn other_id(random: &mut Rng, siblings: &[String], than: &str) -> String {
    match random.u8(..3) {
        0 => String::new(),
        1 => siblings.iter().find(|id| *id != than).cloned().unwrap_or_else(|| format!("{than}x")),
        _ => format!("x{}", random.u32(..)),
    }
}

/// What is broken, and the turns that it has to do with.
type Broken = (&'static str, Vec<Turn>);

/// Breaks the history in one place; `None` where it cannot be broken in the way that was chosen.
fn mutate(messages: &mut Vec<Message>, random: &mut Rng) -> Option<Broken> {
    let turns = turns(messages);
    let turn = pick(random, turns.iter().filter(|turn| turn.len() > 1).cloned())?;
    let others: Vec<Turn> = turns.into_iter().filter(|other| *other != turn).collect();
    if random.bool() {
        mutate_answers(messages, &turn, &others, random)
    } else {
        mutate_calls(messages, &turn, &others, random)
    }
}

fn mutate_answers(
    messages: &mut Vec<Message>,
    turn: &Turn,
    others: &[Turn],
    random: &mut Rng,
) -> Option<Broken> {
    let place = random.usize(turn.start + 1..turn.end);
    let id = answer(messages, place).tool_call_id.clone();
    let siblings: Vec<String> =
        reply(messages, turn.start).tool_calls.iter().map(|call| call.id.clone()).collect();
    let own = vec![turn.clone()];
    Some(match random.u8(..7) {
        0 => {
            messages.remove(place);
            ("a tool message dropped", own)
        }
        1 => {
            let copy = messages[place].clone();
            messages.insert(random.usize(turn.start + 1..=turn.end), copy);
            ("a tool message twice", own)
        }
        2 => {
            answer(messages, place).tool_call_id = other_id(random, &siblings, &id);
            ("a tool message renamed", own)
        }
        3 => {
            let copy = messages[place].clone();
            messages.insert(turn.end, copy);
            answer(messages, turn.end).tool_call_id = other_id(random, &[], &id);
            ("a tool message too many", own)
        }
        4 => {
            let to = pick(random, (0..=messages.len()).filter(|&to| to <= turn.start || to > turn.end))?;
            let moved = messages.remove(place);
            messages.insert(if to > place { to - 1 } else { to }, moved);
            // It may land in another turn, which is not what it was then.
            let landed = others.iter().filter(|other| (other.start + 1..=other.end).contains(&to)).cloned();
            ("a tool message moved to another turn", own.into_iter().chain(landed).collect())
        }
        5 => {
            let moved = messages.remove(place);
            messages.insert(turn.start, moved);
            let before = others.iter().filter(|other| other.end == turn.start).cloned();
            ("a tool message before its calls", own.into_iter().chain(before).collect())
        }
        _ => {
            messages.insert(random.usize(turn.start + 1..turn.end), user("Are you there?"));
            ("a message between", own)
        }
    })
}

fn mutate_calls(
    messages: &mut Vec<Message>,
    turn: &Turn,
    others: &[Turn],
    random: &mut Rng,
) -> Option<Broken> {
    let asking = reply(messages, turn.start);
    let call = random.usize(..asking.tool_calls.len());
    let ids: Vec<String> = asking.tool_calls.iter().map(|call| call.id.clone()).collect();
    let own = vec![turn.clone()];
    Some(match random.u8(..7) {
        0 => {
            asking.tool_calls.remove(call);
            ("a call dropped", own)
        }
        1 => {
            asking.tool_calls.clear();
            ("all calls dropped", own)
        }
        2 => {
            let copy = asking.tool_calls[call].clone();
            asking.tool_calls.push(copy);
            if random.bool() {
                messages.insert(turn.end, ToolMessage::new(&*ids[call], "again").into());
            }
            ("a call twice", own)
        }
        3 => {
            let id = other_id(random, &ids, &ids[call]);
            asking.tool_calls[call].id.clone_from(&id);
            if id.is_empty() && random.bool() {
                let mut places = turn.start + 1..turn.end;
                let place = places.find(|&place| answer(messages, place).tool_call_id == ids[call])?;
                answer(messages, place).tool_call_id = id;
            }
            ("a call renamed", own)
        }
        4 => {
            let other = pick(random, others.iter().cloned())?;
            let moved = asking.tool_calls.remove(call);
            reply(messages, other.start).tool_calls.push(moved);
            ("a call moved to another turn", vec![turn.clone(), other])
        }
        5 => {
            messages.remove(turn.start);
            let before = others.iter().filter(|other| other.end == turn.start).cloned();
            ("a reply dropped", own.into_iter().chain(before).collect())
        }
        _ => {
            asking.tool_calls.clear();
            asking.content = None;
            messages.drain(turn.start + 1..turn.end);
            ("calls and answers dropped", own)
        }
    })
}

/// Each turn as it is written, and each other message that is no answer.
fn pieces(messages: &[Message]) -> Vec<(Range<usize>, String)> {
    let turns = turns(messages);
    let in_turn: HashSet<usize> = turns.iter().flat_map(Clone::clone).collect();
    let others = (0..messages.len()).filter(|place| !in_turn.contains(place)).map(|place| place..place + 1);
    let mut places: Vec<Range<usize>> = turns.into_iter().chain(others).collect();
    places.sort_by_key(|places| places.start);
    places.into_iter().map(|place| (place.clone(), messages[place].iter().map(written).collect())).collect()
}

/// Breaks histories in many ways, and says how often each rule was the only one that was broken.
fn check(
    name: &str,
    mut next: impl FnMut(&mut Rng) -> Vec<Message>,
    is_strict: bool,
) -> BTreeMap<&'static str, usize> {
    let mut random = Rng::with_seed(seed(name));
    let (mut kinds, mut alone) = (BTreeMap::new(), BTreeMap::new());
    let mut count = 0;
    while count < MUTATIONS {
        let history = next(&mut random);
        let mut broken = history.clone();
        let Some((kind, touched)) = mutate(&mut broken, &mut random) else { continue };
        count += 1;
        *kinds.entry(kind).or_insert(0) += 1;
        let shown = || format!("{kind}\n{}", broken.iter().map(written).collect::<Vec<_>>().join("\n"));

        let rules: HashSet<ViolationKind> =
            violations(&broken).iter().map(|violation| violation.kind).collect();
        assert!(!rules.is_empty(), "it is not refused: {}", shown());
        if let [rule] = Vec::from_iter(&rules)[..] {
            *alone.entry(rule.name()).or_insert(0) += 1;
        }
        if is_strict {
            assert!(refusal(&broken).is_some(), "a strict server takes it: {}", shown());
        }

        let (mended, repairs) = repair(broken.clone());
        assert!(validate(&mended).is_ok() && !repairs.is_empty(), "it is not mended: {}", shown());
        if is_strict {
            assert_eq!(refusal(&mended), None, "a strict server refuses what was mended of: {}", shown());
        }
        let mut left = pieces(&mended).into_iter().map(|(_, piece)| piece);
        for (places, piece) in pieces(&history) {
            if !touched.contains(&places) {
                assert!(left.any(|mended| mended == piece), "{piece} is not as it was, after {}", shown());
            }
        }
    }
    println!("{name}: {kinds:?}; refused by one rule alone: {alone:?}");
    alone
}

#[test]
fn twenty_thousand_mutations_are_refused_and_mended_and_other_turns_stay_as_they_were() {
    let alone = check("mutations", generated::history, true);
    // Each rule is needed: without it, these would be taken for valid.
    for rule in [
        ViolationKind::OrphanAnswer,
        ViolationKind::MissingAnswer,
        ViolationKind::UnknownId,
        ViolationKind::DuplicateAnswer,
        ViolationKind::DuplicateCallId,
        ViolationKind::MissingCallId,
        ViolationKind::MessageBetween,
        ViolationKind::LostCalls,
        ViolationKind::EmptyReply,
    ] {
        assert!(alone.get(rule.name()).is_some_and(|&count| count > 10), "{rule:?}: {alone:?}");
    }
}

#[test]
fn another_order_within_a_turn_stays_valid() {
    let mut random = Rng::with_seed(seed("reordering"));
    for _ in 0..2_000 {
        let mut history = generated::history(&mut random);
        for turn in turns(&history) {
            random.shuffle(&mut history[turn.start + 1..turn.end]);
        }
        validate(&history).expect("the order does not matter");
        let (same, repairs) = repair(history.clone());
        assert_eq!((same, &*repairs), (history, &[][..]));
    }
}

/// The histories that a server has taken, with where they come from.
fn accepted() -> Option<Vec<(String, Vec<Message>)>> {
    let rows = rows("transcripts.jsonl")?;
    let accepted = rows.iter().map(|row| {
        let count = usize::try_from(row["accepted"].as_u64().expect("a number")).expect("it is small");
        let messages = row["messages"].as_array().expect("a list")[..count].to_vec();
        (row["source"].to_string(), read(messages.into()))
    });
    Some(accepted.collect())
}

#[test]
fn every_recorded_history_is_valid_in_any_order_within_its_turns() {
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
        for turn in turns(&messages) {
            random.shuffle(&mut messages[turn.start + 1..turn.end]);
            reordered += usize::from(turn.len() > 2);
        }
        validate(&messages).expect("the order does not matter");
    }
    println!("{} histories are valid, {reordered} turns in another order too", accepted.len());
}

#[test]
fn twenty_thousand_mutations_of_recorded_histories_are_refused_and_mended() {
    let Some(accepted) = accepted() else { return };
    check("recorded mutations", |random| accepted[random.usize(..accepted.len())].1.clone(), false);
}
