//! Prompts of a server, as a client sees them, and their completion.

use crate::peer::Peer;
use serde_json::{Value, json};
use tool_runtime::message::{Content, Message, Part};
use tool_runtime::{Registry, tools};
use tool_runtime_mcp::rmcp::model::{Prompt, PromptArgument, Reference};
use tool_runtime_mcp::{Completion, Server, serve};

fn shop() -> Server {
    let argument = |name: &str| PromptArgument::new(name).with_required(true);
    let refund =
        Prompt::new("refund", Some("Refunds an order."), Some(vec![argument("order"), argument("reason")]));
    let refund = refund.with_title("Refund");
    let plain = |name: &str| Prompt::new(name, None::<String>, None);
    serve(Registry::new(tools![]).expect("valid"))
        .prompt(refund, |request| async move {
            let text = |name: &str| request.argument(name).unwrap_or_default().to_owned();
            Ok::<_, &str>(format!("Refund {} because of {}.", text("order"), text("reason")))
        })
        .prompt(plain("dialogue"), |_| async {
            let receipt = Content::from_parts([
                Part::text("Check this:"),
                Part::image("image/png", b"png"),
                Part::file("a.txt", "text/plain", "words"),
            ]);
            Ok::<_, &str>([
                Message::system("Be brief."),
                Message::user(receipt),
                Message::assistant("It is fine."),
            ])
        })
        .prompt(plain("panics"), |_| async {
            if true {
                panic!("a secret");
            }
            Ok::<_, &str>("")
        })
        .completion(
            Reference::for_prompt("refund"),
            "order",
            Completion::with(|request| async move {
                let reason = request.argument("reason").unwrap_or_default();
                (0..150).map(|number| format!("{}{number}{reason}", request.text())).collect()
            }),
        )
}

async fn get(client: &mut Peer, name: &str, arguments: Value) -> Value {
    client.request(1, "prompts/get", json!({"name": name, "arguments": arguments})).await
}

#[tokio::test]
async fn prompts_are_listed_and_written() {
    let mut client = Peer::connect_to(shop()).await;
    let listed = client.request(1, "prompts/list", json!({})).await;
    let expected = json!({
        "name": "refund", "title": "Refund", "description": "Refunds an order.",
        "arguments": [{"name": "order", "required": true}, {"name": "reason", "required": true}],
    });
    assert_eq!(listed["result"]["prompts"][0], expected);
    let refund = get(&mut client, "refund", json!({"order": "A", "reason": 7, "other": null})).await;
    assert_eq!(refund["result"]["description"], "Refunds an order.");
    let text = json!([{"role": "user", "content": {"type": "text", "text": "Refund A because of 7."}}]);
    assert_eq!(refund["result"]["messages"], text);
    let dialogue = get(&mut client, "dialogue", json!({})).await;
    let expected = json!([
        {"role": "user", "content": {"type": "text", "text": "Be brief."}},
        {"role": "user", "content": {"type": "text", "text": "Check this:"}},
        {"role": "user", "content": {"type": "image", "data": "cG5n", "mimeType": "image/png"}},
        {"role": "user", "content": {"type": "resource", "resource":
            {"uri": "attachment:a.txt", "mimeType": "text/plain", "text": "words"}}},
        {"role": "assistant", "content": {"type": "text", "text": "It is fine."}},
    ]);
    assert_eq!(dialogue["result"]["messages"], expected);
}

#[tokio::test]
async fn a_wrong_request_of_a_prompt_is_an_error() {
    let mut client = Peer::connect_to(shop()).await;
    for (name, arguments, code, expected) in [
        (
            "refnd",
            json!({}),
            -32602,
            "there is no prompt `refnd`. Available: `refund`, `dialogue`, `panics`.",
        ),
        (
            "refund",
            json!({"other": "A"}),
            -32602,
            "the prompt `refund` needs the argument `order` and `reason`",
        ),
        ("refund", json!(3), -32602, "the parameters of `prompts/get` are not those of the protocol"),
        ("panics", json!({}), -32603, "the request failed unexpectedly"),
    ] {
        let error = get(&mut client, name, arguments).await["error"].take();
        assert_eq!((&error["code"], &error["message"]), (&json!(code), &json!(expected)));
    }
}

#[tokio::test]
async fn arguments_are_completed() {
    let mut client = Peer::connect_to(shop()).await;
    let mut complete = async |reference: Value, name: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": "A"}, "context": {"arguments": {"reason": "!"}}});
        client.request(1, "completion/complete", params).await
    };
    let found = complete(json!({"type": "ref/prompt", "name": "refund", "title": "Refund"}), "order").await;
    let completion = &found["result"]["completion"];
    assert_eq!((&completion["values"][1], &completion["total"]), (&json!("A1!"), &json!(150)));
    assert_eq!(
        (completion["values"].as_array().map(Vec::len), &completion["hasMore"]),
        (Some(100), &json!(true))
    );
    let none = complete(json!({"type": "ref/prompt", "name": "refund"}), "reason").await;
    assert_eq!(none["result"]["completion"]["values"], json!([]));
    for reference in [json!({"type": "ref/prompt", "name": "x"}), json!({"type": "ref/resource", "uri": "x"})]
    {
        assert_eq!(complete(reference, "order").await["error"]["code"], -32602);
    }
}
