//! Detection of tool calls in the format of a model's template, which the server should have parsed.

use serde_json::{Map, Value};

/// Markers of calls in the templates of well-known models, which are rare in prose.
const MARKERS: [&str; 14] = [
    "<tool_call>",                         // Hermes, Qwen, GLM
    "<|tool_call|>",                       // Granite
    "<|tool_call_start|>",                 // LFM2
    "<tool_calls>",                        // Jamba
    "<minimax:tool_call>",                 // MiniMax
    "<function=",                          // Llama 3, Qwen Coder
    "<function_call>",                     // Granite, older ones
    "<|python_tag|>",                      // Llama 3
    "[TOOL_CALLS]",                        // Mistral
    "functools[",                          // Phi 4
    "<｜tool▁calls▁begin｜>",              // DeepSeek
    "<｜tool▁call▁begin｜>",               // DeepSeek
    "<|tool_calls_section_begin|>",        // Kimi
    "<|channel|>commentary to=functions.", // gpt-oss
];

/// The marker of a call in this text. A marker counts only if it is followed by text that can be a call, and is neither in
/// quotes nor in Markdown code, unlike in an explanation of the format.
#[must_use]
pub fn begins_call(text: &str) -> Option<&'static str> {
    let quotes = Quotes::new(text);
    let is_marker = |marker: &str| {
        let mut after = text.match_indices(marker).map(|(at, _)| (at, &text[at + marker.len()..]));
        after.any(|(at, rest)| can_be_call(rest) && !quotes.contain(at))
    };
    let is_unquoted_tag = |at: usize| tag_start(text, at).is_some_and(|start| !quotes.contain(start));
    let has_dsml = || matches(text, "dsml").any(|at| is_dsml(text, at) && is_unquoted_tag(at));
    // The tags end the text, or it ends within them.
    let last_end = text.rfind("</").filter(|_| !text.trim_end().ends_with('>'));
    let is_last = |at| last_end.is_none_or(|end| end < at);
    let has_invoke =
        || matches(text, "invoke").any(|at| is_last(at) && is_invoke(&text[at..]) && is_unquoted_tag(at));
    let has_header = || matches(text, "to=functions.").any(|at| is_header(text, at) && !quotes.contain(at));
    let marker = MARKERS.into_iter().find(|marker| is_marker(marker));
    marker
        .or_else(|| has_dsml().then_some("DSML"))
        .or_else(|| has_invoke().then_some("<invoke name="))
        .or_else(|| has_header().then_some("to=functions."))
        .or_else(|| is_bare_call(text).then_some("{\"name\": .., \"parameters\": ..}"))
}

fn can_be_call(rest: &str) -> bool {
    let trimmed = rest.trim_start();
    rest.starts_with(char::is_alphanumeric)
        || trimmed.starts_with(['{', '[', '<'])
        || begins_with_name(trimmed)
}

/// Whether the first line is a name. Stops as early as possible, since a text may contain thousands of markers.
fn begins_with_name(text: &str) -> bool {
    let rest = text.trim_start_matches(is_of_name);
    rest.len() < text.len() && rest.chars().take_while(|&letter| letter != '\n').all(char::is_whitespace)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')
}

/// Where the words occur, in upper or lower case. They are ASCII.
fn matches<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_match = |window: &[u8]| window.eq_ignore_ascii_case(words.as_bytes());
    text.as_bytes()
        .windows(words.len())
        .enumerate()
        .filter(move |(_, window)| is_match(window))
        .map(|(at, _)| at)
}

/// Whether a name at this position is in a tag such as `<｜DSML｜tool_calls>`. `DeepSeek` writes it with bars of several
/// kinds, or with none (<https://github.com/TokenRhythm/opensquilla/issues/985>).
fn is_dsml(text: &str, at: usize) -> bool {
    const TAGS: [&str; 6] = ["tool_call", "tool_use", "function_call", "invoke", "parameter", "calls"];
    let tag = text[at + "dsml".len()..].trim_start_matches(is_bar);
    text[..at].trim_end_matches(is_bar).ends_with('<') && TAGS.iter().any(|name| tag.starts_with(name))
}

fn is_bar(letter: char) -> bool {
    matches!(letter, '｜' | '|' | '‖' | '▁' | '_' | ':' | ' ')
}

/// Whether the text continues a tag `<invoke name="..">`. Claude writes it after a stray word
/// (<https://github.com/anthropics/claude-code/issues/71487>).
fn is_invoke(text: &str) -> bool {
    let name = text["invoke".len()..].trim_start().strip_prefix("name=");
    let name = name.map(|name| name.trim_start_matches(['"', '\'']));
    name.is_some_and(|name| name.trim_start_matches(is_of_name).starts_with(['"', '\'', '>']))
}

/// Where the tag with a word at this position starts, if it is near.
fn tag_start(text: &str, at: usize) -> Option<usize> {
    const MAX_LETTERS: usize = 40;
    let before = text[..at].char_indices().rev().take(MAX_LETTERS);
    let mut before = before.skip_while(|&(_, letter)| is_of_name(letter) || is_bar(letter));
    before.next().filter(|&(_, letter)| letter == '<').map(|(start, _)| start)
}

/// Whether `to=functions.` at this position is the header of a call of gpt-oss, before its arguments
/// (<https://github.com/ggml-org/llama.cpp/issues/23838>).
fn is_header(text: &str, at: usize) -> bool {
    let name = &text[at + "to=functions.".len()..];
    let rest = name.trim_start_matches(is_of_name);
    // A constraint, a channel, a type of the content, or nothing.
    let rest = rest.trim_start();
    let after_words = rest.trim_start_matches(|letter: char| letter.is_ascii_lowercase() || letter == ' ');
    rest.len() < name.len() && (rest.starts_with("<|") || after_words.trim_start().starts_with(['{', '<']))
}

/// Whether the complete text is one call in JSON, as Llama 3 writes them.
fn is_bare_call(text: &str) -> bool {
    let Ok(call) = serde_json::from_str::<Map<String, Value>>(text) else { return false };
    let given = call.get("parameters").or_else(|| call.get("arguments"));
    call.get("name").is_some_and(Value::is_string)
        && given.is_some_and(Value::is_object)
        && call.keys().all(|key| matches!(&**key, "name" | "parameters" | "arguments" | "type" | "id"))
}

/// The parts of a text that are quoted.
struct Quotes<'a> {
    text: &'a str,
    /// Where the blocks of code begin and end, in turn.
    fences: Vec<usize>,
}

impl<'a> Quotes<'a> {
    fn new(text: &'a str) -> Self {
        Quotes { text, fences: text.match_indices("```").map(|(at, _)| at).collect() }
    }

    /// Whether the position is in a block of code, or directly after a quotation mark.
    fn contain(&self, at: usize) -> bool {
        let before = self.fences.partition_point(|&fence| fence < at);
        let is_in_block = before % 2 == 1;
        is_in_block || self.text[..at].ends_with(['`', '"', '\'', '“', '‘', '«', '„'])
    }
}
