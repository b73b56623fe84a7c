//! `engines schemas` prints the schema of every tool in each of its forms, a JSON object per line. `engines judge` reads calls
//! (`{"tool": .., "arguments": ".."}`, one per line), and prints `null` for each call that the tool accepts, and the
//! error message for any other.

use serde_json::{Value, json};
use std::io::{self, BufRead as _};

fn main() {
    let registry = engines::registry();
    match std::env::args().nth(1).as_deref() {
        Some("schemas") => {
            for form in engines::forms(&registry) {
                let engines::Form { tool, form, is_number, parameters } = form;
                println!(
                    "{}",
                    json!({"tool": tool, "form": form, "is_number": is_number, "parameters": parameters})
                );
            }
        }
        Some("judge") => {
            // Once OpenAI's strict form exists, null means an absent argument.
            let _ = engines::forms(&registry);
            let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime starts");
            for line in io::stdin().lock().lines() {
                let call: Value = serde_json::from_str(&line.expect("a line")).expect("a call is JSON");
                let text = |key: &str| call[key].as_str().expect("a string").to_owned();
                let result = runtime.block_on(registry.call(&text("tool"), &text("arguments")));
                println!("{}", json!(result.failure().map(ToString::to_string)));
            }
        }
        _ => {
            eprintln!("usage: engines schemas | engines judge");
            std::process::exit(2);
        }
    }
}
