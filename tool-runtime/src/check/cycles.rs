//! Schemas that say of themselves that they are what they are.

use super::rule::{Rule, RuleId};

/// Takes out each reference that leads back to its own rule before any part of a value was looked at: it says nothing, and
/// would be followed for ever. Says how many there were.
pub(super) fn break_up(rules: &mut [Rule]) -> usize {
    let mut states = vec![State::New; rules.len()];
    let mut broken = 0;
    for start in 0..rules.len() {
        visit(RuleId(start), rules, &mut states, &mut broken);
    }
    broken
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnTheWay,
    Done,
}

/// Without recursion, since a schema may be as deep as whoever wrote it likes.
fn visit(start: RuleId, rules: &mut [Rule], states: &mut [State], broken: &mut usize) {
    let mut way = vec![(start, 0)];
    while let Some((id, step)) = way.pop() {
        match states[id.0] {
            State::Done => continue,
            State::New => states[id.0] = State::OnTheWay,
            State::OnTheWay => {}
        }
        let Some(next) = rules[id.0].same_value(step) else {
            states[id.0] = State::Done;
            continue;
        };
        if states[next.0] == State::OnTheWay {
            rules[id.0].forget(step);
            *broken += 1;
            way.push((id, step + 1));
        } else {
            way.push((id, step + 1));
            way.push((next, 0));
        }
    }
}
