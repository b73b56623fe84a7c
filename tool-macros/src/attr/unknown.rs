//! The error about an option that does not exist.

use super::edit_distance::edit_distance;
use super::option_name;
use syn::Error;
use syn::meta::ParseNestedMeta;

/// Suggests the intended option, if one is similar. Otherwise it lists the most similar options first.
pub(super) fn unknown(kind: &str, option: &ParseNestedMeta, known: &[&str]) -> Error {
    let name = option_name(option);
    option.error(match (known, suggest(&name, known)) {
        ([only], _) => format!("unknown {kind} `{name}`; expected `{only}`"),
        (_, Some(intended)) => {
            format!("unknown {kind} `{name}`, did you mean `{intended}`? (expected one of {})", list(known))
        }
        (_, None) => {
            let mut known = known.to_vec();
            known.sort_by_key(|known| distance(&name, known));
            format!("unknown {kind} `{name}`; expected one of {}", list(&known))
        }
    })
}

/// The nearest option, at an edit distance of at most a third of its length.
fn suggest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let nearest = known.iter().min_by_key(|known| distance(name, known))?;
    let max = (normalise(nearest).chars().count() / 3).max(1);
    (distance(name, nearest) <= max).then_some(nearest)
}

fn list(known: &[&str]) -> String {
    format!("`{}`", known.join("`, `"))
}

fn distance(name: &str, known: &str) -> usize {
    edit_distance(&normalise(name), &normalise(known))
}

/// Letter case and `_` are the most common mistakes, and do not count.
fn normalise(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::suggest;
    use crate::attr::TOOL_OPTIONS;

    #[test]
    fn a_misspelt_option_has_a_suggestion() {
        for (name, intended) in [
            ("readonly", "read_only"),
            ("readOnly", "read_only"),
            ("time_out", "timeout"),
            ("timout", "timeout"),
            ("require_approval", "requires_approval"),
            ("max_call", "max_calls"),
            ("concurrency", "max_concurrency"),
            ("outputSchema", "output_schema"),
            ("openworld", "open_world"),
        ] {
            assert_eq!(suggest(name, TOOL_OPTIONS), Some(intended), "{name}");
        }
    }

    #[test]
    fn another_word_has_no_suggestion() {
        for name in ["", "x", "retry", "cache", "strict", "parameters"] {
            assert_eq!(suggest(name, TOOL_OPTIONS), None, "{name}");
        }
    }
}
