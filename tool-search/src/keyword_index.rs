//! A ranking of tools by keywords.

use crate::Definition;
use crate::tool_words::tool_words;
use crate::words::{name_parts, stems, tokens};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::fmt;

/// The weights of the name, the description and the parameters in BM25F, the form of BM25 for documents with fields
/// (<https://doi.org/10.1145/1031171.1031181>). The name is the most specific to a tool; many tools share parameters.
const WEIGHTS: [f64; 3] = [3.0, 2.0, 1.0];
/// How fast repetitions of a word stop counting, and how much the length of a field counts; the usual values.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The maximum number of tokens of a query; the rest is ignored, since the time of a query grows with their number.
const MAX_QUERY_LENGTH: usize = 100;

/// An index of tools for queries in words. The documentation of `tool_runtime::search::KeywordIndex` describes the ranking.
///
/// ```
/// use tool_runtime_search::{Definition, KeywordIndex};
///
/// let tool = |name, description| Definition { name, description, parameters: r#"{"type":"object"}"# };
/// let index = KeywordIndex::new([
///     tool("send_mail", "Sends an e-mail."),
///     tool("get_weather", "Looks up the weather of a city."),
///     tool("get_time", "Returns the time of a city."),
/// ]);
/// assert_eq!(index.rank("What is the weather in the cities of Norway?", 10), [1, 2]);
/// ```
#[derive(Clone, Default)]
pub struct KeywordIndex {
    /// For each word, the tools that contain it.
    postings: HashMap<String, Vec<Posting>>,
    /// The tools by their names in lower case, without separators; more than one if the names differ only there.
    tools_by_name: HashMap<String, Vec<u32>>,
    /// For each tool, its position in the order of names.
    name_order: Vec<u32>,
}

/// A tool that contains a word.
#[derive(Clone, Copy)]
struct Posting {
    tool: u32,
    score: f32,
}

impl KeywordIndex {
    /// An index of these tools. [`rank`](KeywordIndex::rank) returns positions in this order.
    pub fn new<'d>(tools: impl IntoIterator<Item = Definition<'d>>) -> Self {
        let mut names = Vec::new();
        let mut tools_by_name = HashMap::<_, Vec<_>>::new();
        let mut words = Vec::new();
        for (tool, position) in tools.into_iter().zip(0..) {
            names.push((tool.name, position));
            tools_by_name.entry(name_parts(tool.name).concat()).or_default().push(position);
            words.push(tool_words(tool));
        }
        tools_by_name.remove("");
        let mut name_order = vec![0; names.len()];
        names.sort_unstable();
        for (&(_, position), order) in names.iter().zip(0..) {
            if let Some(slot) = name_order.get_mut(position as usize) {
                *slot = order;
            }
        }
        KeywordIndex { postings: postings(&words), tools_by_name, name_order }
    }

    /// The positions of at most `limit` tools that match the query, the best first. Empty if no tool has the name in the
    /// query or one of its words; words such as `the` do not count.
    ///
    /// A query counts up to its first 100 words; an identifier such as `get_weather` counts as several.
    #[must_use]
    pub fn rank(&self, query: &str, limit: usize) -> Vec<usize> {
        self.rank_among(query, limit, |_| true)
    }

    /// Like [`rank`](KeywordIndex::rank), only among the positions for which `is_candidate` returns true, for example the
    /// tools that a request may use.
    #[must_use]
    pub fn rank_among(&self, query: &str, limit: usize, is_candidate: impl Fn(usize) -> bool) -> Vec<usize> {
        let named = self.named_in(query);
        // Each word once and in one order, so that the sums do not depend on the order of the query.
        let words: BTreeSet<String> =
            stems(tokens(query, MAX_QUERY_LENGTH)).into_iter().take(MAX_QUERY_LENGTH).collect();
        let mut scores = vec![0.0_f32; self.name_order.len()];
        for posting in words.iter().filter_map(|word| self.postings.get(word)).flatten() {
            if let Some(score) = scores.get_mut(posting.tool as usize) {
                *score += posting.score;
            }
        }
        // A heap of the best, with the worst of them at the top: sorting all matches would take longer than finding them.
        let mut best: BinaryHeap<(Rank, usize)> = BinaryHeap::new();
        for ((score, &name_order), tool) in scores.into_iter().zip(&self.name_order).zip(0..) {
            // Most queries contain no name.
            let name_parts = if named.is_empty() { 0 } else { named.get(&tool).copied().unwrap_or_default() };
            let rank = Rank { name_parts: Reverse(name_parts), score: Reverse(score.to_bits()), name_order };
            let is_match = score > 0.0 || name_parts > 0;
            let is_better = best.len() < limit || best.peek().is_some_and(|(worst, _)| rank < *worst);
            if is_match && is_better && is_candidate(tool as usize) {
                best.push((rank, tool as usize));
                if best.len() > limit {
                    best.pop();
                }
            }
        }
        best.into_sorted_vec().into_iter().map(|(_, position)| position).collect()
    }

    /// Each tool whose name is in the query, with the number of parts of the name. A name is one identifier, such as
    /// `get_weather`, or the whole query. Words inside a sentence, such as `find` or `book flight`, are not names.
    fn named_in(&self, query: &str) -> HashMap<u32, usize> {
        let is_separator = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | '.');
        let identifiers = query.split(is_separator).take(MAX_QUERY_LENGTH).map(name_parts);
        let identifiers = identifiers.filter(|parts| parts.len() > 1);
        let mut named = HashMap::new();
        for parts in identifiers.chain([name_parts(query)]) {
            for &tool in self.tools_by_name.get(&parts.concat()).into_iter().flatten() {
                let most = named.entry(tool).or_default();
                *most = parts.len().max(*most);
            }
        }
        named
    }
}

