//! The median: a shared machine makes single runs slow, and medians hardly.

/// Of the middle two, their mean. `None` of nothing.
pub(crate) fn median(mut runs: Vec<f64>) -> Option<f64> {
    runs.sort_by(f64::total_cmp);
    let (low, high) = (runs.get(runs.len().saturating_sub(1) / 2)?, runs.get(runs.len() / 2)?);
    Some(f64::midpoint(*low, *high))
}
