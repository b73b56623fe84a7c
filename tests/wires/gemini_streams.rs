//! Gemini's wire: streams, made from the provider's documentation.

use crate::gemini::{call, parallel_calls, read, written};
use crate::weather_tools::registry;
use serde_json::{Value, json};
use tool_runtime::conversation::Received;
use tool_runtime::message::Completeness;
use tool_runtime::stream::{ReplyAssembler, ReplyEvent, StreamError};
use tool_runtime::wire::{Gemini, Wire};
use tool_runtime::{AssistantMessage, Conversation, Session, ToolCall};
use tool_runtime_testing::{ScriptedModel, ScriptedReply};

fn chunk(parts: &Value) -> Value {
    json!({
        "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0 }],
        "usageMetadata": { "promptTokenCount": 100, "candidatesTokenCount": 1 },
        "modelVersion": "gemini-3", "responseId": "r1",
    })
}

fn last(parts: &Value, finish_reason: &str) -> Value {
    let mut chunk = chunk(parts);
    chunk["candidates"][0]["finishReason"] = json!(finish_reason);
    chunk["usageMetadata"] = json!({ "promptTokenCount": 100, "toolUsePromptTokenCount": 7,
        "cachedContentTokenCount": 90, "candidatesTokenCount": 20, "thoughtsTokenCount": 5 });
    chunk
}

fn assembled(events: &[Value]) -> AssistantMessage {
    let mut assembler = ReplyAssembler::new().wire(Gemini::new());
    for event in events {
        // Lines may end with CRLF.
        assembler.push(format!("{event}\r"));
    }
    assembler.into_reply().expect("it is complete")
}

fn parts_of(reply: &AssistantMessage) -> Value {
    written(&[reply.clone().into()])[0]["parts"].clone()
}

fn streamed() -> Vec<Value> {
    let all = parallel_calls();
    vec![
        chunk(&json!([{ "text": "Two ", "thought": true }])),
        chunk(&json!([{ "text": "cities.", "thought": true }])),
        chunk(&json!([{ "text": "I look " }])),
        chunk(&json!([{ "text": "it up." }])),
        chunk(&json!([all[2]])),
        last(&json!([all[3], { "text": "" }]), "STOP"),
    ]
}

#[test]
fn a_streamed_reply_equals_the_same_reply_that_is_not_streamed() {
    let reply = assembled(&streamed());
    let whole = read(&parallel_calls(), "STOP");
    assert_eq!(parts_of(&reply), parallel_calls());
    assert_eq!(reply.tool_calls, whole.tool_calls);
    assert_eq!((reply.text(), reply.reasoning()), (whole.text(), whole.reasoning()));
    assert_eq!((reply.usage(), reply.origin()), (whole.usage(), whole.origin()));
    assert_eq!((reply.finish_reason(), reply.completeness()), (whole.finish_reason(), whole.completeness()));
}

#[test]
fn a_stream_reports_text_reasoning_and_calls_as_they_come() {
    let mut assembler = ReplyAssembler::new().wire(Gemini::new());
    let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
    for (at, event) in streamed().into_iter().enumerate() {
        for event in assembler.push(Gemini::new().read_event(&event.to_string())) {
            match event {
                ReplyEvent::Text(piece) => text.push_str(piece),
                ReplyEvent::Reasoning(piece) => reasoning.push_str(piece),
                ReplyEvent::CallComplete { index, call, .. } => calls.push((at, index, call.name.clone())),
                _ => {}
            }
        }
    }
    assert_eq!((&*text, &*reasoning), ("I look it up.", "Two cities."));
    // The first call is complete when the second one follows.
    assert_eq!(calls, [(5, 0, "get_weather".to_owned()), (5, 1, "get_weather".to_owned())]);
}

#[test]
fn parts_with_a_signature_stay_alone_and_the_order_stays() {
    let signed = |text: &str| json!({ "text": text, "thoughtSignature": "c2ln" });
    let image = json!({ "inlineData": { "mimeType": "image/png", "data": "cG5n" } });
    let thought = json!({ "text": "Hm.", "thought": true });
    let reply = assembled(&[
        chunk(&json!([{ "text": "a" }])),
        chunk(&json!([{ "text": "b" }, signed("c")])),
        chunk(&json!([signed("d")])),
        chunk(&json!([{ "text": "e" }, image, { "text": "f" }])),
        chunk(&json!([thought])),
        chunk(&json!([{ "text": "g" }, call("Rome"), call("Rome")])),
        last(&json!([signed("")]), "STOP"),
    ]);
    assert_eq!(reply.text(), "abcdefg");
    assert_eq!(
        parts_of(&reply),
        json!([{ "text": "ab" }, signed("c"), signed("d"), { "text": "e" }, image, { "text": "f" }, thought,
            { "text": "g" }, call("Rome"), call("Rome"), signed("")])
    );
    assert_eq!(reply.tool_calls.len(), 2, "equal calls are two calls");
}

