//! Approvals that a provider asks for, before it runs a tool of its own.

use crate::client_tool_functions::run_command;
use crate::client_tools::{done, model, registry, responses_reply, run};
use crate::list;
use serde_json::{Value, json};
use tool_runtime::dispatch::Decision;
use tool_runtime::session::RunEnd;
use tool_runtime::wire::Responses;
use tool_runtime::{Registry, Session, ToolCall, tool, tools};
use tool_runtime_testing::assert_valid;

#[tokio::test]
async fn a_request_for_an_approval_is_the_end_of_a_run() {
    let request = json!({ "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "shop", "name": "refund",
        "arguments": r#"{"order":7}"# });
    let listed = json!({ "type": "mcp_list_tools", "id": "mcpl_1", "server_label": "shop", "tools": [] });
    let called = json!({ "type": "mcp_call", "id": "mcp_1", "server_label": "shop", "name": "refund", "arguments": "{}",
        "approval_request_id": "mcpr_1", "output": "ok" });
    let wire = || {
        Responses::new().hosted_tool(
            json!({ "type": "mcp", "server_label": "shop", "server_url": "https://example.com" }),
        )
    };
    for (is_streamed, is_approved) in [(false, true), (true, false)] {
        let bodies = [responses_reply(&json!([listed, request])), responses_reply(&json!([called, done()]))];
        let model = model(wire(), bodies);
        let mut session = Session::new().user("Refund order 7.");
        assert_eq!(run(&mut session, wire(), &model, is_streamed).await, RunEnd::NeedsApproval);
        let [waiting] = &session.awaiting_approval()[..] else { panic!("one call waits") };
        let arguments: Value = serde_json::from_str(&waiting.arguments).expect("an object");
        assert_eq!(
            arguments,
            json!({ "server_label": "shop", "name": "refund", "arguments": r#"{"order":7}"# })
        );
        if is_approved {
            session.approve("mcpr_1").expect("it waits");
        } else {
            session.deny("mcpr_1", "it is too much").expect("it waits");
        }
        assert_eq!(run(&mut session, wire(), &model, is_streamed).await, RunEnd::Answered);
        let [first, second] = &model.requests()[..] else { panic!("two requests") };
        assert_eq!(first["tools"][0]["type"], "mcp");
        assert_eq!(list(&second["input"])[1..3], [listed.clone(), request.clone()]);
        let response = &second["input"][3];
        assert_eq!(response["type"], "mcp_approval_response");
        assert_eq!(
            (&response["approval_request_id"], &response["approve"]),
            (&json!("mcpr_1"), &json!(is_approved))
        );
        let reason = response["reason"].as_str().unwrap_or_default();
        assert_eq!(reason.contains("it is too much"), !is_approved, "{reason}");
        assert_valid(&session);
    }
}

#[tokio::test]
async fn two_requests_for_an_approval_with_one_id_have_their_responses() {
    let request = json!({ "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "n", "arguments": "{}" });
    let model = model(
        Responses::new(),
        [
            responses_reply(&json!([request])),
            responses_reply(&json!([request])),
            responses_reply(&json!([done()])),
        ],
    );
    let mut session = Session::new().user("Go.");
    for _ in 0..2 {
        assert_eq!(run(&mut session, Responses::new(), &model, false).await, RunEnd::NeedsApproval);
        let [waiting] = &session.awaiting_approval()[..] else { panic!("one call waits") };
        session.approve(&waiting.id).expect("it waits");
    }
    assert_eq!(run(&mut session, Responses::new(), &model, false).await, RunEnd::Answered);
    let input = model.requests().pop().expect("three requests")["input"].clone();
    let responses: Vec<&Value> =
        list(&input).iter().filter(|item| item["type"] == "mcp_approval_response").collect();
    assert_eq!(responses.len(), 2);
    assert!(responses.iter().all(|response| response["approval_request_id"] == "mcpr_1"), "{responses:?}");
}

/// It takes the name of the library.
#[tool(name = "approve_hosted_call")]
fn approves_all() -> &'static str {
    "approved"
}

#[test]
fn no_tool_of_a_program_approves_calls_of_a_provider() {
    let error = Registry::new(tools![approves_all]).expect_err("the name is that of the library");
    assert!(error.to_string().contains("the library has a tool named `approve_hosted_call`"), "{error}");
}

#[tokio::test]
async fn only_a_person_approves_a_call_of_a_provider() {
    let request = json!({ "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "n", "arguments": "{}" });
    let decisions: [fn() -> Decision; 4] = [
        || Decision::Run,
        || Decision::RunWith(json!({ "name": "m" })),
        || Decision::Respond("dry run".into()),
        || Decision::Undecided,
    ];
    for decision in decisions {
        let builder = Registry::builder().tools(tools![run_command]);
        let registry = builder.before_call(move |_| async move { decision() }).build().expect("a tool");
        let model =
            model(Responses::new(), [responses_reply(&json!([request])), responses_reply(&json!([done()]))]);
        let mut session = Session::new().user("Go.");
        let run = session.run(&registry).wire(Responses::new());
        let end = run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
        if end == RunEnd::NeedsApproval {
            session.provide_result("mcpr_1", "The user declined.").expect("it waits");
            let run = session.run(&registry).wire(Responses::new());
            let end =
                run.complete(|request| model.complete(request)).await.expect("the requests are accepted");
            assert_eq!(end, RunEnd::Answered);
        }
        let response = model.requests()[1]["input"][2].clone();
        assert_eq!(
            (&response["type"], &response["approve"]),
            (&json!("mcp_approval_response"), &json!(false))
        );
    }
}

#[tokio::test]
async fn a_function_of_the_name_of_an_approval_is_an_unknown_tool() {
    let call = ToolCall::new("a", "approve_hosted_call", r#"{"server_label":"s","name":"refund"}"#);
    let results = registry().dispatch(&[call]).await;
    assert!(
        results[0].text().starts_with("Error: there is no tool `approve_hosted_call`"),
        "{}",
        results[0].text()
    );
}
