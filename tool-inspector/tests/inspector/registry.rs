//! The tools of a registry, their definitions and their tokens.

use crate::page::Page;
use crate::tools::{Effects, registry};
use axum::http::StatusCode;
use serde_json::{Value, json};
use std::fs;
use tool_runtime::{DynamicTool, Registry, RunContext};
use tool_runtime_inspector::Inspector;
use tool_runtime_lock::tools_lock;

fn find<'a>(list: &'a Value, field: &str, value: &str) -> &'a Value {
    let found = list.as_array().expect("a list").iter().find(|entry| entry[field] == value);
    found.unwrap_or_else(|| panic!("no {value} in {list}"))
}

#[tokio::test]
async fn the_overview_lists_the_tools() {
    let registry = registry(&Effects::default()).with(&RunContext::new().allowed_tools(["add", "order"]));
    let page = Page(Inspector::new(&registry).title("Shop").router());
    let overview = page.get("/api/registry").await;
    assert_eq!(overview["title"], "Shop");
    assert_eq!(overview["has_registry"], true);
    assert_eq!(overview["tools"].as_array().map(Vec::len), Some(10));
    let add = find(&overview["tools"], "name", "add");
    assert_eq!(add["title"], "Sum");
    assert_eq!(add["description"], "Adds two numbers.");
    assert_eq!(
        add["annotations"],
        json!({"read_only": true, "destructive": null, "idempotent": null, "open_world": null})
    );
    assert_eq!(add["is_allowed"], true);
    let pay = find(&overview["tools"], "name", "pay");
    assert_eq!((&pay["requires_approval"], &pay["is_allowed"]), (&json!(true), &json!(false)));
    assert!(!overview.to_string().contains("secret"));

    let tokens = page.get("/api/tokens").await;
    assert!(tokens["add"].as_u64().is_some_and(|tokens| (30..80).contains(&tokens)), "{tokens}");
}

#[tokio::test]
async fn a_tool_has_its_definition_for_each_wire_plain_and_strict() {
    let page = Page(Inspector::new(&registry(&Effects::default())).router());
    let tag = page.get("/api/tools/tag").await;
    assert_eq!(tag["policy"]["requires_approval"], false);
    assert_eq!(tag["parameters"]["required"], json!(["page", "tags"]));
    let definitions = tag["definitions"].as_array().expect("a list");
    assert_eq!(definitions.len(), 12);
    let wire = |name: &str, strict: bool| {
        let found = definitions.iter().find(|one| one["wire"] == name && one["strict"] == strict);
        found.unwrap_or_else(|| panic!("{name}"))
    };
    let plain = wire("chat_completions", false);
    assert_eq!(plain["definition"]["tools"][0]["function"]["name"], "tag");
    assert_eq!(plain["report"], json!([]));
    let strict = wire("chat_completions", true);
    assert_eq!(strict["is_strict"], false);
    assert_eq!(
        strict["report"],
        json!(["the tool `tag` is not strict: `tags` is a map, whose keys are not fixed"])
    );
    assert_eq!(wire("anthropic", false)["definition"]["tools"][0]["name"], "tag");
    assert_eq!(wire("bedrock", false)["definition"]["toolConfig"]["tools"][0]["toolSpec"]["name"], "tag");
    assert!(
        definitions.iter().all(|one| one["tokens"].as_u64() > Some(10) && one["error"].is_null()),
        "{tag}"
    );

    let order = page.get("/api/tools/order").await;
    assert_eq!(order["policy"]["timeout_ms"], 5_000);
    let strict = order["definitions"].as_array().expect("a list").iter();
    assert!(strict.filter(|one| one["strict"] == true).all(|one| one["is_strict"] == true), "{order}");

    let (status, error) = page.error("/api/tools/nothing").await;
    assert_eq!((status, &*error), (StatusCode::NOT_FOUND, "the registry has no tool `nothing`"));
}

#[tokio::test]
async fn the_definitions_of_a_request_are_those_of_all_tools() {
    let registry = registry(&Effects::default());
    let page = Page(Inspector::new(&registry).router());
    let requests = page.get("/api/requests").await;
    let plain = find(&requests, "wire", "chat_completions");
    let sent = serde_json::to_string(registry.schemas()).expect("JSON");
    assert_eq!(plain["bytes"], sent.len());
    let one = page.get("/api/tools/add").await["definitions"][0]["tokens"].as_u64();
    assert!(plain["tokens"].as_u64() > one, "{requests}");
    assert_eq!(requests.as_array().map(Vec::len), Some(12));
}

#[tokio::test]
async fn tools_are_compared_with_the_lock_file() {
    let tool = |description: &str, parameters: Value| {
        DynamicTool::new("find", description, parameters, |_| async { Ok::<_, String>(()) })
    };
    let registry = |tool| Registry::builder().dynamic(tool).build().expect("a registry");
    let old =
        registry(tool("Finds.", json!({"type": "object", "properties": {"query": {"type": "string"}}})));
    let new = registry(tool(
        "Finds texts.",
        json!({"type": "object", "properties": {"text": {"type": "integer"}}}),
    ));
    let file = std::env::temp_dir().join(format!("inspector_{}.lock", std::process::id()));
    fs::write(&file, tools_lock(&old)).expect("the folder is writable");

    let page = Page(Inspector::new(&new).lock_file(&file).router());
    let overview = page.get("/api/registry").await;
    let name = file.file_name().and_then(|name| name.to_str());
    assert_eq!(overview["lock"]["file"].as_str(), name, "without its folder");
    assert_eq!(overview["tools"][0]["change"], "breaking");
    let changes = page.get("/api/tools/find").await["changes"].clone();
    assert_eq!(changes, overview["lock"]["changes"]);
    let description = find(&changes, "text", "the description changes");
    assert_eq!(description["is_breaking"], false);
    assert_eq!(description["diff"], json!(["- Finds.", "+ Finds texts."]));

    // The developer updates the file while the page is open.
    fs::write(&file, tools_lock(&new)).expect("the folder is writable");
    let overview = page.get("/api/registry").await;
    assert_eq!((&overview["tools"][0]["change"], &overview["lock"]["changes"]), (&Value::Null, &json!([])));
    fs::write(&file, "{}").expect("the folder is writable");
    let error = page.get("/api/registry").await["lock"]["error"].to_string();
    assert!(error.contains("is not a lock file of tools"), "{error}");
    fs::remove_file(&file).expect("it exists");
    let error = page.get("/api/registry").await["lock"]["error"].to_string();
    assert!(error.contains("the file cannot be read"), "{error}");
}

#[tokio::test]
async fn an_inspector_without_tools_has_only_histories() {
    let page = Page(Inspector::without_tools().router());
    assert_eq!(page.get("/api/registry").await["has_registry"], false);
    for path in ["/api/tokens", "/api/requests", "/api/tools/add", "/api/file", "/api/sessions", "/api/runs"]
    {
        assert_eq!(page.error(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}
