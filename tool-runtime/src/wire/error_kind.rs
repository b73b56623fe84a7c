//! The kinds of errors of servers.

use super::WireError;
use crate::message::StreamError;
use serde_json::{Value, json};
use std::time::Duration;

/// The kind of an error of a server, by which a program decides what to do. The codes, types and messages of all providers are
/// known, since gateways send those of their upstream servers.
///
/// ```
/// use std::time::Duration;
/// use tool_runtime::wire::ErrorKind;
///
/// let body = r#"{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached. Please try again in 1.5s."}}"#;
/// let retry_after = Some(Duration::from_millis(1500));
/// assert!(matches!(ErrorKind::from_response(429, body), ErrorKind::RateLimit { retry_after: time, .. } if time == retry_after));
///
/// let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens"}}"#;
/// assert_eq!(ErrorKind::from_response(400, body), ErrorKind::ContextTooLong);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is too long for the model: shorten the conversation.
    ContextTooLong,
    /// Too many requests, or tokens, in a time: wait.
    #[non_exhaustive]
    RateLimit {
        /// The time to wait, if the body has it. The header `retry-after` may have it too.
        retry_after: Option<Duration>,
    },
    /// The server is overloaded, or failed: try again later.
    Overloaded,
    /// The key is missing or invalid, does not allow the request, or its account has no credit.
    Authentication,
    /// The request is invalid: the same request fails again.
    InvalidRequest,
    /// A filter of the provider rejected the content of the request.
    ContentRefused,
    /// Any other error.
    Other,
}

// The words of codes, types and messages, in small letters, by which an error is of a kind.
const CONTEXT: &str = "context_length_exceeded|exceed_context_size|model_context_window_exceeded|too_many_prompt_tokens|\
    request_too_large|request too large|prompt is too long|prompt too long|input is too long|context length|context window|\
    context limit|context size|maximum model length|maximum prompt length|model token limit|max_prompt_tokens|too many tokens|\
    input token count|input tokens exceed|maximum number of tokens allowed|length of all messages is too long|too large for model";
const AUTHENTICATION: &str = "invalid_api_key|api_key_invalid|authentication_error|permission_error|permission_denied|\
    unauthenticated|unauthorized|insufficient_quota|billing_error|billing_hard_limit|billing_not_active|credit balance|\
    enable billing|organization_restricted|organization has been disabled|accessdenied|unrecognizedclient|expiredtoken|\
    incorrect api key|invalid api key|api key not valid";
const REFUSED: &str = "content_filter|content filter|content_policy|responsibleaipolicy|prohibited_content|invalid_prompt|\
    content management policy|content policy|usage policies|safety system|requires moderation|was flagged|content exists risk";
const RATE_LIMIT: &str =
    "rate_limit|rate limit|throttling|resource_exhausted|too_many_requests|too many requests";
const OVERLOADED: &str = "overloaded|server_error|api_error|internal_error|internal server error|internalserver|\
    serviceunavailable|service_unavailable|unavailable|modelnotready|modelstreamerror|modelerror|modeltimeout|capacity_exceeded|\
    deadline_exceeded|gateway_timeout|high demand";
const INVALID: &str =
    "invalid_request|invalid_argument|invalid-argument|validation|bad_request|not_found|not_supported";

