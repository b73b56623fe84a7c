//! A tool accepts every value that OpenAI's strict form of its schema accepts, including null for an absent argument. Each
//! listed exception must be one.

use crate::enforced::add_ranges;
use crate::instances::instance;
use crate::{Schema, Verdict, seed, shapes};
use fastrand::Rng;
use tool_runtime::Registry;

const INSTANCES: usize = 100;

/// A shape whose strict schema accepts more than the tool: a part of the error message, and a value with that error.
type Wider = (&'static str, &'static str, &'static str);

/// Strict schemas do not support the order of a mixed tuple, lengths and unique items, which are in the description. The
/// ranges of types, which are not published, are added.
const WIDER: [Wider; 11] = [
    (
        "nested",
        "pair[",
        r#"{"value":{"plain":{"a":1,"b":null},"many":[],"maybe":{"unit":"A","pair":[0.5,1]}}}"#,
    ),
    ("tuple", "value[", r#"{"value":["a",1,null]}"#),
    ("tuple_struct", "value[", r#"{"value":["a",1]}"#),
    ("externally_tagged", "Tuple[", r#"{"value":{"Tuple":["a",1]}}"#),
    ("several", "Tuple[", r#"{"a":1,"b":null,"c":[{"Tuple":["a",1]}]}"#),
    ("letter", "expected a string of 1 character", r#"{"value":"ab"}"#),
    (
        "narrowed",
        "a string of 1 to 3 characters",
        r#"{"count":2,"ratio":0.5,"text":"long","word":"a","list":[1]}"#,
    ),
    (
        "constrained",
        "a string of 1 to 4 characters",
        r#"{"value":{"count":1,"share":0,"name":"","list":[],"word":null,"fives":5}}"#,
    ),
    ("set", "an equal item is in the list already", r#"{"value":[1,1]}"#),
    ("set_of_text", "an equal item is in the list already", r#"{"value":["a","a"]}"#),
    ("set_of_lists", "an equal item is in the list already", r#"{"value":[[],[]]}"#),
];

#[tokio::test]
async fn a_tool_accepts_what_its_strict_schema_accepts() {
    let registry = Registry::builder().tools(shapes::shapes()).null_means_absent(true).build();
    let registry = registry.expect("the shapes have different names");
    let seed = seed();
    let mut rejected: Vec<String> = Vec::new();
    let (mut strict, mut instances) = (0, 0);
    for tool in registry.schemas() {
        let name = tool.name();
        let Ok(strict_form) = tool.openai_strict() else { continue };
        // Only the decoder validates the text of a date or an address.
        if shapes::FORMATTED.contains(&name) {
            continue;
        }
        strict += 1;
        let mut schema = serde_json::from_str(strict_form.get()).expect("a schema is JSON");
        add_ranges(name, &mut schema);
        let schema = Schema::new(schema);
        let mut rng = Rng::with_seed(seed);
        let listed = WIDER.iter().find(|(wider, ..)| *wider == name);
        if let Some((_, problem, example)) = listed {
            assert_eq!(schema.verdict(example), Verdict::Valid, "{name}: {example} of {}", schema.value);
            let error = registry.call(name, example).await.into_result().expect_err(name).to_string();
            assert!(error.contains(problem), "{name}: {error}");
        }
        for _ in 0..INSTANCES {
            let value = instance(&mut rng, &schema.value, &schema.value, 0);
            let arguments = value.to_string();
            // An instance may exceed the limits of its schema.
            if schema.verdict(&arguments) == Verdict::Invalid {
                continue;
            }
            instances += 1;
            let Err(error) = registry.call(name, &value).await.into_result() else { continue };
            if listed.is_none_or(|(_, problem, _)| !error.to_string().contains(problem)) {
                rejected.push(format!("{name}: {arguments} of {}: {error}", schema.value));
            }
        }
    }
    println!("{strict} strict schemas, {instances} instances, {} rejected", rejected.len());
    assert!(strict >= 60 && instances >= 5_000, "{strict} schemas, {instances} instances, seed {seed}");
    assert!(rejected.is_empty(), "seed {seed}:\n{}", rejected.join("\n"));
}
