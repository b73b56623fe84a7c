//! The runs of inner sessions: their ids are those of the calls that started them, `{run_id}/{reply}/{position}`.

use std::ops::Range;

/// The run id, the reply and the position of the call that started a run; `None` if its id is not that of a call.
pub(super) fn outer_call(run_id: &str) -> Option<(&str, u64, u64)> {
    let (call, position) = run_id.rsplit_once('/')?;
    let (outer, reply) = call.rsplit_once('/')?;
    Some((outer, number(reply)?, number(position)?))
}

/// A number as `CallKey` writes it.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// The calls around a run, from the innermost.
pub(super) fn outer_calls(run_id: &str) -> impl Iterator<Item = (&str, u64, u64)> {
    std::iter::successors(outer_call(run_id), |&(outer, ..)| outer_call(outer))
}

/// Whether a run is that of an inner session of the other one, or of an inner session in it.
pub(super) fn is_inner(run_id: &str, outer: &str) -> bool {
    outer_calls(run_id).any(|(id, ..)| id == outer)
}

/// The range that contains the ids of inner runs, and possibly others.
pub(super) fn range(outer: &str) -> Range<String> {
    // `0` follows `/`.
    format!("{outer}/")..format!("{outer}0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_id_that_continues_with_calls_is_that_of_an_inner_run() {
        for inner in ["order-7/2/0", "order-7/0/0/12/3", "order-7/18446744073709551615/1"] {
            assert!(is_inner(inner, "order-7"), "{inner}");
            assert!(range("order-7").contains(&inner.to_owned()), "{inner}");
        }
        let others = ["order-7", "order-70/2/0", "order-7/2", "order-7/a/0", "order-7/2/a", "order-7/02/0"];
        for other in
            others.into_iter().chain(["order-7/+2/0", "order-7/2/0/", "order-7/2/0/1", "x/order-7/2/0", ""])
        {
            assert!(!is_inner(other, "order-7"), "{other}");
        }
        assert_eq!(outer_calls("a/1/2/3/4").collect::<Vec<_>>(), [("a/1/2", 3, 4), ("a", 1, 2)]);
    }
}
