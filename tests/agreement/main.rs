//! A tool accepts just what its schema accepts.
//!
//! For each shape of parameter, instances are made from its schema: valid ones, and ones that are a step from valid. An
//! independent validator decides which are valid, and the tool must agree. The validator gets the published schema
//! with the keywords of `enforced`, which a tool enforces and does not publish. `documented` has a test for each case in
//! which a tool rejects a value that its published schema accepts, `strict` the same for strict schemas.

#![allow(
    clippy::needless_pass_by_value,
    clippy::trivially_copy_pass_by_ref,
    reason = "a parameter of every shape"
)]

mod documented;
mod enforced;
mod hand_written;
mod instances;
mod shapes;
mod strict;

use fastrand::Rng;
use instances::{Slip, Writer, instance, step_from};
use serde_json::Value;
use std::collections::BTreeMap;
use tool_runtime::{CallError, Registry};

/// Whether arguments are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Taken,
    Refused,
}

async fn verdict(registry: &Registry, tool: &str, arguments: &str) -> Verdict {
    match registry.call(tool, arguments).await {
        Ok(_) => Verdict::Taken,
        Err(CallError::InvalidArguments { .. } | CallError::NotJson { .. }) => Verdict::Refused,
        Err(other) => panic!("{tool}: {arguments} ended in {other:?}"),
    }
}

fn seed() -> u64 {
    let given = std::env::var("AGREEMENT_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| fastrand::u64(..));
    println!("AGREEMENT_SEED={seed}");
    seed
}

struct Schema {
    value: Value,
    validator: jsonschema::Validator,
}

impl Schema {
    /// As the registry publishes it.
    fn published(registry: &Registry, tool: &str) -> Self {
        let text = registry.get(tool).expect("it is there").parameters().get();
        Schema::new(serde_json::from_str(text).expect("a schema is JSON"))
    }

    /// With the keywords that the tool enforces.
    fn enforced(registry: &Registry, tool: &str) -> Self {
        let mut value = Schema::published(registry, tool).value;
        enforced::add_enforced(tool, &mut value);
        Schema::new(value)
    }

    fn new(value: Value) -> Self {
        let validator =
            jsonschema::validator_for(&value).unwrap_or_else(|error| panic!("{error} in {value}"));
        Schema { value, validator }
    }

    fn verdict(&self, arguments: &str) -> Verdict {
        let value = serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        if self.validator.is_valid(&value) { Verdict::Taken } else { Verdict::Refused }
    }
}

/// Instances of each kind for each shape.
const OF_EACH: usize = 170;
const MOST_TRIES: usize = 60_000;

#[tokio::test]
async fn schema_and_decoder_agree_on_every_shape() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    let seed = seed();
    let mut all = (0, 0);
    let mut disagreements: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for tool in registry.names() {
        let (schema, published) = (Schema::enforced(&registry, tool), Schema::published(&registry, tool));
        let is_formatted = shapes::FORMATTED.contains(&tool);
        let mut rng = Rng::with_seed(seed);
        let (mut taken, mut refused, mut tries) = (0, 0, 0);
        while (taken < OF_EACH || refused < OF_EACH) && tries < MOST_TRIES {
            tries += 1;
            let valid = instance(&mut rng, &schema.value, &schema.value, 0);
            let value = if rng.bool() { step_from(&mut rng, valid, is_formatted) } else { valid };
            let slip = match rng.u8(..20) {
                0 => Some(Slip::TrailingComma),
                1 => Some(Slip::KeyTwice),
                _ => None,
            };
            // A validator does not see a slip, since it gets what a parser made of the text.
            let (arguments, slip) = Writer::write(&value, &mut rng, slip);
            let expected = if slip.is_some() { Verdict::Refused } else { schema.verdict(&arguments) };
            let count = if expected == Verdict::Taken { &mut taken } else { &mut refused };
            if *count == OF_EACH {
                continue;
            }
            *count += 1;
            let is_published =
                expected == Verdict::Refused || published.verdict(&arguments) == Verdict::Taken;
            if verdict(&registry, tool, &arguments).await != expected || !is_published {
                disagreements.entry(tool).or_default().push(format!("schema: {expected:?} {arguments}"));
            }
        }
        println!("{tool}: {taken} accepted, {refused} refused");
        assert!(taken >= 50 && refused >= 50, "{tool}: {taken} accepted and {refused} refused, seed {seed}");
        all = (all.0 + taken, all.1 + refused);
    }
    println!("{} shapes, {} accepted and {} refused, {} in all", registry.len(), all.0, all.1, all.0 + all.1);
    for (tool, instances) in &disagreements {
        println!(
            "{tool} ({}):\n   {}",
            registry.get(tool).expect("it is there").parameters().get(),
            instances[..instances.len().min(4)].join("\n   ")
        );
    }
    assert!(disagreements.is_empty(), "{} shapes disagree, seed {seed}", disagreements.len());
    assert!(registry.len() >= 60 && all.0 + all.1 >= 20_000, "{} shapes, {all:?}", registry.len());
}

#[test]
fn the_format_of_a_formatted_shape_is_published_if_engines_know_it() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    for name in shapes::FORMATTED {
        let schema = Schema::published(&registry, name).value.to_string();
        // `enforced` has the formats of the others, which are not published.
        let is_published = !["local_date_time", "time_of_day", "address"].contains(&name);
        assert_eq!(schema.contains("\"format\""), is_published, "{name}: {schema}");
    }
}