#[tokio::test]
async fn read_only_tools_start_while_the_reply_is_streamed() {
    let registry = registry();
    let chunks = streamed().into_iter().map(|event| Gemini::new().read_event(&event.to_string()));
    let (reply, results) =
        registry.dispatch_stream(futures_util::stream::iter(chunks)).await.expect("it is complete");
    assert_eq!(results[0].text(), "Rome: sunny");
    let Received::ToolCalls(mut pending) = Conversation::new().user("?").receive(reply) else {
        panic!("it calls")
    };
    pending.add_results(results).expect("the ids are equal");
    let chat = pending.into_conversation().expect("each call has its result");
    assert_eq!(written(chat.messages())[1]["parts"], parallel_calls());
}

#[test]
fn ids_that_came_with_a_stream_are_sent() {
    let part = json!({ "functionCall": { "id": "abc", "name": "get_weather", "args": { "city": "Rome" } } });
    let reply = assembled(&[last(&json!([part, call("Oslo")]), "STOP")]);
    assert_eq!(reply.tool_calls[0].id, "abc");
    let results = reply.tool_calls.iter().map(|call| tool_runtime::ToolMessage::new(&call.id, "x").into());
    let messages: Vec<_> = std::iter::once(reply.clone().into()).chain(results).collect();
    let contents = written(&messages);
    assert_eq!(contents[1]["parts"][0]["functionResponse"]["id"], "abc");
    assert_eq!(contents[1]["parts"][1]["functionResponse"].get("id"), None);
}

#[test]
fn calls_with_one_id_are_different_calls() {
    let part = |city: &str| {
        let args = json!({ "city": city });
        json!({ "functionCall": { "id": "get_weather", "name": "get_weather", "args": args } })
    };
    let parts = json!([part("Rome"), part("Oslo"), part("Rome")]);
    let (reply, whole) = (assembled(&[last(&parts, "STOP")]), read(&parts, "STOP"));
    assert_eq!((reply.tool_calls.len(), &reply.tool_calls), (3, &whole.tool_calls));
    assert_eq!(parts_of(&reply), parts);
}

#[test]
fn truncated_and_blocked_streams_are_truncated() {
    let delete = json!({ "functionCall": { "name": "delete", "args": {} } });
    let reply = assembled(&[chunk(&json!([call("Rome")])), last(&json!([delete]), "MAX_TOKENS")]);
    let truncated: Vec<bool> = reply.tool_calls.iter().map(tool_runtime::ToolCall::is_truncated).collect();
    assert_eq!((reply.is_truncated(), &*truncated), (true, &[false, true][..]));
    let reply = assembled(&[json!({ "promptFeedback": { "blockReason": "SAFETY" } })]);
    assert_eq!((reply.refusal(), reply.is_truncated()), (Some("the request was blocked: SAFETY"), true));
    let reply = assembled(&[last(&json!([delete]), "UNEXPECTED_TOOL_CALL")]);
    assert_eq!(reply.completeness(), Completeness::Complete);
    assert_eq!(assembled(&[chunk(&json!([{ "text": "Half" }]))]).completeness(), Completeness::Unconfirmed);
}

#[test]
fn only_the_last_part_of_a_truncated_reply_can_be_a_truncated_call() {
    let delete = json!({ "functionCall": { "name": "delete", "args": {} } });
    for call in [call("Rome"), delete] {
        for (following, is_truncated) in [
            (vec![], true),
            // Replies may end with an empty text.
            (vec![json!({ "text": "" })], true),
            (vec![json!({ "text": "", "thoughtSignature": "c2ln" })], true),
            (vec![json!({ "text": "Half" })], false),
            (vec![json!({ "text": "Half" }), json!({ "text": "" })], false),
            (vec![json!({ "text": "Half", "thoughtSignature": "c2ln" })], false),
            (vec![json!({ "text": "Half", "thought": true })], false),
            (vec![json!({ "executableCode": { "language": "PYTHON", "code": "1" } })], false),
        ] {
            let parts = json!([vec![call.clone()], following.clone()].concat());
            for reply in [
                read(&parts, "MAX_TOKENS"),
                assembled(&[last(&parts, "MAX_TOKENS")]),
                assembled(&[chunk(&json!([call])), last(&json!(following), "MAX_TOKENS")]),
                assembled(&[chunk(&parts), last(&json!([]), "MAX_TOKENS")]),
            ] {
                let call = &reply.tool_calls[0];
                assert_eq!((call.is_truncated(), reply.is_truncated()), (is_truncated, true), "{parts}");
            }
        }
    }
}

