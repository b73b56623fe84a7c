//! Results that are one JSON value.

use super::{echoed, handle, read, registry};
use serde_json::{Value, json};
use tool_runtime_compaction::Spill;

/// The JSON value before the notice.
fn value(text: &str) -> Value {
    let (json, notice) = text.split_once('\n').expect("the notice is on a line of its own");
    assert!(notice.starts_with("[... shortened from "), "{notice}");
    serde_json::from_str(json).expect("the shortened value is JSON")
}

#[tokio::test]
async fn an_array_keeps_its_first_and_last_elements() {
    let registry = registry(&Spill::memory().above(2_000));
    let array: Vec<Value> = (0..1_000).map(|id| json!({"id": id, "name": "a name"})).collect();
    let text = echoed(&registry, "s", &json!(array).to_string()).await;
    assert!(text.len() <= 2_000);
    let shortened = value(&text);
    let elements = shortened.as_array().expect("an array");
    let marker = elements.iter().position(Value::is_string).expect("a marker");
    assert_eq!(elements[..marker], array[..marker]);
    let tail = elements.len() - marker - 1;
    assert_eq!(elements[marker + 1..], array[1_000 - tail..]);
    assert_eq!(elements[marker], format!("[... {} elements left out ...]", 1_000 - marker - tail));
    assert!(marker > 15 && tail > 15, "{marker} and {tail}");
    let line = read(&registry, "s", json!({"handle": handle(&text), "search": "\"id\": 500,"})).await;
    assert!(line.contains(":     \"id\": 500,\n[no further line matches]"), "{line}");
}

#[tokio::test]
async fn an_object_keeps_its_short_members() {
    let registry = registry(&Spill::memory().above(2_000));
    let items: Vec<u32> = (0..5_000).collect();
    let object = json!({"total": 5_000, "page": {"items": items, "next": "abc"}, "status": "ok"});
    let shortened = value(&echoed(&registry, "s", &object.to_string()).await);
    assert_eq!(shortened["total"], 5_000);
    assert_eq!(shortened["status"], "ok");
    assert_eq!(shortened["page"]["next"], "abc");
    assert_eq!(shortened["page"]["items"][0], 0);
}

#[tokio::test]
async fn an_object_with_many_members_keeps_the_first_and_last() {
    let registry = registry(&Spill::memory().above(2_000));
    let members: Vec<String> = (0..900).map(|key| format!("\"key {key:03}\":[{key}]")).collect();
    let shortened = value(&echoed(&registry, "s", &format!("{{{}}}", members.join(","))).await);
    assert_eq!(shortened["key 000"], json!([0]));
    assert_eq!(shortened["key 899"], json!([899]));
    let marker = shortened["[...]"].as_str().expect("a marker");
    assert!(marker.ends_with(" members left out ...]"), "{marker}");
}

#[tokio::test]
async fn long_strings_are_cut_between_their_escapes() {
    let registry = registry(&Spill::memory().above(2_000));
    for piece in ["\\n", "\\u00e9", "\\ud83e\\udd80", "\\\"", "é", "a\\\\"] {
        let json = format!(r#"{{"status":200,"body":"{}"}}"#, piece.repeat(3_000));
        let text = echoed(&registry, "s", &json).await;
        assert!(text.len() <= 2_000);
        assert_eq!(value(&text)["status"], 200, "{piece}");
        assert!(text.len() > 1_500, "{} of {piece}", text.len());
    }
}

#[tokio::test]
async fn numbers_and_repeated_keys_do_not_change() {
    let registry = registry(&Spill::memory().above(2_000));
    let long = "0".repeat(3_000);
    let json = format!(r#"{{"a":340282366920938463463374607431768211455,"a":1.50,"b":"{long}"}}"#);
    let text = echoed(&registry, "s", &json).await;
    assert!(text.starts_with(r#"{"a":340282366920938463463374607431768211455,"a":1.50,"b":"000"#), "{text}");
    let all = read(&registry, "s", json!({"handle": "1", "max_lines": 3})).await;
    assert!(
        all.starts_with("1: {\n2:   \"a\": 340282366920938463463374607431768211455,\n3:   \"a\": 1.50,\n"),
        "{all}"
    );
}

#[tokio::test]
async fn white_space_is_removed_first() {
    let registry = registry(&Spill::memory().above(2_000));
    let array = json!((0..200).collect::<Vec<u32>>());
    let pretty = serde_json::to_string_pretty(&array).expect("numbers are JSON");
    let padded = pretty.replace("\n  ", "\n            ");
    assert_eq!(echoed(&registry, "s", &padded).await, array.to_string());
}

#[tokio::test]
async fn text_that_is_almost_json_is_cut_between_lines() {
    let registry = registry(&Spill::memory().above(2_000));
    let text = echoed(&registry, "s", &format!("[\n{}", "1,\n".repeat(3_000))).await;
    assert!(text.starts_with("[\n1,\n1,\n"));
    assert!(text.contains("bytes left out, lines "));
}

/// Values that cannot be shortened between their elements, or only with much work.
#[tokio::test]
async fn hostile_values_stay_within_the_limit() {
    let registry = registry(&Spill::memory().above(2_000));
    let deep = format!("{}{}", "[".repeat(60_000), "]".repeat(60_000));
    let deep_object = format!("{}1{}", r#"{"a":"#.repeat(60_000), "}".repeat(60_000));
    let long_key = format!(r#"{{"{}":1,"b":2}}"#, "k".repeat(9_000));
    let long_number = format!("[{}]", "9".repeat(9_000));
    let empty = format!("[{}]", vec!["{}"; 9_000].join(","));
    for json in [deep, deep_object, long_key, long_number, empty] {
        let text = echoed(&registry, "s", &json).await;
        assert!(text.len() <= 2_000, "{} for {}", text.len(), &json[..20]);
        assert!(text.contains("read_result with handle"));
    }
}

/// A value with a random structure.
fn random_value(random: &mut fastrand::Rng, depth: usize) -> Value {
    match random.usize(0..if depth < 4 { 8 } else { 4 }) {
        0 => Value::Null,
        1 => random.i64(..).into(),
        2 => "語 \"quoted\" \\ \n".repeat(random.usize(0..9)).into(),
        3 => random.f64().into(),
        4 | 5 => (0..random.usize(0..=9 >> depth)).map(|_| random_value(random, depth + 1)).collect(),
        _ => (0..random.usize(0..30))
            .map(|key| (format!("key {key}"), random_value(random, depth + 1)))
            .collect(),
    }
}

#[tokio::test]
async fn random_values_stay_json_within_the_limit() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut shortened = 0;
    for _ in 0..300 {
        let json: Value = (0..random.usize(1..6)).map(|_| random_value(&mut random, 0)).collect();
        let limit = random.usize(2_000..5_000);
        let json = json.to_string();
        let text = echoed(&registry(&Spill::memory().above(limit)), "s", &json).await;
        assert!(text.len() <= limit, "{} of {limit}", text.len());
        if json != text {
            shortened += 1;
            if text.contains("[... shortened from") {
                value(&text);
            }
        }
    }
    assert!(shortened > 0);
}
