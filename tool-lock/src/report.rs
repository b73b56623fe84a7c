//! The text about changes.

use super::tools::ToolChanges;
use std::fmt::Write as _;

/// A first line with the numbers of changes, the breaking changes and the compatible ones, each group by tool.
pub(super) fn report(path: &str, tools: &[ToolChanges<'_>]) -> String {
    let breaking = count(tools, true);
    let compatible = count(tools, false);
    let numbers = match (breaking, compatible) {
        (breaking, 0) => changes(breaking, "breaking"),
        (0, compatible) => changes(compatible, "compatible"),
        (breaking, compatible) => {
            format!("{} and {}", changes(breaking, "breaking"), changes(compatible, "compatible"))
        }
    };
    let mut text = format!("the tools differ from {path}: {numbers}\n");
    for (is_breaking, heading) in [(true, "Breaking"), (false, "Compatible")] {
        if count(tools, is_breaking) == 0 {
            continue;
        }
        let _ = write!(text, "\n{heading}:\n");
        for tool in tools {
            let mut changes =
                tool.changes.iter().filter(|change| change.is_breaking == is_breaking).peekable();
            if changes.peek().is_some() {
                let _ = write!(text, "\n  {}\n", tool.tool);
            }
            for change in changes {
                let _ = writeln!(text, "    {}", change.line);
                for line in &change.diff {
                    let _ = writeln!(text, "      {}", line.trim_end());
                }
            }
        }
    }
    text
}

fn count(tools: &[ToolChanges<'_>], is_breaking: bool) -> usize {
    tools.iter().flat_map(|tool| &tool.changes).filter(|change| change.is_breaking == is_breaking).count()
}

fn changes(number: usize, kind: &str) -> String {
    format!("{number} {kind} {}", if number == 1 { "change" } else { "changes" })
}