#[test]
fn the_first_candidate_of_a_stream_is_read() {
    let mut first = last(&json!([{ "text": "one" }]), "STOP");
    let mut second = first["candidates"][0].clone();
    (second["index"], second["content"]["parts"][0]["text"]) = (json!(1), json!("two"));
    // The index 0 may be absent.
    first["candidates"][0].as_object_mut().expect("a candidate").remove("index");
    first["candidates"].as_array_mut().expect("candidates").push(second);
    assert_eq!(assembled(&[first]).text(), "one");
}

#[test]
fn an_error_in_a_stream_interrupts_the_reply() {
    let failed =
        json!({ "error": { "code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE" } });
    for event in [failed.clone(), json!([failed])] {
        let mut assembler = ReplyAssembler::new().wire(Gemini::new());
        assembler.push(chunk(&json!([{ "text": "Half" }])));
        assembler.push(event);
        let error = assembler.into_reply().expect_err("the server sent an error");
        let StreamError::Server { message, error: sent, .. } = &error.cause else { panic!("{error}") };
        assert_eq!((&**message, &sent["status"]), ("The model is overloaded.", &json!("UNAVAILABLE")));
        assert_eq!(error.partial.text(), "Half");
    }
    let mut assembler = ReplyAssembler::new().wire(Gemini::new());
    assembler.push("event: ping");
    let error = assembler.into_reply().expect_err("it is no event");
    assert!(error.to_string().contains("not in the format of the Gemini API"), "{error}");
}

#[test]
fn arguments_in_pieces_interrupt_the_reply() {
    let part = json!({ "functionCall": { "name": "delete", "willContinue": true } });
    let mut assembler = ReplyAssembler::new().wire(Gemini::new());
    assembler.push(chunk(&json!([part])));
    let error = assembler.into_reply().expect_err("pieces are not supported");
    assert!(error.to_string().contains("streamFunctionCallArguments"), "{error}");
    assert!(error.partial.tool_calls.is_empty());
}

#[tokio::test]
async fn a_scripted_model_replies_in_the_format() {
    let calls =
        json!({ "candidates": [{ "content": { "parts": parallel_calls() }, "finishReason": "STOP" }] });
    let model = ScriptedModel::new([
        ScriptedReply::from(calls),
        AssistantMessage::from_tool_calls(vec![ToolCall::new("a", "get_weather", r#"{"city":"Rome"}"#)])
            .into(),
        ScriptedReply::stream(streamed()),
        AssistantMessage::from_text("Sunny.").into(),
    ]);
    let model = model.wire(Gemini::new());
    let registry = registry();
    let mut session = Session::new().user("Rome and Atlantis?");
    let mut is_streamed = false;
    let ending = session
        .run(&registry)
        .complete(|request| {
            is_streamed = !is_streamed;
            let (model, registry) = (&model, &registry);
            async move {
                if !is_streamed {
                    return model.complete(request).await;
                }
                let chunks = model.stream(request).await?;
                let (reply, _) = registry.dispatch_stream(chunks).await.expect("it is complete");
                Ok(reply)
            }
        })
        .await;
    assert!(ending.is_ok(), "{ending:?}");
    assert_eq!(session.final_text(), "Sunny.");
    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    assert_eq!(requests[3]["contents"][1]["parts"], parallel_calls());
    let third = &requests[3]["contents"][3]["parts"][0];
    assert_eq!(third["thoughtSignature"], "skip_thought_signature_validator");
}

#[test]
fn the_events_of_a_chunk_are_in_the_order_of_its_parts() {
    let mut assembler = ReplyAssembler::new().wire(Gemini::new());
    let mut seen = Vec::new();
    for event in assembler.push(chunk(&json!([{ "text": "One" }, call("Rome"), { "text": "Two" }]))) {
        match event {
            ReplyEvent::Text(text) => seen.push(text.to_owned()),
            ReplyEvent::CallAnnounced { tool, .. } => seen.push(tool.to_owned()),
            _ => {}
        }
    }
    assert_eq!(seen, ["One", "get_weather", "Two"]);
}
