//! The edit distance of two names. It is not from `strsim`, which would be one more crate in every program.

/// The number of changes that make one name of the other: a letter is inserted, removed or replaced, or two neighbours are swapped.
/// Each letter is changed at most once (the optimal string alignment distance).
pub(super) fn edit_distance(one: &str, other: &str) -> usize {
    let width = other.chars().count() + 1;
    // The distances of the first letters of `one`, which are one more in each row, from the first letters of `other`.
    let mut rows = [vec![0; width], (0..width).collect(), vec![0; width]];
    let mut last_letter = None;
    for (index, letter) in one.chars().enumerate() {
        let [second_last, last, row] = &mut rows;
        row[0] = index + 1;
        let mut last_of_other = None;
        for (column, letter_of_other) in other.chars().enumerate() {
            let replaced = last[column] + usize::from(letter != letter_of_other);
            row[column + 1] = replaced.min(last[column + 1] + 1).min(row[column] + 1);
            if last_letter == Some(letter_of_other) && last_of_other == Some(letter) {
                row[column + 1] = row[column + 1].min(second_last[column - 1] + 1);
            }
            last_of_other = Some(letter_of_other);
        }
        last_letter = Some(letter);
        rows.rotate_left(1);
    }
    let [_, last, _] = rows;
    last[width - 1]
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn the_distances_of_known_pairs() {
        for (one, other, distance) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("name", "name", 0),
            ("ab", "ba", 1),
            ("serach", "search", 1),
            ("timout", "timeout", 1),
            ("timeouts", "timeout", 1),
            ("limit", "limed", 2),
            ("kitten", "sitting", 3),
            ("größe", "grösse", 2),
            ("größe", "groeße", 2),
            ("日本", "本日", 1),
            // With another change between swapped letters, it would be 2.
            ("ca", "abc", 3),
            ("abc", "ca", 3),
        ] {
            assert_eq!(edit_distance(one, other), distance, "{one} {other}");
        }
    }
}
