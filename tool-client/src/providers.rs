//! The providers, and their environment variables.

use crate::Model;

/// A provider, by the name in `LLM_MODEL`.
pub(crate) struct Provider {
    name: &'static str,
    pub(crate) model: fn(&str) -> Model,
    /// The variables with the key; the first one that is set counts.
    pub(crate) keys: &'static [&'static str],
    pub(crate) needs_key: bool,
    pub(crate) base_url: &'static str,
    /// Reads the value of `base_url`.
    pub(crate) read_base_url: fn(String) -> String,
    /// The variables with the region; none if the provider has no regions.
    pub(crate) region: &'static [&'static str],
}

const GEMINI_KEYS: &[&str] = &["GEMINI_API_KEY", "GOOGLE_API_KEY"];

const PROVIDERS: [Provider; 7] = [
    Provider::new("openai", |name| Model::openai(name), &["OPENAI_API_KEY"], "OPENAI_BASE_URL"),
    Provider::new("responses", |name| Model::responses(name), &["OPENAI_API_KEY"], "OPENAI_BASE_URL"),
    Provider::new("anthropic", |name| Model::anthropic(name), &["ANTHROPIC_API_KEY"], "ANTHROPIC_BASE_URL"),
    Provider::new("gemini", |name| Model::gemini(name), GEMINI_KEYS, "GOOGLE_GEMINI_BASE_URL"),
    Provider::new(
        "gemini_interactions",
        |name| Model::gemini_interactions(name),
        GEMINI_KEYS,
        "GOOGLE_GEMINI_BASE_URL",
    ),
    Provider {
        region: &["AWS_REGION", "AWS_DEFAULT_REGION"],
        ..Provider::new(
            "bedrock",
            |name| Model::bedrock(name),
            &["AWS_BEARER_TOKEN_BEDROCK"],
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        )
    },
    Provider {
        needs_key: false,
        read_base_url: ollama_url,
        ..Provider::new("ollama", |name| Model::ollama(name), &["OLLAMA_API_KEY"], "OLLAMA_HOST")
    },
];

impl Provider {
    const fn new(
        name: &'static str,
        model: fn(&str) -> Model,
        keys: &'static [&'static str],
        base_url: &'static str,
    ) -> Self {
        Provider { name, model, keys, needs_key: true, base_url, read_base_url: |url| url, region: &[] }
    }

    pub(crate) fn by_name(name: &str) -> Option<Self> {
        PROVIDERS.into_iter().find(|provider| provider.name == name)
    }

    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        PROVIDERS.into_iter().map(|provider| provider.name)
    }
}

/// The URL of a host, whose scheme and port are optional: <https://docs.ollama.com/faq>.
fn ollama_url(host: String) -> String {
    if host.contains("://") {
        return host;
    }
    // An IPv6 address has brackets, and colons in them.
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { format!("http://{host}") } else { format!("http://{host}:11434") }
}
