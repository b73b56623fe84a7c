//! A dynamic tool accepts exactly the arguments that its hand-written schema accepts.

use crate::instances::{changed, instance};
use crate::{Schema, Verdict, seed, verdict};
use fastrand::Rng;
use serde_json::{Value, json};
use tool_runtime::{DynamicTool, Registry};

const SCHEMAS: usize = 1_500;
const INSTANCES: usize = 12;

#[tokio::test]
async fn a_dynamic_tool_accepts_exactly_what_its_schema_accepts() {
    let seed = seed();
    let mut rng = Rng::with_seed(seed);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..SCHEMAS {
        // A definition that refers to itself would add no constraint.
        let definition = loop {
            let definition = schema(&mut rng, 1);
            if !definition.to_string().contains("defs/x") {
                break definition;
            }
        };
        let parameters = json!({
            "type": "object",
            "properties": {"value": schema(&mut rng, 3), "other": schema(&mut rng, 1)},
            "required": ["value"],
            "$defs": {"x": definition, "tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
        });
        let tool = DynamicTool::new("take", "", parameters.clone(), |_| async { Ok::<_, String>(()) });
        let registry = Registry::builder().dynamic(tool).build().expect("one tool");
        assert!(registry.tool("take").expect("it is there").unsupported_keywords.is_empty(), "{parameters}");
        let schema = Schema::published(&registry, "take");
        for _ in 0..INSTANCES {
            let mut value = instance(&mut rng, &parameters, &parameters, 0);
            for _ in 0..rng.usize(..3) {
                value = changed(&mut rng, value, false);
            }
            let arguments = value.to_string();
            let expected = schema.verdict(&arguments);
            *(if expected == Verdict::Valid { &mut valid } else { &mut invalid }) += 1;
            let actual = verdict(&registry, "take", &arguments).await;
            assert_eq!(actual, expected, "{arguments} of {parameters}, seed {seed}");
        }
    }
    println!("{SCHEMAS} schemas, {valid} valid and {invalid} invalid instances");
    assert!(valid > 2_000 && invalid > 2_000, "{valid} valid and {invalid} invalid, seed {seed}");
}

/// A schema of supported keywords in any combination.
fn schema(rng: &mut Rng, depth: usize) -> Value {
    let below = |rng: &mut Rng| schema(rng, depth.saturating_sub(1));
    let several = |rng: &mut Rng| -> Value { (0..rng.usize(1..4)).map(|_| below(rng)).collect() };
    let count = |rng: &mut Rng| json!(rng.u8(..4));
    match rng.u8(..if depth == 0 { 9 } else { 16 }) {
        0 => json!({}),
        1 => json!({"type": choose(rng, &["null", "boolean", "string", "integer", "number"])}),
        2 => {
            json!({"type": [choose(rng, &["null", "string"]), choose(rng, &["integer", "array", "object"])]})
        }
        3 => json!({"type": "integer", "minimum": rng.i8(..), "maximum": rng.i16(0..)}),
        4 => {
            json!({"type": "number", "exclusiveMinimum": rng.i8(..), "multipleOf": choose(rng, &[1.0, 0.5, 0.25])})
        }
        5 => json!({"type": "string", "minLength": rng.u8(..2), "maxLength": rng.u8(2..5)}),
        6 => json!({"enum": [rng.u8(..3), "a", null, 1.5, [1], {"k": "v"}]}),
        7 => json!({"const": choose(rng, &["a", "b", ""])}),
        8 => json!({"$ref": choose(rng, &["#/$defs/x", "#/$defs/tree"])}),
        9 => json!({"type": "array", "items": below(rng), "minItems": count(rng), "uniqueItems": rng.bool()}),
        10 => json!({"prefixItems": several(rng), "items": below(rng), "maxItems": count(rng)}),
        11 => json!({
            "type": "object",
            "properties": {"a": below(rng), "b": below(rng), "t": {"const": choose(rng, &["x", "y"])}},
            "required": [choose(rng, &["a", "b", "t", "z"])],
            "additionalProperties": if rng.bool() { rng.bool().into() } else { below(rng) },
        }),
        12 => json!({
            "patternProperties": {"^a": below(rng), "[0-9]$": below(rng)},
            "additionalProperties": below(rng),
            "propertyNames": {"maxLength": 2},
            "minProperties": rng.u8(..2),
        }),
        13 => json!({choose(rng, &["anyOf", "oneOf"]): several(rng)}),
        14 => json!({"allOf": several(rng), "not": below(rng)}),
        _ => {
            let tagged = |rng: &mut Rng, tag: &str| json!({"type": "object", "properties": {"t": {"const": tag}, "v": below(rng)}, "required": ["t"]});
            json!({choose(rng, &["anyOf", "oneOf"]): [tagged(rng, "x"), tagged(rng, "y"), below(rng)]})
        }
    }
}

fn choose<T: Clone>(rng: &mut Rng, items: &[T]) -> T {
    items[rng.usize(..items.len())].clone()
}
