//! The lines of two texts that differ.

use serde_json::Value;

/// The product of the numbers of lines up to which the common lines are searched.
const MAX_PAIRS: usize = 100_000;
/// In characters.
const MAX_JSON: usize = 200;

/// The lines that only one of the texts has: `- ` before a line of the old text, `+ ` before one of the new text.
pub(super) fn line_diff(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let prefix = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (old.get(prefix..).unwrap_or_default(), new.get(prefix..).unwrap_or_default());
    let suffix = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let old = old.get(..old.len() - suffix).unwrap_or_default();
    let new = new.get(..new.len() - suffix).unwrap_or_default();
    let common = if old.len() * new.len() <= MAX_PAIRS { common_lines(old, new) } else { Vec::new() };
    let mut diff = Vec::new();
    let (mut next_old, mut next_new) = (0, 0);
    for (at_old, at_new) in common.into_iter().chain([(old.len(), new.len())]) {
        diff.extend(old.iter().take(at_old).skip(next_old).map(|line| format!("- {line}")));
        diff.extend(new.iter().take(at_new).skip(next_new).map(|line| format!("+ {line}")));
        (next_old, next_new) = (at_old + 1, at_new + 1);
    }
    diff
}

/// The positions of a longest common subsequence.
fn common_lines(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    // `lengths[i * width + j]`: the length for the lines from `i` and from `j`.
    let mut lengths = vec![0_usize; (old.len() + 1) * width];
    let length = |lengths: &[usize], i: usize, j: usize| lengths.get(i * width + j).copied().unwrap_or(0);
    for (i, old) in old.iter().enumerate().rev() {
        for (j, new) in new.iter().enumerate().rev() {
            let longest = if old == new {
                length(&lengths, i + 1, j + 1) + 1
            } else {
                length(&lengths, i + 1, j).max(length(&lengths, i, j + 1))
            };
            lengths.get_mut(i * width + j).into_iter().for_each(|length| *length = longest);
        }
    }
    let (mut i, mut j, mut common) = (0, 0, Vec::new());
    while let (Some(left), Some(right)) = (old.get(i), new.get(j)) {
        if left == right {
            common.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if length(&lengths, i + 1, j) >= length(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    common
}

/// Two values as lines of JSON.
pub(super) fn json_diff(old: Option<&Value>, new: Option<&Value>) -> Vec<String> {
    let line = |sign: &str, value: Option<&Value>| Some(format!("{sign} {}", short_json(value?)));
    line("-", old).into_iter().chain(line("+", new)).collect()
}

/// The text of a value, truncated.
pub(super) fn short_json(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_JSON) {
        Some((end, _)) => format!("{} ..", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::line_diff;

    #[test]
    fn only_the_lines_that_differ_are_listed() {
        let old = "Finds orders.\n\nSearches by name.\nIs slow.\nEnd.";
        let new = "Finds orders.\n\nSearches by name and id.\nIs slow.\nReally.\nEnd.";
        assert_eq!(line_diff(old, new), ["- Searches by name.", "+ Searches by name and id.", "+ Really."]);
        assert_eq!(line_diff("", "a"), ["+ a"]);
        assert_eq!(line_diff("a\nb", "b"), ["- a"]);
        assert_eq!(line_diff("same", "same"), [""; 0]);
        let many = (0..1_000).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
        let others = many.replace('\n', "x\n") + "x";
        assert_eq!(line_diff(&many, &others).len(), 2_000);
    }
}
