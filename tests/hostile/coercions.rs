//! Lenient arguments.

use crate::cases::{Call, Case};
use crate::schemas::{argument, case, chain, nested, object, repeated};
use serde_json::{Value, json};

pub(crate) fn cases() -> Vec<Case> {
    let lenient =
        |schema: Value, arguments: String| Call { schema, arguments, lenient: true, ..Call::default() };
    vec![
        case("JSON in strings in strings", move || {
            let inner = (0..12).fold("1".to_owned(), |inner, _| json!([inner]).to_string());
            lenient(
                argument(json!({"type": "array", "items": {"$ref": "#/properties/a"}})),
                object(&Value::from(inner).to_string()),
            )
        }),
        case("unions of arrays of unions, coerced", move || {
            let wrapped = json!({"anyOf": [{"type": "array", "items": {"$ref": "#/properties/a"}},
                {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
                {"type": "object", "properties": {"b": {"$ref": "#/properties/a"}}}, {"type": "integer"}]});
            lenient(argument(wrapped), object(&nested("[{\"a\":", "\"1\"", "}]", 40)))
        }),
        case("types after a doubling allOf, coerced", move || {
            let mut schema = chain(28, |next| json!({"allOf": [next, next]}), json!({"type": "integer"}));
            schema["properties"]["a"] = json!({"type": "array", "items": {"$ref": "#/$defs/d0"}});
            lenient(schema, object("\"x\""))
        }),
        case("many strings that are numbers", move || {
            lenient(
                argument(
                    json!({"type": "array", "items": {"anyOf": [{"type": "integer"}, {"type": "number"}]}}),
                ),
                object(&repeated("\"1\"", 20_000)),
            )
        }),
        case("opening brackets, repaired", move || {
            lenient(argument(json!({})), format!("{{{}", "[".repeat(100_000)))
        }),
        case("closing brackets, repaired", move || {
            lenient(argument(json!({})), format!("{{\"a\":[{}1]}}}}", "[1],".repeat(20_000)))
        }),
        case("a hundred closing brackets, repaired", move || {
            lenient(
                argument(json!({})),
                format!("{{\"a\":[{}1],\"b\":\"{}\"}}}}", "[1],".repeat(90), "x".repeat(90_000)),
            )
        }),
        case("words, repaired", move || {
            lenient(argument(json!({})), format!("{{a:[{}True]}}", "True,".repeat(20_000)))
        }),
        case("comments, repaired", move || {
            lenient(argument(json!({})), format!("{{{}\"a\":1}}", "/**/".repeat(25_000)))
        }),
        case("open comments, repaired", move || {
            lenient(argument(json!({})), format!("{{{}", "/* ".repeat(33_000)))
        }),
        case("quotes, repaired", move || lenient(argument(json!({})), format!("{{{}", "'".repeat(100_000)))),
        case("fences, repaired", move || lenient(argument(json!({})), "```{".repeat(25_000))),
        case("encoded again and again, repaired", move || {
            let text = (0..10).fold("{a:1}".to_owned(), |text, _| Value::from(text).to_string());
            lenient(argument(json!({})), text)
        }),
    ]
}
