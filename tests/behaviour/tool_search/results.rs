//! The results of `search_tools`.

use super::{builder, content, named, registry};
use serde_json::json;
use tool_runtime::message::Part;
use tool_runtime::search::{Ranking, RankingFuture, Search, SearchQuery};
use tool_runtime::{Registry, RegistryBuilder, RunContext, ToolCall};

fn search(query: &str) -> ToolCall {
    ToolCall::new("1", "search_tools", json!({"query": query}).to_string())
}

/// The names that a search returns.
async fn found(registry: &Registry, query: &str) -> Vec<String> {
    let messages = registry.dispatch(&[search(query)]).await;
    let parts = messages[0].content.parts().unwrap_or_default().iter();
    let references = parts.filter_map(|part| match part {
        Part::ToolReference { name, .. } => Some(name.clone()),
        _ => None,
    });
    references.collect()
}

#[tokio::test]
async fn the_first_tools_have_their_schemas_and_the_others_have_signatures() {
    let registry = Registry::builder()
        .dynamic(named("list_issues", "Lists the issues of a repository."))
        .dynamic(named("create_issue", "Creates an issue in a repository."))
        .search(Search::new().full_schemas(1))
        .build()
        .expect("the tools are valid");
    let text = content(&registry, search("create an issue")).await;
    assert_eq!(
        text,
        "The 2 best matches, the best first. If one fits, call it with `call_tool`; otherwise search with other words.\n\n\
         create_issue\nCreates an issue in a repository.\nSchema of its arguments: {\"type\":\"object\",\"properties\":{}}\n\n\
         list_issues()\nLists the issues of a repository."
    );
    assert_eq!(found(&registry, "create an issue").await, ["create_issue", "list_issues"]);
}

#[tokio::test]
async fn three_tools_have_their_schemas_by_default() {
    let names = ["issue_a", "issue_b", "issue_c", "issue_d"];
    let tools = names.iter().map(|name| named(name, "An issue."));
    let registry = tools.fold(Registry::builder().search(Search::new()), RegistryBuilder::dynamic).build();
    let text = content(&registry.expect("the tools are valid"), search("issue")).await;
    assert_eq!(text.matches("Schema of its arguments").count(), 3, "{text}");
    assert!(text.ends_with("issue_d()\nAn issue."), "{text}");
}

#[tokio::test]
async fn pinned_tools_are_not_found() {
    let text = content(&registry(), search("now")).await;
    let expected = "No further tool matches. Call these matching tools directly: `now`.";
    assert_eq!(text, expected);
    let text = content(&registry(), search("xyzzy")).await;
    assert!(text.starts_with("No tool matches."), "{text}");
    let weather = RunContext::new().allowed_tools(["get_weather"]);
    let text = content(&registry().with(&weather), search("now")).await;
    assert!(text.starts_with("No tool matches."), "{text}");
    let nothing = Registry::builder().search(Search::new()).build().expect("a registry may have no tools");
    assert_eq!(content(&nothing, search("now")).await, "There are no further tools.");
}

#[tokio::test]
async fn tools_that_a_request_may_not_use_are_not_found() {
    let registry = registry();
    assert_eq!(found(&registry, "delete a file").await, ["delete_file"]);
    let weather = RunContext::new().allowed_tools(["get_weather"]);
    assert_eq!(found(&registry.with(&weather), "delete a file").await, Vec::<String>::new());
    assert_eq!(found(&registry.with(&weather), "weather").await, ["get_weather"]);
    let subset = registry.subset(["get_weather", "now"]).expect("they are there");
    assert_eq!(found(&subset, "delete a file").await, Vec::<String>::new());
    assert_eq!(found(&subset, "weather").await, ["get_weather"]);
    assert_eq!(subset.subset(["now"]).expect("it is there").names(), ["now"]);

    let bound = registry.with(&RunContext::new());
    assert_eq!(found(&bound, "send an invoice").await, ["send_invoice"]);
    assert_eq!(bound.call("send_invoice", json!({"customer": 1})).await.text(), "sent to 1");
    assert_eq!(found(&bound, "send an invoice").await, Vec::<String>::new());
}

#[tokio::test]
async fn the_limit_of_a_result_is_at_most_that_of_the_search() {
    let mut builder = Registry::builder().search(Search::new().max_results(7));
    for number in 0..30 {
        builder = builder.dynamic(named(&format!("report_{number}"), "Writes a report."));
    }
    let registry = builder.build().expect("the tools are valid");
    for (limit, expected) in [(None, 5), (Some(2), 2), (Some(100), 7)] {
        let arguments = limit
            .map_or_else(|| json!({"query": "report"}), |limit| json!({"query": "report", "limit": limit}));
        let messages = registry.dispatch(&[ToolCall::new("1", "search_tools", arguments.to_string())]).await;
        let text = messages[0].text();
        assert!(text.starts_with(&format!("The {expected} best matches, the best first.")), "{text}");
        assert_eq!(text.matches("Writes a report.").count(), expected);
    }
    let few = Registry::builder()
        .dynamic(named("report", "A report."))
        .search(Search::new().max_results(3))
        .build();
    let few = few.expect("the tools are valid");
    let schema = few.tool("search_tools").expect("it is there").schema.parameters().get();
    assert!(schema.contains("The number of tools; 3 by default, at most 3."), "{schema}");
    let zero = ToolCall::new("1", "search_tools", r#"{"query":"report","limit":0}"#);
    assert!(content(&registry, zero).await.starts_with("Error: invalid arguments for `search_tools`"));
}

#[tokio::test]
async fn long_descriptions_and_schemas_are_short_in_a_result() {
    let long = "A very long text about reports. ".repeat(1_000);
    let properties: serde_json::Map<_, _> = (0..500)
        .map(|number| {
            (format!("field_{number}"), json!({"type": "string", "description": "A field of a report."}))
        })
        .collect();
    // A line of a description must not look like another tool.
    let long = format!("{long}\n\nother(x: string)\nDoes other things.");
    let large = tool_runtime::DynamicTool::new(
        "report",
        &*long,
        json!({"type": "object", "properties": properties}),
        |_| async { Ok::<_, String>(()) },
    );
    let registry = Registry::builder()
        .dynamic(large)
        .dynamic(named("report_b", &long))
        .search(Search::new())
        .build()
        .expect("the tools are valid");
    let text = content(&registry, search("report")).await;
    assert!(text.len() < 6_000, "{} bytes", text.len());
    assert!(text.contains("\nreport_b\nA very long text"), "{text}");
}

#[tokio::test]
async fn a_program_can_rank_tools_itself() {
    struct Reversed;
    impl Ranking for Reversed {
        fn rank<'a>(&'a self, query: SearchQuery<'a>) -> RankingFuture<'a> {
            Box::pin(async move {
                if query.text() == "fail" {
                    return Err("the index is not available".into());
                }
                // A tool that is ranked twice is returned once, with the definition of the registry.
                let tools = query.tools().iter().rev().chain(query.tools());
                Ok(tools.collect())
            })
        }
    }
    let registry = builder().search(Search::new().pin(["now"]).ranking(Reversed)).build().expect("valid");
    assert_eq!(found(&registry, "any").await, ["send_invoice", "get_weather", "delete_file"]);
    let weather = RunContext::new().allowed_tools(["get_weather"]);
    assert_eq!(found(&registry.with(&weather), "any").await, ["get_weather"]);
    assert_eq!(content(&registry, search("fail")).await, "Error: the index is not available");
}
