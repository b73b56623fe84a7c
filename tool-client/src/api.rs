//! The APIs of providers: URLs, headers, and the fields that a wire does not write.

use crate::framing::Framing;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use tool_runtime::wire::Body;

/// The API of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    ChatCompletions,
    Responses,
    Anthropic,
    Gemini,
    GeminiInteractions,
    Bedrock,
    Ollama,
}

impl Api {
    /// The API in the format of this wire. A program cannot define another format.
    pub(crate) fn for_wire(name: &str) -> Self {
        match name {
            "responses" => Api::Responses,
            "anthropic" => Api::Anthropic,
            "gemini" => Api::Gemini,
            "gemini_interactions" => Api::GeminiInteractions,
            "bedrock" => Api::Bedrock,
            "ollama" => Api::Ollama,
            _ => Api::ChatCompletions,
        }
    }

    /// The base URL of the provider; `None` for Bedrock, whose base URL has the region.
    pub(crate) fn default_base_url(self) -> Option<&'static str> {
        match self {
            Api::ChatCompletions | Api::Responses => Some("https://api.openai.com/v1"),
            Api::Anthropic => Some("https://api.anthropic.com"),
            Api::Gemini | Api::GeminiInteractions => Some("https://generativelanguage.googleapis.com"),
            Api::Ollama => Some("http://localhost:11434"),
            Api::Bedrock => None,
        }
    }

    pub(crate) fn framing(self) -> Framing {
        match self {
            Api::Bedrock => Framing::Frames,
            Api::Ollama => Framing::Lines,
            _ => Framing::Events,
        }
    }

    /// The header with the key, and the text before the key.
    pub(crate) fn key_header(self) -> (HeaderName, &'static str) {
        match self {
            Api::Anthropic => (HeaderName::from_static("x-api-key"), ""),
            Api::Gemini | Api::GeminiInteractions => (HeaderName::from_static("x-goog-api-key"), ""),
            _ => (AUTHORIZATION, "Bearer "),
        }
    }

    /// Adds the header with the version of the API, if there is one.
    pub(crate) fn add_version(self, headers: &mut HeaderMap) {
        match self {
            Api::Anthropic => headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01")),
            // Earlier revisions have other fields.
            Api::GeminiInteractions => headers.insert("api-revision", HeaderValue::from_static("2026-05-20")),
            _ => None,
        };
    }

    /// Adds the path of a request to the base URL, which may have a path and a query. `None` for a URL such as `localhost:8080`,
    /// whose scheme is `localhost`.
    pub(crate) fn add_path(self, url: &mut Url, model: &str, stream: bool) -> Option<()> {
        let mut path = url.path_segments_mut().ok()?;
        path.pop_if_empty();
        match self {
            Api::ChatCompletions => path.extend(["chat", "completions"]),
            Api::Responses => path.push("responses"),
            Api::Anthropic => path.extend(["v1", "messages"]),
            Api::Gemini => {
                let method = if stream { "streamGenerateContent" } else { "generateContent" };
                // A tuned model has a folder of its own: `tunedModels/..`.
                let (folder, name) = model.split_once('/').unwrap_or(("models", model));
                path.extend(["v1beta", folder, &format!("{name}:{method}")])
            }
            Api::GeminiInteractions => path.extend(["v1beta", "interactions"]),
            // The model may be an ARN: `push` encodes its slashes.
            Api::Bedrock => {
                path.extend(["model", model, if stream { "converse-stream" } else { "converse" }])
            }
            Api::Ollama => path.extend(["api", "chat"]),
        };
        drop(path);
        if self == Api::Gemini && stream {
            url.query_pairs_mut().append_pair("alt", "sse");
        }
        Some(())
    }

    /// Adds the model, and whether the reply is streamed.
    pub(crate) fn add_fields(self, body: Body, model: &str, stream: bool) -> Body {
        match self {
            // These have both in the path.
            Api::Bedrock | Api::Gemini => body,
            // Its default is a stream.
            Api::Ollama => body.with("model", model).with("stream", stream),
            _ if stream => body.with("model", model).with("stream", true),
            _ => body.with("model", model),
        }
    }

    /// The field that limits the tokens of a reply.
    pub(crate) fn max_tokens(self, tokens: u32) -> (&'static str, Value) {
        match self {
            Api::ChatCompletions => ("max_completion_tokens", json!(tokens)),
            Api::Responses => ("max_output_tokens", json!(tokens)),
            Api::Anthropic => ("max_tokens", json!(tokens)),
            Api::Gemini => ("generationConfig", json!({ "maxOutputTokens": tokens })),
            Api::GeminiInteractions => ("generation_config", json!({ "max_output_tokens": tokens })),
            Api::Bedrock => ("inferenceConfig", json!({ "maxTokens": tokens })),
            Api::Ollama => ("options", json!({ "num_predict": tokens })),
        }
    }
}
