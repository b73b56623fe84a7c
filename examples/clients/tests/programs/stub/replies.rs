//! The replies of the server in the format of each API: reasoning and two calls, of which one has an unknown name, then an
//! answer.

use serde_json::{Value, json};

const REASONING: &str = "I look it up.";
const SIGNATURE: &str = "c2lnbmVk";
const ANSWER: &str = "It is sunny.";
const CALLS: [(&str, &str); 2] = [("get_weather", r#"{"city":"Beijing"}"#), ("get_wether", "{}")];

/// An API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    ChatCompletions,
    Responses,
    Ollama,
    Anthropic,
    Bedrock,
    Gemini,
    GeminiInteractions,
}

impl Api {
    pub(crate) fn at(path: &str) -> Option<Self> {
        match path {
            "/v1/chat/completions" => Some(Api::ChatCompletions),
            "/v1/responses" => Some(Api::Responses),
            "/api/chat" => Some(Api::Ollama),
            "/v1/messages" => Some(Api::Anthropic),
            "/model/stub-1/converse" => Some(Api::Bedrock),
            "/v1beta/models/stub-1:generateContent" => Some(Api::Gemini),
            "/v1beta/interactions" => Some(Api::GeminiInteractions),
            _ => None,
        }
    }

    /// The messages, contents, items or steps of a request.
    fn messages(self, request: &Value) -> &[Value] {
        let field = match self {
            Api::GeminiInteractions | Api::Responses => "input",
            Api::Gemini => "contents",
            _ => "messages",
        };
        request[field].as_array().map_or(&[], Vec::as_slice)
    }

    /// Checks that a request with results has the reasoning of the reply that called the tools, unchanged.
    pub(crate) fn check_reasoning(self, request: &Value) -> Result<(), String> {
        let [_, reply, ..] = self.messages(request) else { return Ok(()) };
        let (reasoning, expected) = match self {
            Api::ChatCompletions => (&reply["reasoning_content"], json!(REASONING)),
            Api::Ollama => (&reply["thinking"], json!(REASONING)),
            Api::Responses => (reply, reasoning_item()),
            Api::Anthropic => (&reply["content"][0], thinking_block()),
            Api::Bedrock => (&reply["content"][0], reasoning_block()),
            Api::GeminiInteractions => (reply, thought()),
            Api::Gemini => (&reply["parts"][0]["thoughtSignature"], json!(SIGNATURE)),
        };
        if *reasoning == expected {
            return Ok(());
        }
        // Error message of DeepSeek.
        Err(format!("The reasoning in the thinking mode must be passed back to the API, not {reasoning}."))
    }

    /// The body of the response.
    pub(crate) fn reply(self, request: &Value) -> String {
        let is_answer = self.messages(request).len() > 1;
        match self {
            Api::ChatCompletions if request["stream"] == true => chunks(is_answer),
            Api::ChatCompletions => completion(is_answer).to_string(),
            Api::Responses => response(is_answer).to_string(),
            Api::Ollama => ollama(is_answer).to_string(),
            Api::Anthropic => message(is_answer).to_string(),
            Api::Bedrock => converse_output(is_answer).to_string(),
            Api::Gemini => candidates(is_answer).to_string(),
            Api::GeminiInteractions => interaction(is_answer).to_string(),
        }
    }
}

/// The calls, each with its number.
fn calls<'a>(call: impl Fn(usize, &'a str, &'a str) -> Value) -> Vec<Value> {
    (1..).zip(CALLS).map(|(number, (name, arguments))| call(number, name, arguments)).collect()
}

fn object(arguments: &str) -> Value {
    serde_json::from_str(arguments).expect("it is JSON")
}

fn function_call(number: usize, name: &str, arguments: &str) -> Value {
    let function = json!({"name": name, "arguments": arguments});
    json!({"index": number - 1, "id": format!("call_{number}"), "type": "function", "function": function})
}

fn completion(is_answer: bool) -> Value {
    let (message, reason) = if is_answer {
        (json!({"role": "assistant", "content": ANSWER}), "stop")
    } else {
        let calls = calls(function_call);
        let message = json!({"role": "assistant", "content": null, "reasoning_content": REASONING, "tool_calls": calls});
        (message, "tool_calls")
    };
    let choice = json!({"index": 0, "message": message, "finish_reason": reason});
    let usage = json!({"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12});
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "stub-1", "choices": [choice],
        "usage": usage})
}

