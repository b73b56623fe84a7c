//! The names that servers take.

use crate::tool::DynamicTool;
use std::collections::HashMap;

/// What servers take as the name of a function:
/// <https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools>.
const LONGEST: usize = 64;

pub(super) fn is_valid(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len()) && name.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// The name with `_` for each letter that is not taken, and cut where it is too long.
pub(super) fn mapped(name: &str) -> String {
    let mapped: String = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
    if is_valid(&mapped) { mapped } else { marked(name) }
}

/// The same, told from every other that is mapped alike.
pub(super) fn marked(name: &str) -> String {
    let allowed = name.chars().map(|letter| if is_allowed(letter) { letter } else { '_' });
    let head: String = allowed.take(LONGEST - 9).collect();
    format!("{head}_{:08x}", fingerprint(name))
}

/// FNV-1a, which is the same in every build: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn fingerprint(name: &str) -> u32 {
    name.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Each tool under the name that servers see; `others` are those of the tools that are not dynamic.
pub(super) fn of_dynamic_tools<'a>(
    tools: Vec<DynamicTool>,
    are_mapped: bool,
    others: impl Iterator<Item = &'a str>,
) -> Vec<(String, DynamicTool)> {
    let name_of = |tool: &DynamicTool| if are_mapped { mapped(&tool.name) } else { tool.name.clone() };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for name in tools.iter().map(name_of).chain(others.map(str::to_owned)) {
        *counts.entry(name).or_default() += 1;
    }
    let named = |tool: DynamicTool| {
        let name = name_of(&tool);
        let is_ambiguous = name != tool.name && counts.get(&name).is_some_and(|&count| count > 1);
        (if is_ambiguous { marked(&tool.name) } else { name }, tool)
    };
    tools.into_iter().map(named).collect()
}
