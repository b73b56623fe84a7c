//! Recorded correct calls with one random mistake each: the error names the path, the expected value and the correct
//! name.

use crate::{list, rows};
use fastrand::Rng;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tool_runtime::{DynamicTool, Registry, RegistryBuilder};

/// A mistake, and the words that its error must contain.
struct Mistake {
    kind: &'static str,
    arguments: Value,
    path: String,
    expected: &'static str,
    correct_name: Option<String>,
}

/// The number of errors, and of those that name the path, the expected value and the correct name.
#[derive(Debug, Default)]
struct Shares {
    errors: usize,
    path: usize,
    expected: usize,
    names: usize,
    correct_name: usize,
    tokens: usize,
}

/// Inserts, removes, replaces or swaps a letter.
fn misspelt(rng: &mut Rng, name: &str) -> String {
    let mut letters: Vec<char> = name.chars().collect();
    let at = rng.usize(..letters.len());
    match rng.usize(..4) {
        0 => letters.insert(at, rng.lowercase()),
        1 if letters.len() > 2 => drop(letters.remove(at)),
        2 if at > 0 => letters.swap(at - 1, at),
        _ => letters[at] = rng.lowercase(),
    }
    letters.into_iter().collect()
}

/// A value of a type that the schema does not accept.
fn wrong_type(rng: &mut Rng, schema: &Value) -> Option<Value> {
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let mut values = vec![
        ("string", json!("something")),
        ("boolean", json!(true)),
        ("array", json!([])),
        ("object", json!({"k": 1})),
        ("integer", json!(3)),
        ("null", json!(null)),
    ];
    values.retain(|(name, _)| !(types.contains(name) || *name == "integer" && types.contains(&"number")));
    Some(values.swap_remove(rng.usize(..values.len())).1)
}

/// Makes a mistake of this kind in a call, if it is possible.
fn mistake(
    rng: &mut Rng,
    kind: &'static str,
    schema: &Value,
    arguments: &Map<String, Value>,
) -> Option<Mistake> {
    let properties = schema["properties"].as_object()?;
    let required = list(&schema["required"]);
    let mut given: Vec<&String> = arguments.keys().filter(|key| properties.contains_key(*key)).collect();
    if matches!(kind, "misspelt required name" | "missing argument") {
        given.retain(|key| required.iter().any(|required| required == *key));
    }
    if kind == "misspelt enum value" {
        given.retain(|key| {
            properties[*key]["enum"].is_array() && arguments[*key].as_str().is_some_and(|text| text.len() > 2)
        });
    }
    let mut wrong = arguments.clone();
    let (mut path, expected, correct_name);
    if kind == "surplus argument" {
        wrong.insert("verbosity_level".to_owned(), json!(1));
        (path, expected) = ("verbosity_level".to_owned(), "is not an argument");
        correct_name = Some("but leave out `verbosity_level`".to_owned());
    } else {
        let key = (*given.get(rng.usize(..given.len().max(1)))?).clone();
        path = key.clone();
        match kind {
            "misspelt name" | "misspelt required name" => {
                let misspelt = misspelt(rng, &key);
                if key.chars().count() < 3
                    || properties.contains_key(&misspelt)
                    || wrong.contains_key(&misspelt)
                {
                    return None;
                }
                let value = wrong.remove(&key)?;
                wrong.insert(misspelt.clone(), value);
                if kind == "misspelt name" {
                    path.clone_from(&misspelt);
                }
                expected = if kind == "misspelt name" { "is not an argument" } else { "is missing" };
                correct_name = Some(format!("rename `{misspelt}` to `{key}`"));
            }
            "missing argument" => {
                wrong.remove(&key);
                (expected, correct_name) = ("is missing", None);
            }
            "wrong type" => {
                *wrong.get_mut(&key)? = wrong_type(rng, &properties[&key])?;
                (expected, correct_name) = ("expected ", None);
            }
            _ => {
                let value = wrong.get_mut(&key)?;
                let correct = value.as_str()?.to_owned();
                let misspelt = misspelt(rng, &correct);
                if list(&properties[&key]["enum"]).iter().any(|known| *known == misspelt) {
                    return None;
                }
                *value = misspelt.as_str().into();
                let change = format!("change `{key}` from {} to {}", json!(misspelt), json!(correct));
                // Another letter in a short word may make another word: `AUT` is not `AUS`.
                let has_long_words = correct.split(['_', '-', ' ']).all(|word| word.len() > 4);
                (expected, correct_name) = ("expected ", has_long_words.then_some(change));
            }
        }
    }
    Some(Mistake { kind, arguments: wrong.into(), path, expected, correct_name })
}

