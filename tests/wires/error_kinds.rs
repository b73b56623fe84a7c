//! The kinds of errors, for the errors that the documentation of providers and public reports have.

use serde_json::json;
use std::time::Duration;
use tool_runtime::message::Chunk;
use tool_runtime::stream::ReplyAssembler;
use tool_runtime::wire::{self, ErrorKind};

fn kind(status: u16, body: &str) -> ErrorKind {
    ErrorKind::from_response(status, body)
}

fn retry_after(kind: ErrorKind) -> Option<Duration> {
    match kind {
        ErrorKind::RateLimit { retry_after, .. } => retry_after,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_kind_follows_from_the_status_the_codes_and_the_message() {
    let openai = |status: u16, kind: &str, code: &str, message: &str| {
        (
            status,
            json!({ "error": { "message": message, "type": kind, "param": null, "code": code } }).to_string(),
        )
    };
    let anthropic = |status: u16, kind: &str, message: &str| {
        (status, json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string())
    };
    let google = |status: u16, kind: &str, message: &str| {
        (status, json!({ "error": { "code": status, "message": message, "status": kind } }).to_string())
    };
    let amazon = |status: u16, message: &str| (status, json!({ "message": message }).to_string());
    let plain = |status: u16, text: &str| (status, text.to_owned());
    let invalid = "invalid_request_error";
    let cases = [
        (ErrorKind::ContextTooLong, vec![
            openai(400, invalid, "context_length_exceeded", "This model's maximum context length is 8192 tokens."),
            anthropic(400, invalid, "prompt is too long: 210000 tokens > 200000 maximum"),
            anthropic(413, "request_too_large", "Request exceeds the maximum size"),
            google(400, "INVALID_ARGUMENT", "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576)."),
            amazon(400, "Input is too long for requested model."),
            // https://github.com/anthropics/claude-code/issues/228
            anthropic(400, invalid, "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000"),
            // https://github.com/OpenBMB/MiniCPM-V/issues/1048
            openai(400, "BadRequestError", "", "The decoder prompt (length 10000) is longer than the maximum model length of 8192."),
            // OpenRouter: https://openrouter.ai/docs/api/reference/errors-and-debugging
            (400, json!({ "error": { "code": 400, "message": "Provider returned error",
                "metadata": { "raw": r#"{"message":"prompt is too long: 210000 tokens"}"#, "provider_name": "Anthropic" } } }).to_string()),
            // llama.cpp
            openai(400, "exceed_context_size_error", "", "the request exceeds the available context size"),
        ]),
        (ErrorKind::Overloaded, vec![
            anthropic(529, "overloaded_error", "Overloaded"),
            anthropic(500, "api_error", "Internal server error"),
            google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
            amazon(503, "Bedrock is unable to process your request."),
            plain(502, "<html><body>Bad gateway</body></html>"),
            plain(504, ""),
            (200, json!({ "error": { "code": 502, "message": "Provider returned error" } }).to_string()),
            amazon(424, "The model returned an error."),
        ]),
        (ErrorKind::Authentication, vec![
            openai(401, invalid, "invalid_api_key", "Incorrect API key provided: sk-1."),
            openai(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."),
            anthropic(401, "authentication_error", "invalid x-api-key"),
            anthropic(403, "permission_error", "Your API key does not have permission."),
            anthropic(400, invalid, "Your credit balance is too low to access the Anthropic API."),
            google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
            amazon(403, "User is not authorized to perform: bedrock:InvokeModel"),
            (400, json!({ "code": "invalid-argument", "error": "Incorrect API key provided." }).to_string()),
        ]),
        (ErrorKind::InvalidRequest, vec![
            openai(400, invalid, "invalid_value", "Invalid 'messages[3]'."),
            openai(404, invalid, "model_not_found", "The model does not exist"),
            anthropic(404, "not_found_error", "model: x"),
            google(400, "INVALID_ARGUMENT", "Unknown name \"a\": Cannot find field."),
            amazon(400, "The provided model identifier is invalid."),
            plain(422, "unprocessable"),
            anthropic(400, invalid, "tools.3.custom.name: 'flagged_orders' is invalid"),
            openai(404, invalid, "model_not_found", "The model `omni-moderation-9` does not exist"),
            openai(501, "not_supported_error", "", "This server does not support embeddings."),
        ]),
        (ErrorKind::ContentRefused, vec![
            openai(400, "", "content_filter", "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."),
            openai(400, "image_generation_user_error", "content_policy_violation", "Your request was rejected as a result of our safety system."),
            // https://github.com/anthropics/claude-code/issues/58367
            anthropic(400, invalid, "Output blocked by content filtering policy"),
            // OpenRouter
            (403, json!({ "error": { "code": 403, "message": "Input was flagged", "metadata": { "reasons": ["violence"] } } }).to_string()),
        ]),
        (ErrorKind::Other, vec![plain(302, "moved"), plain(200, "{}")]),
    ];
    for (expected, errors) in cases {
        for (status, body) in errors {
            assert_eq!(kind(status, &body), expected, "{status}: {body}");
        }
    }
}

#[test]
fn a_rate_limit_has_the_time_to_wait_if_the_body_has_it() {
    let message = |text: &str| {
        kind(429, &json!({ "error": { "code": "rate_limit_exceeded", "message": text } }).to_string())
    };
    let times = [
        ("Rate limit reached. Please try again in 6.5s. Visit the page.", Some(6_500)),
        ("Please try again in 20ms.", Some(20)),
        ("Please try again in 1m30.5s.", Some(90_500)),
        ("Please try again in 2h0m1s.", Some(7_201_000)),
        ("You exceeded the quota. Please retry in 34.07s.", Some(34_070)),
        ("Please retry after 12 seconds.", Some(12_000)),
        ("Please try again after 1 minute 30 seconds.", Some(90_000)),
        ("5 hour limit. Resets later.", None),
        ("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000.", None),
        ("try again in a while", None),
        ("try again in 1e999s, or in 99999999999999999999999999999s", None),
        ("try again in ..s", None),
    ];
    for (text, milliseconds) in times {
        assert_eq!(retry_after(message(text)), milliseconds.map(Duration::from_millis), "{text}");
    }
    // https://ai.google.dev/gemini-api/docs/rate-limits
    let details = json!([{ "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s" }]);
    let body = json!([{ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", 
        "message": "You exceeded your current quota, please check your plan and billing details.", "details": details } }]);
    assert_eq!(retry_after(kind(429, &body.to_string())), Some(Duration::from_secs(34)));
    let throttled = json!({ "__type": "ThrottlingException", "message": "Too many requests" }).to_string();
    assert_eq!(retry_after(kind(400, &throttled)), None);
}

#[test]
fn errors_in_replies_and_streams_have_a_kind() {
    let events = [
        (
            "anthropic",
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ErrorKind::Overloaded,
        ),
        ("bedrock", r#"{"throttlingException":{"message":"Slow down"}}"#, kind(429, "")),
        (
            "bedrock",
            r#"{"throttlingException":{"message":"Too many tokens, please wait before trying again."}}"#,
            kind(429, ""),
        ),
        ("chat_completions", r#"{"error":{"code":429,"message":"Slow down"}}"#, kind(429, "")),
        (
            "bedrock",
            r#"{"validationException":{"message":"Input is too long for requested model."}}"#,
            ErrorKind::ContextTooLong,
        ),
        (
            "gemini",
            r#"{"error":{"code":503,"status":"UNAVAILABLE","message":"busy"}}"#,
            ErrorKind::Overloaded,
        ),
        (
            "gemini_interactions",
            r#"{"event_type":"error","error":{"code":"invalid_argument","message":"no"}}"#,
            ErrorKind::InvalidRequest,
        ),
        (
            "responses",
            r#"{"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded","message":"try again in 2s"}}}"#,
            kind(429, "try again in 2s"),
        ),
        (
            "chat_completions",
            r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#,
            ErrorKind::ContextTooLong,
        ),
    ];
    for (name, event, expected) in events {
        let wire = wire::by_name(name).expect("its feature is enabled");
        let mut assembler = ReplyAssembler::new().wire(wire);
        assembler.push(event);
        let error = assembler.into_reply().expect_err("it is interrupted").cause;
        assert_eq!(error.error_kind(), Some(expected), "{event}");
    }
    let mut assembler = ReplyAssembler::new();
    assembler.push(Chunk::from(Err::<String, _>(std::io::Error::other("reset"))));
    assert_eq!(assembler.into_reply().expect_err("it is interrupted").cause.error_kind(), None);
    let wire = wire::by_name("anthropic").expect("its feature is enabled");
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 3 tokens"}}"#;
    assert_eq!(wire.read_reply(body).expect_err("an error").error_kind(), Some(ErrorKind::ContextTooLong));
    assert_eq!(wire.read_reply("<html>").expect_err("no JSON").error_kind(), None);
}

/// The output of a model is not a message of the server, and an error of any depth is read.
#[test]
fn only_the_fields_of_the_server_decide() {
    let generation = json!({ "error": { "code": "tool_use_failed", "type": "invalid_request_error", "message": "Failed to call a function.",
        "failed_generation": "rate limit, context length, flagged" } });
    assert_eq!(kind(400, &generation.to_string()), ErrorKind::InvalidRequest);
    let deep = format!("{}{}", r#"{"error":"#.repeat(100), "}".repeat(100));
    assert_eq!(kind(500, &deep), ErrorKind::Overloaded);
    let nested = format!("{}1{}", r#"{"error":"#.repeat(100), "}".repeat(100));
    assert_eq!(kind(400, &nested), ErrorKind::InvalidRequest);
}
