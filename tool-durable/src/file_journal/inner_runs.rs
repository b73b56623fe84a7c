//! The runs of inner sessions: their ids are those of the calls that started them, `{run_id}/{reply}/{position}`.

use std::iter::successors;
use std::ops::Range;
use tool_runtime::dispatch::CallKey;

/// The calls around a run, from the innermost.
pub(super) fn outer_calls(run_id: &str) -> impl Iterator<Item = CallKey> {
    successors(CallKey::from_inner_run_id(run_id), |call| CallKey::from_inner_run_id(&call.run_id))
}

/// Whether a run is that of an inner session of the other one, or of an inner session in it.
pub(super) fn is_inner(run_id: &str, outer: &str) -> bool {
    outer_calls(run_id).any(|call| call.run_id == outer)
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
        let outer: Vec<String> = outer_calls("a/1/2/3/4").map(|call| call.to_string()).collect();
        assert_eq!(outer, ["a/1/2/3/4", "a/1/2"]);
    }
}