/// The same as server-sent events, with reasoning, arguments and text in pieces.
fn chunks(is_answer: bool) -> String {
    let (deltas, reason) = if is_answer {
        let pieces = ANSWER.split_inclusive(' ').map(|piece| json!({"content": piece}));
        (pieces.collect::<Vec<_>>(), "stop")
    } else {
        let reasoning = REASONING.split_inclusive(' ').map(|piece| json!({"reasoning_content": piece}));
        let calls = (0..).zip(CALLS).flat_map(|(index, (name, arguments))| {
            let start = json!({"index": index, "id": format!("call_{}", index + 1), "type": "function",
                "function": {"name": name, "arguments": ""}});
            let (first, second) = arguments.split_at(arguments.len() / 2);
            let piece = |text: &str| json!({"index": index, "function": {"arguments": text}});
            [start, piece(first), piece(second)].map(|call| json!({"tool_calls": [call]}))
        });
        (reasoning.chain(calls).collect(), "tool_calls")
    };
    let chunk = |delta: Value, reason: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "stub-1",
            "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let start = chunk(json!({"role": "assistant", "content": null}), None);
    let deltas: String = deltas.into_iter().map(|delta| chunk(delta, None)).collect();
    [start, deltas, chunk(json!({}), Some(reason)), "data: [DONE]\n\n".to_owned()].concat()
}

fn reasoning_item() -> Value {
    let summary = json!([{"type": "summary_text", "text": REASONING}]);
    json!({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": SIGNATURE})
}

fn response(is_answer: bool) -> Value {
    let output = if is_answer {
        let text = json!({"type": "output_text", "text": ANSWER, "annotations": []});
        vec![
            json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}),
        ]
    } else {
        let calls = calls(|number, name, arguments| {
            json!({"type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
                "name": name, "arguments": arguments, "status": "completed"})
        });
        [vec![reasoning_item()], calls].concat()
    };
    json!({"id": "resp_1", "object": "response", "model": "stub-1", "status": "completed", "output": output})
}

/// Ollama sends no ids, and the arguments as objects.
fn ollama(is_answer: bool) -> Value {
    let message = if is_answer {
        json!({"role": "assistant", "content": ANSWER})
    } else {
        let calls =
            calls(|_, name, arguments| json!({"function": {"name": name, "arguments": object(arguments)}}));
        json!({"role": "assistant", "content": "", "thinking": REASONING, "tool_calls": calls})
    };
    json!({"model": "stub-1", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true,
        "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 3})
}

fn thinking_block() -> Value {
    json!({"type": "thinking", "thinking": REASONING, "signature": SIGNATURE})
}

fn message(is_answer: bool) -> Value {
    let (blocks, reason) = if is_answer {
        (vec![json!({"type": "text", "text": ANSWER})], "end_turn")
    } else {
        let calls = calls(|number, name, arguments| {
            let id = format!("toolu_{number}");
            json!({"type": "tool_use", "id": id, "name": name, "input": object(arguments)})
        });
        ([vec![thinking_block()], calls].concat(), "tool_use")
    };
    json!({"type": "message", "id": "msg_1", "role": "assistant", "model": "stub-1", "content": blocks,
        "stop_reason": reason, "usage": {"input_tokens": 9, "output_tokens": 3}})
}

fn candidates(is_answer: bool) -> Value {
    let parts = if is_answer {
        vec![json!({"text": ANSWER})]
    } else {
        // Only the first of several calls is signed.
        calls(|number, name, arguments| {
            let call = json!({"name": name, "args": object(arguments)});
            if number == 1 {
                json!({"functionCall": call, "thoughtSignature": SIGNATURE})
            } else {
                json!({"functionCall": call})
            }
        })
    };
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3}})
}

fn reasoning_block() -> Value {
    json!({"reasoningContent": {"reasoningText": {"text": REASONING, "signature": SIGNATURE}}})
}

fn converse_output(is_answer: bool) -> Value {
    let (blocks, reason) = if is_answer {
        (vec![json!({"text": ANSWER})], "end_turn")
    } else {
        let calls = calls(
            |number, name, arguments| json!({"toolUse": {"toolUseId": format!("tooluse_{number}"), "name": name, "input": object(arguments)}}),
        );
        ([vec![reasoning_block()], calls].concat(), "tool_use")
    };
    json!({"output": {"message": {"role": "assistant", "content": blocks}}, "stopReason": reason,
        "usage": {"inputTokens": 9, "outputTokens": 3, "totalTokens": 12}, "metrics": {"latencyMs": 7}})
}

fn thought() -> Value {
    json!({"type": "thought", "signature": SIGNATURE, "summary": [{"type": "text", "text": REASONING}]})
}

fn interaction(is_answer: bool) -> Value {
    let (steps, status) = if is_answer {
        let text = json!({"type": "text", "text": ANSWER});
        (vec![json!({"type": "model_output", "content": [text]})], "completed")
    } else {
        let calls = calls(|number, name, arguments| {
            let id = format!("call_{number}");
            json!({"type": "function_call", "id": id, "name": name, "arguments": object(arguments)})
        });
        ([vec![thought()], calls].concat(), "requires_action")
    };
    json!({"id": "interaction_1", "object": "interaction", "model": "stub-1", "status": status, "steps": steps,
        "usage": {"total_input_tokens": 9, "total_output_tokens": 3, "total_tokens": 12}})
}
