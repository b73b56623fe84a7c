//! A tool accepts what its strict schema accepts, null for an absent argument included. The exceptions are listed, and each
//! must be one.

use crate::instances::instance;
use crate::{Schema, Verdict, seed, shapes, verdict};
use fastrand::Rng;
use serde_json::Value;
use tool_runtime::{Dialect, Registry};

const INSTANCES: usize = 100;

/// Shapes whose strict schema accepts more than the tool: the range of a wide number is not published, and strict schemas
/// know neither the order of a mixed tuple nor these keywords, which are in the description.
const WIDER: [(&str, &str); 12] = [
    ("float", "range"),
    ("nested", "order"),
    ("tuple", "order"),
    ("tuple_struct", "order"),
    ("externally_tagged", "order"),
    ("several", "order"),
    ("letter", "minLength, maxLength"),
    ("narrowed", "minLength, maxLength"),
    ("constrained", "minLength, maxLength"),
    ("set", "uniqueItems"),
    ("set_of_text", "uniqueItems"),
    ("set_of_lists", "uniqueItems"),
];

#[tokio::test]
async fn a_tool_accepts_what_its_strict_schema_accepts() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    let array = registry.schemas_for(Dialect::OpenAiStrict).expect("there are tools").get();
    let tools: Vec<Value> = serde_json::from_str(array).expect("an array is JSON");
    let seed = seed();
    let mut rejected: Vec<String> = Vec::new();
    let (mut strict, mut instances) = (0, 0);
    for tool in tools.iter().map(|tool| &tool["function"]).filter(|tool| tool.get("strict").is_some()) {
        let name = tool["name"].as_str().expect("a name");
        // The text of a date or an address is for its decoder.
        if shapes::FORMATTED.contains(&name) {
            continue;
        }
        strict += 1;
        let schema = Schema::new(tool["parameters"].clone());
        let mut rng = Rng::with_seed(seed);
        let is_listed = WIDER.iter().any(|(wider, _)| *wider == name);
        let before = rejected.len();
        for _ in 0..INSTANCES {
            let value = instance(&mut rng, &schema.value, &schema.value, 0);
            let arguments = value.to_string();
            // Not every instance of a schema with many limits is within them.
            if schema.verdict(&arguments) == Verdict::Refused {
                continue;
            }
            instances += 1;
            if verdict(&registry, name, &arguments).await == Verdict::Refused {
                rejected.push(format!("{name}: {arguments} of {}", schema.value));
            }
        }
        if is_listed {
            assert!(rejected.len() > before, "{name} is listed, and its schema is not wider, seed {seed}");
            rejected.truncate(before);
        }
    }
    println!("{strict} strict schemas, {instances} instances, {} rejected", rejected.len());
    assert!(strict >= 60 && instances >= 5_000, "{strict} schemas, {instances} instances, seed {seed}");
    assert!(rejected.is_empty(), "seed {seed}:\n{}", rejected.join("\n"));
}
