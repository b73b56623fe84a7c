//! Models from environment variables.

use crate::Model;
use std::error::Error;
use std::fmt;

/// The variable with the provider and the name of the model.
const MODEL: &str = "LLM_MODEL";

impl Model {
    /// The model of the variable `LLM_MODEL`: a provider and the name of its model, for example `anthropic/claude-haiku-4-5`.
    ///
    /// | Provider | Key | Address |
    /// | --- | --- | --- |
    /// | `openai` (Chat Completions, also of other servers) | `OPENAI_API_KEY` | `OPENAI_BASE_URL`, with `/v1` |
    /// | `responses` (OpenAI's Responses API) | `OPENAI_API_KEY` | `OPENAI_BASE_URL`, with `/v1` |
    /// | `anthropic` | `ANTHROPIC_API_KEY` | `ANTHROPIC_BASE_URL` |
    /// | `gemini`, `gemini_interactions` | `GEMINI_API_KEY` or `GOOGLE_API_KEY` | `GOOGLE_GEMINI_BASE_URL` |
    /// | `bedrock` | `AWS_BEARER_TOKEN_BEDROCK`, or with the feature `bedrock` `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` | `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME` |
    /// | `ollama` | `OLLAMA_API_KEY` (optional) | `OLLAMA_HOST`, `localhost:11434` by default |
    ///
    /// The key is optional if the address is set, as that of a local server. A variable with an empty value is not set.
    ///
    /// # Errors
    ///
    /// A variable is missing, or the provider is unknown.
    pub fn from_env() -> Result<Self, EnvironmentError> {
        Model::from_variables(|name| std::env::var(name).ok())
    }

    /// Like [`from_env`](Model::from_env), with the provider and the name of the model from the program, for example for a second
    /// model.
    ///
    /// # Errors
    ///
    /// A variable is missing, or the provider is unknown.
    pub fn from_env_named(model: &str) -> Result<Self, EnvironmentError> {
        Model::from_variables(
            |name| if name == MODEL { Some(model.to_owned()) } else { std::env::var(name).ok() },
        )
    }

    /// Like [`from_env`](Model::from_env), with the variables of another source, such as a file of settings.
    ///
    /// ```
    /// use tool_runtime_client::Model;
    ///
    /// let settings = [("LLM_MODEL", "openai/qwen3"), ("OPENAI_BASE_URL", "http://localhost:8080/v1")];
    /// let value = |name: &str| settings.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    /// assert_eq!(Model::from_variables(value)?.name(), "qwen3");
    /// # Ok::<(), tool_runtime_client::EnvironmentError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A variable is missing, or the provider is unknown.
    pub fn from_variables(value: impl Fn(&str) -> Option<String>) -> Result<Self, EnvironmentError> {
        let first = |names: &[&str]| {
            let mut values = names.iter().filter_map(|name| value(name)).map(|value| value.trim().to_owned());
            values.find(|value| !value.is_empty())
        };
        let text = first(&[MODEL]).ok_or(missing(MODEL, EXAMPLE))?;
        let (provider, name) = match text.split_once('/') {
            Some((provider, name)) if !name.is_empty() => (provider, name),
            _ => return Err(EnvironmentError::NoProvider { model: text }),
        };
        let Some(provider) = PROVIDERS.iter().find(|known| known.name == provider) else {
            return Err(EnvironmentError::UnknownProvider { provider: provider.to_owned() });
        };
        let mut model = (provider.model)(name);
        if let Some(region) = first(&["AWS_REGION", "AWS_DEFAULT_REGION"]) {
            model = model.region(region);
        }
        let address = first(&[provider.address]);
        let is_local = address.is_some();
        if let Some(address) = address {
            model = model.base_url((provider.base_url)(&address));
        }
        if model.server().is_none() {
            return Err(missing("AWS_REGION", "eu-central-1"));
        }
        if let Some(key) = first(provider.keys) {
            return Ok(model.key(key));
        }
        let (model, has_credentials) = model.credentials_from(&first);
        match provider.keys {
            [variable, ..] if provider.needs_key && !is_local && !has_credentials => {
                Err(missing(variable, "the key of your account"))
            }
            _ => Ok(model),
        }
    }
}

