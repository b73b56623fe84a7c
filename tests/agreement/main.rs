//! A tool accepts exactly the arguments that its schema accepts.
//!
//! For each shape of parameter, the test generates valid instances from its schema, and instances that differ from a
//! valid one in one value. An independent validator decides which are valid, and the tool must agree. The validator
//! gets the published schema and the keywords of `enforced`, which a tool enforces and does not publish. `documented`
//! tests each case in which a tool rejects a value that its published schema accepts, and `strict` and
//! `strict_anthropic` test strict forms.

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
mod strict_anthropic;

use fastrand::Rng;
use instances::{SyntaxMistake, Writer, changed, instance};
use serde_json::Value;
use std::collections::BTreeMap;
use tool_runtime::Registry;

/// Whether arguments are valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Valid,
    Invalid,
}

async fn verdict(registry: &Registry, tool: &str, arguments: &str) -> Verdict {
    let result = registry.call(tool, arguments).await;
    match result.error_kind() {
        None => Verdict::Valid,
        Some("invalid_arguments" | "not_json") => Verdict::Invalid,
        Some(_) => panic!("{tool}: {arguments} ended in {result:?}"),
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
    /// The schema that the registry publishes.
    fn published(registry: &Registry, tool: &str) -> Self {
        let text = registry.tool(tool).expect("it is there").schema.parameters().get();
        Schema::new(serde_json::from_str(text).expect("a schema is JSON"))
    }

    /// The published schema with the keywords that the tool enforces.
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
        if self.validator.is_valid(&value) { Verdict::Valid } else { Verdict::Invalid }
    }
}

/// The number of valid instances, and of invalid ones, for each shape.
const INSTANCES: usize = 170;
const MAX_ATTEMPTS: usize = 60_000;

#[tokio::test]
async fn schema_and_decoder_agree_on_every_shape() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    let seed = seed();
    let mut total = (0, 0);
    let mut disagreements: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for tool in registry.names() {
        let (schema, published) = (Schema::enforced(&registry, tool), Schema::published(&registry, tool));
        let is_formatted = shapes::FORMATTED.contains(&tool);
        let mut rng = Rng::with_seed(seed);
        let (mut valid, mut invalid, mut attempts) = (0, 0, 0);
        while (valid < INSTANCES || invalid < INSTANCES) && attempts < MAX_ATTEMPTS {
            attempts += 1;
            let instance = instance(&mut rng, &schema.value, &schema.value, 0);
            let value = if rng.bool() { changed(&mut rng, instance, is_formatted) } else { instance };
            let mistake = match rng.u8(..20) {
                0 => Some(SyntaxMistake::TrailingComma),
                1 => Some(SyntaxMistake::RepeatedKey),
                _ => None,
            };
            // The validator cannot see a mistake in the syntax, since it gets the parsed value.
            let (arguments, mistake) = Writer::write(&value, &mut rng, mistake);
            let expected = if mistake.is_some() { Verdict::Invalid } else { schema.verdict(&arguments) };
            let count = if expected == Verdict::Valid { &mut valid } else { &mut invalid };
            if *count == INSTANCES {
                continue;
            }
            *count += 1;
            let is_published =
                expected == Verdict::Invalid || published.verdict(&arguments) == Verdict::Valid;
            if verdict(&registry, tool, &arguments).await != expected || !is_published {
                disagreements.entry(tool).or_default().push(format!("schema: {expected:?} {arguments}"));
            }
        }
        println!("{tool}: {valid} valid, {invalid} invalid");
        assert!(valid >= 50 && invalid >= 50, "{tool}: {valid} valid and {invalid} invalid, seed {seed}");
        total = (total.0 + valid, total.1 + invalid);
    }
    let (valid, invalid) = total;
    println!("{} shapes, {valid} valid and {invalid} invalid instances", registry.names().len());
    for (tool, instances) in &disagreements {
        println!(
            "{tool} ({}):\n   {}",
            registry.tool(tool).expect("it is there").schema.parameters().get(),
            instances[..instances.len().min(4)].join("\n   ")
        );
    }
    assert!(disagreements.is_empty(), "{} shapes disagree, seed {seed}", disagreements.len());
    assert!(
        registry.names().len() >= 60 && valid + invalid >= 20_000,
        "{} shapes, {total:?}",
        registry.names().len()
    );
}

#[test]
fn the_format_of_a_shape_is_published_if_engines_support_it() {
    let registry = Registry::new(shapes::shapes()).expect("the shapes have different names");
    for name in shapes::FORMATTED {
        let schema = Schema::published(&registry, name).value.to_string();
        // `enforced` has the formats that are not published.
        let is_published = !["local_date_time", "time_of_day", "address"].contains(&name);
        assert_eq!(schema.contains("\"format\""), is_published, "{name}: {schema}");
    }
}
