//! The median, which other load on the machine hardly affects.

/// The median; the mean of the two middle values if their number is even. `None` without values.
pub(crate) fn median(mut runs: Vec<f64>) -> Option<f64> {
    runs.sort_by(f64::total_cmp);
    let (low, high) = (runs.get(runs.len().saturating_sub(1) / 2)?, runs.get(runs.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}