impl ErrorKind {
    /// The kind of the error of a response with this status. The body is the whole text of the response, JSON or not.
    #[must_use]
    pub fn from_response(status: u16, body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(json) => ErrorKind::new(status, &json),
            Err(_) => ErrorKind::new(status, &Value::String(body.to_owned())),
        }
    }

    /// The kind of an error with this status; 0 if it is not known.
    pub(super) fn new(status: u16, error: &Value) -> Self {
        // A server that sends the error in place of a reply has its status in the code.
        let code = || error["error"]["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        let status = if status < 300 { code().unwrap_or(status) } else { status };
        let mut texts = Vec::new();
        add_texts(error, MAX_DEPTH, &mut texts);
        let text = texts.join("\n").to_ascii_lowercase();
        let has = |words: &str| words.split('|').any(|word| text.contains(word));
        let rate_limit = || ErrorKind::RateLimit { retry_after: retry_after(&text) };
        match status {
            // The message of a limit may have words of the others.
            429 if !has(AUTHENTICATION) => rate_limit(),
            // Its message may be "Too many tokens, please wait before trying again."
            _ if has("throttlingexception") => rate_limit(),
            _ if has(CONTEXT) => ErrorKind::ContextTooLong,
            _ if has(REFUSED) => ErrorKind::ContentRefused,
            401..=403 => ErrorKind::Authentication,
            _ if has(AUTHENTICATION) => ErrorKind::Authentication,
            413 => ErrorKind::ContextTooLong,
            400..=499 if has(INVALID) => ErrorKind::InvalidRequest,
            _ if has(RATE_LIMIT) => rate_limit(),
            408 | 424 | 498 | 500 | 502..=599 => ErrorKind::Overloaded,
            _ if has(OVERLOADED) => ErrorKind::Overloaded,
            400..=499 => ErrorKind::InvalidRequest,
            _ if has(INVALID) => ErrorKind::InvalidRequest,
            _ => ErrorKind::Other,
        }
    }
}

impl StreamError {
    /// The kind of the error if the server sent it; `None` for any other reason.
    #[must_use]
    pub fn error_kind(&self) -> Option<ErrorKind> {
        let StreamError::Server { message, error } = self else { return None };
        Some(ErrorKind::new(0, &json!({ "message": message, "error": error })))
    }
}

impl WireError {
    /// The kind of the error if the server sent it; `None` for any other reason. Only the message decides:
    /// [`ErrorKind::from_response`] reads the status and the codes too.
    #[must_use]
    pub fn error_kind(&self) -> Option<ErrorKind> {
        let WireError::Server { message } = self else { return None };
        Some(ErrorKind::new(0, &json!(message)))
    }
}

/// The depth to which an error is read.
const MAX_DEPTH: usize = 6;

/// Adds the codes, types and messages of an error. The output of a model is not among them.
fn add_texts<'a>(error: &'a Value, depth: usize, texts: &mut Vec<&'a str>) {
    const FIELDS: &str = "error|errors|message|Message|code|type|__type|status|reason|details|retryDelay|innererror|detail|metadata|raw";
    match error {
        _ if depth == 0 => {}
        Value::String(text) => texts.push(text),
        Value::Array(list) => list.iter().for_each(|error| add_texts(error, depth - 1, texts)),
        Value::Object(fields) => {
            let known = fields.iter().filter(|(name, _)| FIELDS.split('|').any(|field| field == *name));
            known.for_each(|(_, value)| add_texts(value, depth - 1, texts));
        }
        _ => {}
    }
}

/// The time to wait, after words such as `try again in`, or in a line of its own as Google sends it: `34s`.
fn retry_after(text: &str) -> Option<Duration> {
    const BEFORE: [&str; 5] = ["try again in ", "retry in ", "retry after ", "again after ", "wait "];
    let after = BEFORE.iter().filter_map(|words| Some(text.split_once(words)?.1));
    let lines = text.lines().filter(|line| line.ends_with('s') && !line.contains(' '));
    after.chain(lines).find_map(duration)
}

/// The duration at the start of a text: `1m30.5s`, `20ms`, `1 minute 12 seconds`.
fn duration(mut text: &str) -> Option<Duration> {
    let mut total = None;
    loop {
        let end = text.find(|letter: char| letter != '.' && !letter.is_ascii_digit()).unwrap_or(text.len());
        let (number, rest) = (&text[..end], text[end..].trim_start());
        let unit: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
        let seconds = match &*unit {
            "h" | "hour" | "hours" => 3600.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "ms" | "millisecond" | "milliseconds" => 0.001,
            _ => return total,
        };
        let Ok(number) = number.parse::<f64>() else { return total };
        let more = Duration::try_from_secs_f64(number * seconds).ok()?;
        total = Some(total.unwrap_or(Duration::ZERO).checked_add(more)?);
        text = rest[unit.len()..].trim_start_matches([' ', ',']);
    }
}
