//! The JSON-Schema-Test-Suite, draft 2020-12: <https://github.com/json-schema-org/JSON-Schema-Test-Suite>. The
//! environment variable `JSON_SCHEMA_TEST_SUITE` names its folder.
//!
//! The arguments of a tool are an object, so each schema of the suite becomes the schema of one argument. The tool must
//! accept every valid instance. It may accept an invalid one only if `unsupported_keywords` lists a keyword of the
//! schema.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tool_runtime::registry::BuildErrorKind;
use tool_runtime::{DynamicTool, Registry};

/// Rewrites the references of a schema, which becomes the schema of the argument `value`.
fn relocate(schema: &mut Value) {
    match schema {
        Value::Object(entries) => {
            for (keyword, value) in entries {
                match value {
                    Value::String(reference) if keyword == "$ref" && reference.starts_with('#') => {
                        if reference == "#" || reference.starts_with("#/") {
                            *reference = format!("#/properties/value{}", &reference[1..]);
                        }
                    }
                    // Values, not schemas.
                    _ if keyword == "enum" || keyword == "const" => {}
                    value => relocate(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(relocate),
        _ => {}
    }
}

#[tokio::test]
async fn tools_agree_with_the_suite_except_for_unsupported_keywords() {
    let Ok(folder) = std::env::var("JSON_SCHEMA_TEST_SUITE") else {
        println!("skipped: JSON_SCHEMA_TEST_SUITE does not name the folder of the JSON-Schema-Test-Suite");
        return;
    };
    let folder = Path::new(&folder).join("tests/draft2020-12");
    let list = |folder: &Path| fs::read_dir(folder).expect("the suite is there");
    let files = list(&folder).chain(list(&folder.join("optional")));
    let mut files: Vec<_> = files.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let (mut total, mut agreed) = (0, 0);
    let (mut rejected, mut unlisted) = (Vec::new(), Vec::new());
    let mut listed: BTreeMap<String, usize> = BTreeMap::new();
    for path in files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "json"))
    {
        let file = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let cases: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("a text file")).expect("JSON");
        for case in cases.as_array().expect("an array of cases") {
            let mut schema = case["schema"].clone();
            relocate(&mut schema);
            let parameters =
                json!({"type": "object", "properties": {"value": schema}, "required": ["value"]});
            let tool = DynamicTool::new("take", "", parameters, |_| async { Ok::<_, String>(()) });
            let registry = match Registry::builder().dynamic(tool).build() {
                Ok(registry) => registry,
                // Engines read a property named `$ref` as a reference.
                Err(error) if matches!(error.errors(), [BuildErrorKind::PropertyNamedRef { .. }]) => continue,
                Err(error) => panic!("{file}: {}: {error}", case["schema"]),
            };
            let unsupported = registry.tool("take").expect("it is there").unsupported_keywords;
            for test in case["tests"].as_array().expect("an array of tests") {
                total += 1;
                let is_valid = test["valid"] == true;
                let name =
                    format!("{}: {}", case["description"].as_str().unwrap_or_default(), test["description"]);
                let arguments = json!({ "value": test["data"] }).to_string();
                let is_accepted = !registry.call("take", &arguments).await.is_error();
                match (is_valid, is_accepted) {
                    _ if is_valid == is_accepted => agreed += 1,
                    (true, _) => rejected.push(format!("{file}: {name} {}", case["schema"])),
                    (false, _) if unsupported.is_empty() => {
                        unlisted.push(format!("{file}: {name} {}", case["schema"]));
                    }
                    (false, _) => {
                        let keyword = unsupported[0].split('`').nth(1).unwrap_or_default();
                        *listed.entry(keyword.to_owned()).or_default() += 1;
                    }
                }
            }
        }
    }
    println!("{agreed} of {total} tests agree; accepted with a keyword that is not supported: {listed:?}");
    assert!(total > 1_000, "the suite has {total} tests");
    assert!(rejected.is_empty(), "{} valid instances are rejected: {rejected:#?}", rejected.len());
    assert!(unlisted.is_empty(), "{} invalid instances are accepted: {unlisted:#?}", unlisted.len());
}