const EXAMPLE: &str = "anthropic/claude-haiku-4-5";

/// A provider, and its variables.
struct Provider {
    name: &'static str,
    model: fn(&str) -> Model,
    keys: &'static [&'static str],
    needs_key: bool,
    address: &'static str,
    /// The base URL of the value of `address`.
    base_url: fn(&str) -> String,
}

const PROVIDERS: &[Provider] = &[
    Provider {
        name: "openai",
        model: |name| Model::openai(name),
        keys: &["OPENAI_API_KEY"],
        needs_key: true,
        address: "OPENAI_BASE_URL",
        base_url: str::to_owned,
    },
    Provider {
        name: "responses",
        model: |name| Model::responses(name),
        keys: &["OPENAI_API_KEY"],
        needs_key: true,
        address: "OPENAI_BASE_URL",
        base_url: str::to_owned,
    },
    Provider {
        name: "anthropic",
        model: |name| Model::anthropic(name),
        keys: &["ANTHROPIC_API_KEY"],
        needs_key: true,
        address: "ANTHROPIC_BASE_URL",
        base_url: str::to_owned,
    },
    Provider {
        name: "gemini",
        model: |name| Model::gemini(name),
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        needs_key: true,
        address: "GOOGLE_GEMINI_BASE_URL",
        base_url: str::to_owned,
    },
    Provider {
        name: "gemini_interactions",
        model: |name| Model::gemini_interactions(name),
        keys: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        needs_key: true,
        address: "GOOGLE_GEMINI_BASE_URL",
        base_url: str::to_owned,
    },
    Provider {
        name: "bedrock",
        model: |name| Model::bedrock(name),
        keys: &["AWS_BEARER_TOKEN_BEDROCK"],
        needs_key: true,
        address: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
        base_url: str::to_owned,
    },
    Provider {
        name: "ollama",
        model: |name| Model::ollama(name),
        keys: &["OLLAMA_API_KEY"],
        needs_key: false,
        address: "OLLAMA_HOST",
        base_url: ollama_url,
    },
];

/// The URL of a host, whose scheme and port are optional: <https://docs.ollama.com/faq>.
fn ollama_url(host: &str) -> String {
    if host.contains("://") {
        return host.to_owned();
    }
    // An IPv6 address has brackets, and colons in them.
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { format!("http://{host}") } else { format!("http://{host}:11434") }
}

fn missing(variable: &'static str, example: &'static str) -> EnvironmentError {
    EnvironmentError::Missing { variable, example }
}

/// The reason why the environment has no model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// A variable is not set.
    #[non_exhaustive]
    Missing {
        /// The variable.
        variable: &'static str,
        /// An example of its value.
        example: &'static str,
    },
    /// The model has no provider.
    #[non_exhaustive]
    NoProvider {
        /// The value of `LLM_MODEL`.
        model: String,
    },
    /// There is no such provider.
    #[non_exhaustive]
    UnknownProvider {
        /// Its name.
        provider: String,
    },
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnvironmentError::Missing { variable, example } => {
                write!(
                    f,
                    "the environment variable {variable} is not set: set it, for example to `{example}`"
                )
            }
            EnvironmentError::NoProvider { model } => write!(
                f,
                "{MODEL} has no provider: set it to a provider, a slash and the model, for example `{EXAMPLE}`, not `{model}`"
            ),
            EnvironmentError::UnknownProvider { provider } => {
                let names: Vec<_> = PROVIDERS.iter().map(|provider| format!("`{}`", provider.name)).collect();
                write!(f, "{MODEL} has the unknown provider `{provider}`: use one of {}", names.join(", "))
            }
        }
    }
}

impl Error for EnvironmentError {}
