//! Which tools a query finds, and in which order.

use crate::{found, tool, tools};
use serde_json::json;
use tool_runtime::search::KeywordIndex;

#[test]
fn words_are_found_in_every_field() {
    let parameters = json!({
        "type": "object",
        "properties": {
            "recipient": {"type": "string", "description": "An address, or a nickname."},
            "priority": {"enum": ["urgent", "normal"]},
            "attachment": {"anyOf": [{"$ref": "#/$defs/file"}, {"type": "null"}]},
            "labels": {"type": "array", "items": {"properties": {"colour": {"type": "string"}}}},
            "kind": {"oneOf": [{"const": "newsletter", "description": "To many subscribers."}]},
        },
        "$defs": {"file": {"properties": {"mime_type": {"type": "string"}}}},
    });
    let tools =
        [tool("send_mail", "Sends a message.", &parameters), tool("other", "Something else.", &json!({}))];
    for word in [
        "mail",
        "message",
        "recipient",
        "nickname",
        "urgent",
        "attachment",
        "mime",
        "colour",
        "newsletter",
        "subscribers",
    ] {
        assert_eq!(found(&tools, word), ["send_mail"], "{word}");
    }
    assert_eq!(found(&tools, "type"), ["send_mail"], "of `mime_type`; keywords of schemas are no words");
    assert_eq!(found(&tools, "properties null enum"), [""; 0]);
}

#[test]
fn the_name_counts_more_than_the_description_and_the_description_more_than_the_parameters() {
    let parameters = json!({"properties": {"invoice": {"type": "string"}}});
    let tools = [
        tool("a", "Some text of words.", &parameters),
        tool("b", "Some invoice of words.", &json!({})),
        tool("invoice", "Some text of words.", &json!({})),
    ];
    assert_eq!(found(&tools, "an invoice"), ["invoice", "b", "a"]);
}

#[test]
fn a_rare_word_counts_more_than_a_frequent_one() {
    let tools =
        tools(&[("create_file", ""), ("create_user", ""), ("create_page", ""), ("delete_invoice", "")]);
    assert_eq!(found(&tools, "create an invoice")[0], "delete_invoice");
}

#[test]
fn forms_of_a_word_and_of_an_identifier_are_equal() {
    let tools = tools(&[
        ("listRepositories", "Of GitHub."),
        ("get_http_url2", "Parses."),
        ("DNS-lookup", "Resolves host names."),
        ("météo", "La prévision de l'hôtel."),
        ("прогноз", "Показывает Погоду."),
        ("weather_cn", "查询城市的天气预报。"),
        ("s3", "Storage."),
        ("ferry", "Across the Bosphorus in İstanbul, not in Izmir."),
    ]);
    for (query, name) in [
        ("repository", "listRepositories"),
        ("LISTING", "listRepositories"),
        ("github", "listRepositories"),
        ("git hub", "listRepositories"),
        ("httpURL", "get_http_url2"),
        ("URLs", "get_http_url2"),
        ("parsing", "get_http_url2"),
        ("dns", "DNS-lookup"),
        ("the host's address", "DNS-lookup"),
        ("MÉTÉO", "météo"),
        ("hôtel", "météo"),
        ("погоду?", "прогноз"),
        ("今天天气怎么样", "weather_cn"),
        ("my S3 bucket", "s3"),
        ("istanbul", "ferry"),
    ] {
        assert_eq!(found(&tools, query), [name], "{query}");
    }
}

#[test]
fn short_words_that_distinguish_tools_count() {
    let tools = tools(&[
        ("turn_light_off", "The light of the kitchen."),
        ("turn_light_on", "The light of the kitchen."),
    ]);
    assert_eq!(found(&tools, "Please turn the light on")[0], "turn_light_on");
    assert_eq!(found(&tools, "Please turn the light off")[0], "turn_light_off");
}

#[test]
fn a_query_without_a_known_word_finds_nothing() {
    let tools = tools(&[("get_weather", "The weather of a city."), ("do_it_2", "")]);
    for query in ["", " \n", "?!", "volcano", "Which of them?", "Could you please help me with it?"] {
        assert_eq!(found(&tools, query), [""; 0], "{query}");
    }
    assert_eq!(KeywordIndex::new([]).rank("weather", 5), [0; 0]);
    assert_eq!(KeywordIndex::default().rank("weather", 5), [0; 0]);
}

#[test]
fn equal_scores_are_sorted_by_name_and_any_order_of_the_words_is_equal() {
    let names = ["delta_city", "alpha_city", "charlie_city", "bravo_city"];
    let cities = names.map(|name| (name, "A city, a town and a village."));
    let tools = tools(&cities);
    let sorted = ["alpha_city", "bravo_city", "charlie_city", "delta_city"];
    assert_eq!(found(&tools, "city"), sorted);
    assert_eq!(found(&tools, "town village city"), sorted);
    assert_eq!(found(&tools, "village, city; city town"), sorted, "a repeated word counts once");
    let index = KeywordIndex::new(&tools);
    assert_eq!(index.rank("city", 2), [1, 3]);
    assert_eq!(index.rank("city", 0), [0; 0]);
    assert_eq!(index.rank("city", usize::MAX).len(), 4);
}

/// The first tools are the same as if all were sorted.
#[test]
fn a_limit_keeps_the_order() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let words = ["file", "user", "page", "mail", "city", "road", "lake", "tree"];
    let mut text =
        |count: usize| -> Vec<&str> { (0..count).map(|_| words[random.usize(..words.len())]).collect() };
    let tools: Vec<_> = (0..300)
        .map(|number| tool(&format!("{}_{number:03}", text(2).join("_")), &text(6).join(" "), &json!({})))
        .collect();
    let index = KeywordIndex::new(&tools);
    for _ in 0..50 {
        let query = text(3).join(" ");
        let all = index.rank(&query, usize::MAX);
        assert!(all.len() > 100, "{query}");
        for limit in [1, 5, 100, all.len()] {
            assert_eq!(index.rank(&query, limit), all[..limit], "{query}");
        }
        let reversed: Vec<_> = tools.iter().rev().cloned().collect();
        assert_eq!(found(&tools, &query), found(&reversed, &query), "the order of the tools has no effect");
    }
}
