//! A tool accepts what its strict schema accepts, null for an absent argument included. The exceptions are listed, and each
//! must be one.

use crate::instances::instance;
use crate::{Schema, Verdict, seed, shapes};
use fastrand::Rng;
use serde_json::Value;
use tool_runtime::{Dialect, Registry};

const INSTANCES: usize = 100;

/// Shapes whose strict schema accepts more than the tool, and a part of the error message: the range of a wide number is
/// not published, and strict schemas know neither the order of a mixed tuple nor lengths and unique items, which are in the
/// description.
const WIDER: [(&str, &str); 12] = [
    ("float", "from -3.4e38 to 3.4e38"),
    ("nested", "pair["),
    ("tuple", "value["),
    ("tuple_struct", "value["),
    ("externally_tagged", "Tuple["),
    ("several", "Tuple["),
    ("letter", "expected a character"),
    ("narrowed", "a string of 1 to 3 characters"),
    ("constrained", "a string of 1 to 4 characters"),
    ("set", "is there twice"),
    ("set_of_text", "is there twice"),
    ("set_of_lists", "is there twice"),
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
        let listed = WIDER.iter().find(|(wider, _)| *wider == name).map(|(_, problem)| *problem);
        let mut is_wider = false;
        for _ in 0..INSTANCES {
            let value = instance(&mut rng, &schema.value, &schema.value, 0);
            let arguments = value.to_string();
            // Not every instance of a schema with many limits is within them.
            if schema.verdict(&arguments) == Verdict::Refused {
                continue;
            }
            instances += 1;
            let Err(error) = registry.call(name, &arguments).await else { continue };
            if listed.is_some_and(|problem| error.to_string().contains(problem)) {
                is_wider = true;
            } else {
                rejected.push(format!("{name}: {arguments} of {}: {error}", schema.value));
            }
        }
        assert_eq!(is_wider, listed.is_some(), "{name} is listed, and its schema is not wider, seed {seed}");
    }
    println!("{strict} strict schemas, {instances} instances, {} rejected", rejected.len());
    assert!(strict >= 60 && instances >= 5_000, "{strict} schemas, {instances} instances, seed {seed}");
    assert!(rejected.is_empty(), "seed {seed}:\n{}", rejected.join("\n"));
}
