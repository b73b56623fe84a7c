//! llguidance compiles every schema, in each form.

use llguidance::ParserFactory;
use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::ApproximateTokEnv;

#[test]
fn llguidance_compiles_every_schema_in_each_form() {
    let factory = ParserFactory::new_simple(&ApproximateTokEnv::single_byte_env()).expect("a factory");
    let forms = engines::forms(&engines::registry());
    let mut errors = Vec::new();
    for form in &forms {
        let grammar = TopLevelGrammar::from_json_schema(form.parameters.clone());
        if let Err(error) = factory.create_parser(grammar) {
            let error = error.to_string();
            // The rest is a backtrace.
            let message = error.lines().next().unwrap_or_default();
            errors.push(format!("{} ({}): {message}\n  {}", form.tool, form.form, form.parameters));
        }
    }
    println!("{} schemas, {} rejected", forms.len(), errors.len());
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
