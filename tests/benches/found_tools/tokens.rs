//! The tokens of requests with and without a search, for the tools of a public collection.

use crate::recall::Collection;
use serde_json::{Value, json};
use tool_runtime::search::{Search, documented_signature, signature};
use tool_runtime::session::RunEnd;
use tool_runtime::{AssistantMessage, DynamicTool, Registry, RegistryBuilder, Session, ToolCall, ToolSchema};
use tool_runtime_testing::ScriptedModel;

/// Tokens of o200k, the encoding of OpenAI's models.
fn tokens(text: &str) -> usize {
    let encoding = tiktoken_rs::o200k_base_singleton();
    encoding.encode_ordinary(text).len()
}

fn tokens_of(value: &impl serde::Serialize) -> usize {
    tokens(&serde_json::to_string(value).expect("it can be written"))
}

/// A registry of the first tools, with or without a search.
fn registry(tools: &[ToolSchema], has_search: bool) -> Registry {
    let builder = Registry::builder().rename_invalid_names(true).skip_invalid_tools(true);
    let builder = if has_search { builder.search(Search::new()) } else { builder };
    let tools = tools.iter().map(|tool| {
        let parameters: Value = serde_json::from_str(tool.parameters().get()).expect("it is JSON");
        DynamicTool::new(tool.name(), tool.description(), parameters, |_| async { Ok::<_, String>("done") })
    });
    tools.fold(builder, RegistryBuilder::dynamic).build().expect("the tools are valid")
}

/// The tokens of all requests of a conversation in which the model calls three tools, one after the other.
async fn conversation(registry: &Registry, tools: [&str; 3], has_search: bool) -> (usize, usize) {
    let calls = tools.iter().enumerate().flat_map(|(number, name)| {
        let name = registry.tool(name).expect("it is there").schema.name();
        let query = name.replace(['_', '.'], " ");
        let search =
            ToolCall::new(format!("s{number}"), "search_tools", json!({ "query": query }).to_string());
        let arguments = json!({ "name": name, "arguments": {} });
        let call = ToolCall::new(format!("c{number}"), "call_tool", arguments.to_string());
        let direct = ToolCall::new(format!("c{number}"), name, "{}");
        let calls = if has_search { vec![search, call] } else { vec![direct] };
        calls.into_iter().map(|call| AssistantMessage::from_tool_calls(vec![call]))
    });
    let model = ScriptedModel::new(calls.chain([AssistantMessage::from_text("Done.")]));
    let mut session = Session::new().user("Do these three things.");
    let end = session.run(registry).complete(|request| model.complete(request)).await;
    assert_eq!(end.expect("the requests are valid"), RunEnd::Answered);
    let requests = model.requests();
    (requests.len(), requests.iter().map(tokens_of).sum())
}

/// A search takes fewer tokens than the definitions.
pub(crate) async fn measure(collection: &Collection) {
    println!("tools | definitions | with a search | conversation | with a search, in requests");
    for count in [20, 100, 1_000] {
        let tools = &collection.tools[..count];
        let (all, found) = (registry(tools, false), registry(tools, true));
        let (without, with) = (tokens_of(&all.schemas()), tokens_of(&found.schemas()));
        let names = [0, count / 2, count - 1].map(|at| tools[at].name());
        let (requests, of_all) = conversation(&all, names, false).await;
        let (more_requests, of_search) = conversation(&found, names, true).await;
        println!("{count} | {without} | {with} | {of_all} in {requests} | {of_search} in {more_requests}");
        assert!(with < 250 && with < without, "{with} of {without}");
        assert!(count < 100 || of_search < of_all / 3, "{of_search} of {of_all}");
    }
    let sum = |text: &dyn Fn(&ToolSchema) -> String| {
        collection.tools.iter().map(|tool| tokens(&text(tool))).sum::<usize>()
    };
    let schemas = sum(&|tool| format!("{} {}", tool.name(), tool.parameters()));
    let (short, documented) = (sum(&signature), sum(&documented_signature));
    let tools = collection.tools.len();
    println!("{tools} tools: schemas {schemas}, signatures {short}, with descriptions {documented}");
    assert!(short * 3 < schemas, "{short} of {schemas}");
}
