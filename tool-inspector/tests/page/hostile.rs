//! Texts that try to run a script, to change the direction of text, or to break the layout.

pub(crate) const SCRIPT: &str = "<script>window.attacked = 1</script><img src=x onerror=\"window.attacked = 2\">\
    \"'`</textarea></script><svg onload=window.attacked=3>{{7*7}}${window.attacked=4}";
pub(crate) const INVISIBLE: &str =
    "before \u{202e}reversed\u{202c} \u{200b}\u{2066}isolated\u{2069} \u{0}\u{1b}[31m\u{feff} after";

/// One line without spaces.
pub(crate) fn long_line() -> String {
    "x".repeat(1_000_000)
}
