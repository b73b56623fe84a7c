//! Recall over a public collection of questions, in the folder that the variable `TOOL_CORPORA` names.

use crate::tool;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use tool_runtime::ToolSchema;
use tool_runtime::search::KeywordIndex;

const DEPTHS: [usize; 3] = [1, 5, 10];

pub(crate) struct Collection {
    pub(crate) tools: Vec<ToolSchema>,
    /// Each question with the names of the tools that answer it.
    questions: Vec<(String, Vec<String>)>,
}

/// Prints a notice and returns `None` if `TOOL_CORPORA` is not set.
pub(crate) fn collection() -> Option<Collection> {
    let Some(folder) = std::env::var_os("TOOL_CORPORA") else {
        eprintln!("skipped: TOOL_CORPORA does not name the folder of the questions");
        return None;
    };
    let path = std::path::PathBuf::from(folder).join("search.jsonl");
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    let mut collection = Collection { tools: Vec::new(), questions: Vec::new() };
    for row in text.lines() {
        let mut row: Value = serde_json::from_str(row).expect("a row is JSON");
        let string = |value: &Value| value.as_str().expect("a string").to_owned();
        if row["kind"] == "tool" {
            let mut parameters = row["parameters"].take();
            use_json_types(&mut parameters);
            let description = string(&row["description"]);
            collection.tools.push(tool(&string(&row["name"]), &description, &parameters));
        } else {
            let names = row["names"].as_array().expect("an array").iter().map(string).collect();
            collection.questions.push((string(&row["question"]), names));
        }
    }
    Some(collection)
}

/// The collection has types of Python and Java.
fn use_json_types(value: &mut Value) {
    match value {
        Value::Object(entries) => {
            if let Some(Value::String(name)) = entries.get_mut("type") {
                let json_type = match name.to_lowercase().as_str() {
                    "dict" | "hashmap" => "object",
                    "float" | "double" => "number",
                    "tuple" | "array" | "arraylist" => "array",
                    "integer" | "long" => "integer",
                    "boolean" => "boolean",
                    _ => "string",
                };
                json_type.clone_into(name);
            }
            entries.values_mut().for_each(use_json_types);
        }
        Value::Array(items) => items.iter_mut().for_each(use_json_types),
        _ => {}
    }
}

/// The share of questions for which one of the right tools is among the first 1, 5 and 10.
fn recall<'c>(collection: &'c Collection, rank: impl Fn(&str) -> Vec<&'c str>) -> [f64; 3] {
    let mut hits = [0_u32; 3];
    for (question, names) in &collection.questions {
        let ranked = rank(question);
        for (hits, depth) in hits.iter_mut().zip(DEPTHS) {
            *hits += u32::from(ranked.iter().take(depth).any(|found| names.iter().any(|name| name == found)));
        }
    }
    let count = u32::try_from(collection.questions.len()).expect("a small number");
    hits.map(|hits| f64::from(hits) / f64::from(count))
}

/// BM25 as in text books, without fields, stems and stop words.
struct PlainBm25 {
    /// The number of words of each document.
    lengths: Vec<usize>,
    /// For each word, the documents that contain it, and how often.
    frequencies: HashMap<String, BTreeMap<usize, u32>>,
}

impl PlainBm25 {
    fn new(documents: impl Iterator<Item = String>) -> Self {
        let mut plain = PlainBm25 { lengths: Vec::new(), frequencies: HashMap::new() };
        for (position, document) in documents.enumerate() {
            plain.lengths.push(0);
            for word in Self::words(&document) {
                plain.lengths[position] += 1;
                *plain.frequencies.entry(word).or_default().entry(position).or_default() += 1;
            }
        }
        plain
    }

    fn words(text: &str) -> impl Iterator<Item = String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase)
    }

    #[allow(clippy::cast_precision_loss, reason = "the numbers are small")]
    fn rank(&self, query: &str) -> Vec<usize> {
        let count = self.lengths.len() as f64;
        let average = self.lengths.iter().sum::<usize>() as f64 / count;
        let mut scores = BTreeMap::<usize, f64>::new();
        for found in Self::words(query).filter_map(|word| self.frequencies.get(&word)) {
            let rarity = (1.0 + (count - found.len() as f64 + 0.5) / (found.len() as f64 + 0.5)).ln();
            for (&document, &frequency) in found {
                let norm = 1.2 * (0.25 + 0.75 * self.lengths[document] as f64 / average);
                let frequency = f64::from(frequency);
                *scores.entry(document).or_default() += rarity * frequency * 2.2 / (frequency + norm);
            }
        }
        let mut order: Vec<(usize, f64)> = scores.into_iter().collect();
        order.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        order.into_iter().map(|(document, _)| document).collect()
    }
}

fn parameter_names(schema: &Value, names: &mut String) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        names.push(' ');
        names.push_str(name);
        parameter_names(property, names);
    }
}

/// The right tool is among the first.
pub(crate) fn measure(collection: &Collection) {
    let tools = &collection.tools;
    let plain = |text: &dyn Fn(&ToolSchema) -> String| {
        let plain = PlainBm25::new(tools.iter().map(text));
        recall(collection, |query| plain.rank(query).into_iter().map(|tool| tools[tool].name()).collect())
    };
    let descriptions = plain(&|tool| tool.description().to_owned());
    let names = plain(&|tool| {
        let mut text = format!("{} {}", tool.name(), tool.description());
        parameter_names(&json!(tool)["function"]["parameters"], &mut text);
        text
    });
    let index = KeywordIndex::new(tools);
    let ours = recall(collection, |query| {
        index.rank(query, 10).into_iter().map(|tool| tools[tool].name()).collect()
    });
    println!("{} tools, {} questions; recall at 1, 5, 10", tools.len(), collection.questions.len());
    for (label, [first, five, ten]) in [
        ("BM25, descriptions", descriptions),
        ("BM25, names, descriptions, parameter names", names),
        ("`KeywordIndex`", ours),
    ] {
        println!("{label:45}{first:8.3}{five:8.3}{ten:8.3}");
    }
    // The results of 0.608, 0.838 and 0.896, less the difference that other weights make.
    let minimum = [0.59, 0.82, 0.88];
    assert!(
        ours.iter().zip(minimum).all(|(&recall, minimum)| recall >= minimum),
        "{ours:?}, at least {minimum:?}"
    );
}