#[tokio::test]
async fn the_error_of_a_recorded_call_with_one_mistake_names_path_expectation_and_suggestion() {
    let Some(rows) = rows("bfcl_calls.jsonl") else { return };
    let seed =
        std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..));
    println!("SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let mut table: BTreeMap<&str, Shares> = BTreeMap::new();
    for row in &rows {
        let registry = |deny: bool| {
            let functions = list(&row["tools"]).iter().map(|tool| &tool["function"]);
            let tools = functions.map(|function| {
                let name = function["name"].as_str().expect("a name");
                DynamicTool::new(name, "", function["parameters"].clone(), |_| async { Ok::<_, String>(()) })
                    .deny_unknown_arguments(deny)
            });
            tools.fold(Registry::builder().rename_invalid_names(true), RegistryBuilder::dynamic).build()
        };
        let (open, closed) = (registry(false).expect("it loads"), registry(true).expect("it loads"));
        for (index, call) in list(&row["calls"]).iter().enumerate() {
            if row["valid"][index] == false {
                continue;
            }
            let tool = open.tool(call["name"].as_str().expect("a name")).expect("it is there").schema;
            let schema: Value = serde_json::from_str(tool.parameters().get()).expect("JSON");
            let arguments: Map<String, Value> = match &call["arguments"] {
                Value::String(text) => serde_json::from_str(text).expect("JSON"),
                object => serde_json::from_value(object.clone()).expect("an object"),
            };
            for kind in [
                "misspelt name",
                "misspelt required name",
                "missing argument",
                "wrong type",
                "misspelt enum value",
                "surplus argument",
            ] {
                let Some(mistake) = mistake(&mut rng, kind, &schema, &arguments) else { continue };
                let registry =
                    if matches!(kind, "misspelt name" | "surplus argument") { &closed } else { &open };
                let result = registry.call(tool.name(), &mistake.arguments).await;
                let error = result.into_result().expect_err("one mistake").to_string();
                let shares = table.entry(mistake.kind).or_default();
                shares.errors += 1;
                shares.tokens += tiktoken_rs::o200k_base_singleton().encode_ordinary(&error).len();
                shares.path += usize::from(error.contains(&format!("`{}`", mistake.path)));
                shares.expected += usize::from(error.contains(mistake.expected));
                if let Some(correct_name) = mistake.correct_name {
                    shares.names += 1;
                    let is_named = error.contains(&correct_name);
                    shares.correct_name += usize::from(is_named);
                    if !is_named {
                        println!("without {correct_name}: {error}");
                    }
                }
            }
        }
    }
    for (kind, Shares { errors, path, expected, names, correct_name, tokens }) in &table {
        println!(
            "{kind}: {errors} errors, {path} name the path, {expected} the expected value, {correct_name} of \
             {names} the correct name, {tokens} tokens"
        );
    }
    let total = |of: fn(&Shares) -> usize| table.values().map(of).sum::<usize>();
    println!("{} tokens in {} errors", total(|shares| shares.tokens), total(|shares| shares.errors));
    assert_eq!(table.len(), 6, "each kind of mistake is made");
    for (kind, shares) in table {
        assert_eq!((shares.path, shares.expected), (shares.errors, shares.errors), "{kind}");
        assert_eq!(shares.correct_name, shares.names, "{kind}: {shares:?}");
    }
}
