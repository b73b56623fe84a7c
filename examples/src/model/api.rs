//! The APIs of providers: addresses, headers, and the fields that a wire does not write.

use std::env;
use tool_runtime::wire::Body;

/// The API of a provider.
pub struct Api {
    /// The name of the wire.
    pub(super) wire: &'static str,
    /// The prefix of the environment variables.
    pub(super) variables: &'static str,
    default_model: &'static str,
    /// The header with the key, and the text before the key.
    key_header: (&'static str, &'static str),
}

const BEARER: (&str, &str) = ("authorization", "Bearer ");

const APIS: [Api; 7] = [
    Api { wire: "chat_completions", variables: "OPENAI", default_model: "gpt-4o-mini", key_header: BEARER },
    Api { wire: "responses", variables: "OPENAI", default_model: "gpt-4o-mini", key_header: BEARER },
    Api {
        wire: "anthropic",
        variables: "ANTHROPIC",
        default_model: "claude-haiku-4-5",
        key_header: ("x-api-key", ""),
    },
    Api {
        wire: "gemini",
        variables: "GEMINI",
        default_model: "gemini-2.5-flash",
        key_header: ("x-goog-api-key", ""),
    },
    Api {
        wire: "gemini_interactions",
        variables: "GEMINI",
        default_model: "gemini-2.5-flash",
        key_header: ("x-goog-api-key", ""),
    },
    Api {
        wire: "bedrock",
        variables: "BEDROCK",
        default_model: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
        key_header: BEARER,
    },
    // A local server needs no key.
    Api { wire: "ollama", variables: "OLLAMA", default_model: "qwen3", key_header: BEARER },
];

impl Api {
    /// The API with the format of this wire; Chat Completions if there is none.
    pub(super) fn for_wire(name: &str) -> Self {
        let [chat_completions, ..] = APIS;
        APIS.into_iter().find(|api| api.wire == name).unwrap_or(chat_completions)
    }

    fn var(&self, name: &str) -> Option<String> {
        env_var(&format!("{}_{name}", self.variables))
    }

    pub(super) fn base_url(&self) -> Option<String> {
        self.var("BASE_URL")
    }

    pub(super) fn model(&self) -> String {
        self.var("MODEL").unwrap_or_else(|| self.default_model.to_owned())
    }

    pub(super) fn path(&self, model: &str, stream: bool) -> String {
        match (self.wire, stream) {
            ("responses", _) => "/responses".to_owned(),
            ("anthropic", _) => "/v1/messages".to_owned(),
            ("gemini", false) => format!("/v1beta/models/{model}:generateContent"),
            ("gemini", true) => format!("/v1beta/models/{model}:streamGenerateContent?alt=sse"),
            ("gemini_interactions", _) => "/v1beta/interactions".to_owned(),
            // The model may be an ARN, which has slashes.
            ("bedrock", _) => format!("/model/{}/converse", model.replace('/', "%2F")),
            ("ollama", _) => "/api/chat".to_owned(),
            _ => "/chat/completions".to_owned(),
        }
    }

    /// The headers of a request, without the type of the content.
    pub(super) fn headers(&self) -> Vec<(&'static str, String)> {
        let (name, prefix) = self.key_header;
        let mut headers: Vec<_> =
            self.var("API_KEY").map(|key| (name, [prefix, &key].concat())).into_iter().collect();
        match self.wire {
            "anthropic" => headers.push(("anthropic-version", "2023-06-01".to_owned())),
            // Earlier revisions have other fields.
            "gemini_interactions" => headers.push(("api-revision", "2026-05-20".to_owned())),
            _ => {}
        }
        headers
    }

    /// The body of a request with the fields of the program.
    pub(super) fn add_fields(&self, body: Body, model: &str, stream: bool) -> Body {
        // These have both in the address.
        if ["bedrock", "gemini"].contains(&self.wire) {
            return body;
        }
        // Ollama streams unless the field is false.
        let body = if stream || self.wire == "ollama" { body.with("stream", stream) } else { body };
        let body = if self.wire == "anthropic" { body.with("max_tokens", 4096) } else { body };
        body.with("model", model)
    }
}

/// The value of an environment variable, unless it is empty.
pub(super) fn env_var(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.trim().is_empty())
}
