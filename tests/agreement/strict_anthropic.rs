//! Anthropic's strict form of a schema differs from the enforced schema only in the keywords that it cannot have: a
//! value that is valid under both runs, and the form rejects no value that the published schema accepts.

use crate::instances::instance;
use crate::{Schema, Verdict, seed, shapes, verdict};
use fastrand::Rng;
use serde_json::Value;
use tool_runtime::Registry;

const INSTANCES: usize = 100;

/// The keywords that the form does not have; the descriptions mention them.
const LIMITS: [&str; 13] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "pattern",
    "prefixItems",
    "format",
];

/// The schema without limits.
fn relaxed(value: &Value) -> Value {
    match value {
        Value::Object(keywords) => keywords
            .iter()
            // A property with such a name has a schema.
            .filter(|(keyword, value)| !LIMITS.contains(&keyword.as_str()) || value.is_object())
            .map(|(keyword, value)| {
                // Two variants of a flattened enum are rejected, which no form expresses.
                let keyword = if keyword == "oneOf" { "anyOf" } else { keyword };
                (keyword.to_owned(), relaxed(value))
            })
            .collect(),
        Value::Array(items) => items.iter().map(relaxed).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn the_anthropic_form_accepts_the_same_values_apart_from_limits() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    let seed = seed();
    let mut failures: Vec<String> = Vec::new();
    let (mut forms, mut run, mut beyond) = (0, 0, 0);
    for tool in registry.schemas() {
        let name = tool.name();
        let Ok(form) = tool.anthropic_strict() else { continue };
        // Only the decoder validates the text of a date or an address.
        if shapes::FORMATTED.contains(&name) {
            continue;
        }
        forms += 1;
        let form = Schema::new(serde_json::from_str(form.parameters.get()).expect("a schema is JSON"));
        let published = Schema::published(&registry, name);
        let enforced = Schema::enforced(&registry, name);
        let without_limits = Schema::new(relaxed(&enforced.value));
        let mut rng = Rng::with_seed(seed);
        for _ in 0..INSTANCES {
            let arguments = instance(&mut rng, &form.value, &form.value, 0).to_string();
            assert_eq!(form.verdict(&arguments), Verdict::Valid, "{name}: {arguments} of {}", form.value);
            if enforced.verdict(&arguments) == Verdict::Valid {
                run += 1;
                if verdict(&registry, name, &arguments).await == Verdict::Invalid {
                    failures.push(format!("{name}: rejected {arguments} of {}", form.value));
                }
            } else {
                beyond += 1;
                if without_limits.verdict(&arguments) == Verdict::Invalid {
                    failures.push(format!("{name}: {arguments} is of {}", form.value));
                }
            }
            let arguments = instance(&mut rng, &published.value, &published.value, 0).to_string();
            if published.verdict(&arguments) == Verdict::Valid && form.verdict(&arguments) == Verdict::Invalid
            {
                failures.push(format!("{name}: {arguments} is not of {}", form.value));
            }
        }
    }
    println!("{forms} forms, {run} instances run, {beyond} exceed a limit");
    assert!(forms >= 55 && run >= 3_000, "{forms} forms, {run} instances, seed {seed}");
    assert!(failures.is_empty(), "seed {seed}, {}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn the_shapes_without_an_anthropic_form_are_maps_and_recursive_types() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    for tool in registry.schemas() {
        let Err(reasons) = tool.anthropic_strict() else { continue };
        for reason in reasons {
            let known = [
                "is a map, whose keys are not fixed",
                "is recursive",
                "takes any value",
                "is an object with any keys",
            ];
            assert!(known.contains(&reason.reason.as_str()), "{}: {reason}", tool.name());
        }
    }
}