impl fmt::Debug for KeywordIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeywordIndex").field("tools", &self.name_order.len()).finish_non_exhaustive()
    }
}

/// The place of a tool among the matches of a query; the best is the smallest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// The number of parts of its name, if the query contains it; otherwise 0.
    name_parts: Reverse<usize>,
    /// The bits of positive floats have the order of the floats.
    score: Reverse<u32>,
    name_order: u32,
}

/// The score of each word in each tool.
fn postings(tools: &[[Vec<String>; 3]]) -> HashMap<String, Vec<Posting>> {
    #[allow(clippy::cast_precision_loss, reason = "the numbers are small")]
    let float = |number: usize| number as f64;
    let count = float(tools.len());
    let mut total = [0; WEIGHTS.len()];
    for fields in tools {
        total.iter_mut().zip(fields).for_each(|(total, words)| *total += words.len());
    }
    let average = total.map(|words| float(words.max(1)) / count);
    let mut frequencies = HashMap::<&str, Vec<(u32, f64)>>::new();
    for (fields, position) in tools.iter().zip(0..) {
        let mut weights = BTreeMap::<&str, f64>::new();
        for ((words, weight), average) in fields.iter().zip(WEIGHTS).zip(average) {
            let norm = 1.0 - B + B * float(words.len()) / average;
            for word in words {
                *weights.entry(word).or_default() += weight / norm;
            }
        }
        for (word, frequency) in weights {
            frequencies.entry(word).or_default().push((position, frequency));
        }
    }
    let postings = frequencies.into_iter().map(|(word, found)| {
        let with_word = float(found.len());
        let rarity = ((count - with_word + 0.5) / (with_word + 0.5)).ln_1p();
        #[allow(clippy::cast_possible_truncation, reason = "the precision suffices for a ranking")]
        let posting = |(tool, frequency): (u32, f64)| Posting {
            tool,
            score: (rarity * frequency / (K1 + frequency)) as f32,
        };
        (word.to_owned(), found.into_iter().map(posting).collect())
    });
    postings.collect()
}

#[cfg(test)]
mod tests {
    use super::KeywordIndex;
    use crate::Definition;

    #[test]
    fn the_limit_counts_only_candidates() {
        let tool = |name| Definition { name, description: "", parameters: r#"{"type":"object"}"# };
        let index = KeywordIndex::new(["a_city", "b_city", "c_city", "d_city"].map(tool));
        assert_eq!(index.rank_among("city", 2, |position| position % 2 == 1), [1, 3]);
        assert_eq!(index.rank_among("a_city", 9, |position| position > 0), [1, 2, 3]);
    }
}
