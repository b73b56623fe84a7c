//! The division of a limit among parts.

/// Returns the greatest limit for each part with which all parts together have at most `total` bytes. Returns `total` if all parts
/// fit.
pub(crate) fn max_part_len(lengths: impl Iterator<Item = usize>, total: usize) -> usize {
    let mut lengths: Vec<usize> = lengths.collect();
    lengths.sort_unstable();
    let mut rest = total;
    for (position, length) in lengths.iter().enumerate() {
        let share = rest / (lengths.len() - position);
        if *length > share {
            return share;
        }
        rest -= length;
    }
    total
}
