//! Tools are functions, so a test calls them. The registry is tested as a model uses it.

use super::orders::place_order;
use super::registry;
use crate::database::Database;
use crate::users::User;
use serde_json::{Value, from_value, json};
use tool_runtime::{CallContext, Registry, RunContext};

fn database() -> Database {
    Database::open(":memory:").expect("the schema and the products are valid")
}

fn shop() -> Registry {
    registry(database()).expect("the tools are valid").with(&RunContext::new().state(User(1)))
}

async fn call(shop: &Registry, tool: &str, arguments: Value) -> String {
    shop.call(tool, arguments).await.text().into_owned()
}

#[test]
fn a_call_that_is_repeated_places_one_order() {
    let database = database();
    let place = |run_id: &str| {
        let call =
            CallContext::new("call_1", "place_order").with_run_context(RunContext::new().run_id(run_id));
        let customer = from_value(json!({ "name": "Ada", "email": "ada@example.com" })).expect("a customer");
        let address = json!({ "street": "Am Hang 3", "postcode": "50667", "city": "Cologne" });
        let address = from_value(address).expect("an address");
        let lines = from_value(json!([{ "product": 4, "quantity": 2 }])).expect("lines");
        let order = place_order(&customer, &address, lines, &database, &call);
        serde_json::to_value(order.expect("it is in stock")).expect("it is JSON")["id"].clone()
    };
    assert_eq!([place("1/1"), place("1/1"), place("1/2")], [json!(73), json!(73), json!(74)]);
    let stock = database.lock().query_row("SELECT stock FROM products WHERE id = 4", (), |row| row.get(0));
    assert_eq!(stock, Ok(42 - 4));
}

#[tokio::test]
async fn an_order_is_placed_completely_or_not_at_all() {
    let shop = shop();
    let order = |lines: Value| {
        json!({
            "customer": { "name": "Ada", "email": "ada@example.com" },
            "address": { "street": "Am Hang 3", "postcode": "50667", "city": "Cologne" },
            "lines": lines,
        })
    };
    let lines = json!([{ "product": 4, "quantity": 2 }, { "product": 6, "quantity": 1 }]);
    let result = call(&shop, "place_order", order(lines)).await;
    assert_eq!(result, "Error: only 0 of product 6 are in stock; nothing was ordered");
    assert!(call(&shop, "get_product", json!({ "product": 4 })).await.contains(r#""stock":42"#));
    assert!(
        call(&shop, "get_order", json!({ "order": 73 })).await.starts_with("Error: there is no order 73")
    );

    let result = call(&shop, "place_order", order(json!([{ "product": 4, "quantity": 0 }]))).await;
    assert!(
        result.contains("`lines[0].quantity`: expected an integer from 1 to 100, got integer `0`"),
        "{result}"
    );
}

#[tokio::test]
async fn products_have_filters_and_pages() {
    let shop = shop();
    let search = async |arguments| -> Value {
        serde_json::from_str(&call(&shop, "search_products", arguments).await).expect("it is JSON")
    };
    let page = search(json!({ "page": 3, "page_size": 6 })).await;
    assert_eq!((&page["total"], &page["pages"]), (&json!(15), &json!(3)));
    assert_eq!(page["items"][2]["name"], "Window 34", "the most expensive one is last");
    let page = search(json!({ "category": "headphones", "max_price": 99.0 })).await;
    let names: Vec<_> = page["items"].as_array().expect("a page").iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["Hush Mini", "Studio One"]);
}

#[tokio::test]
async fn an_order_is_cancelled_once_and_has_notes() {
    let shop = shop();
    assert!(call(&shop, "cancel_order", json!({ "order": 70 })).await.contains(r#""status":"cancelled""#));
    let again = call(&shop, "cancel_order", json!({ "order": 70 })).await;
    assert_eq!(again, "Error: order 70 is cancelled; only an open order can be cancelled");
    let notes = call(&shop, "add_note", json!({ "order": 70, "text": "Call her." })).await;
    assert!(notes.contains(r#""author":"clerk 1""#) && notes.contains("Call her."), "{notes}");
}
