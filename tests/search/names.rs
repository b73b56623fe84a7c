//! Names in queries.

use crate::{found, tools};

#[test]
fn an_exact_name_is_first() {
    let tools = tools(&[
        ("get_weather", "x"),
        ("weather", "The weather: get weather, get any weather. Weather!"),
        ("get_weather_forecast", "Get weather; get_weather for weather forecasts."),
        ("find", "y"),
        ("find_find", "Find, find, find."),
        ("fetch.weatherReport", "z"),
    ]);
    for (query, name) in [
        ("get_weather", "get_weather"),
        ("GET_WEATHER", "get_weather"),
        ("getWeather", "get_weather"),
        ("get-weather", "get_weather"),
        ("get weather", "get_weather"),
        (" Get Weather? ", "get_weather"),
        ("getweather", "get_weather"),
        ("Use `get_weather` for the weather forecast of Paris.", "get_weather"),
        ("get_weather(city)", "get_weather"),
        ("get_weather.", "get_weather"),
        ("weather", "weather"),
        ("find", "find"),
        ("get_weather or get_weather_forecast", "get_weather_forecast"),
        ("fetch_weather_report", "fetch.weatherReport"),
    ] {
        assert_eq!(found(&tools, query)[0], name, "{query}");
    }
}

#[test]
fn words_of_a_sentence_are_no_names() {
    let tools = tools(&[
        ("find", "Finds text in files."),
        ("find_flight", "Searches flights to a city."),
        ("bookTable", "Reserves a table in a restaurant."),
    ]);
    assert_eq!(found(&tools, "find a flight to the city")[0], "find_flight");
    assert_eq!(found(&tools, "a flight for the book table tennis in many cities")[0], "find_flight");
}

#[test]
fn a_name_is_found_even_if_all_its_words_are_ignored() {
    let tools = tools(&[("who_am_i", "Returns the user."), ("do_it", "")]);
    assert_eq!(found(&tools, "who am I?"), ["who_am_i"]);
    assert_eq!(found(&tools, "do_it now"), ["do_it"]);
}

#[test]
fn names_that_differ_only_in_separators_are_all_first() {
    let tools = tools(&[("get_page", ""), ("getPage", ""), ("page_page", "Page, page.")]);
    let mut first = found(&tools, "get page");
    assert_eq!(first.pop(), Some("page_page"));
    first.sort_unstable();
    assert_eq!(first, ["getPage", "get_page"]);
}
