//! Models from environment variables.

use crate::credentials::CredentialsSource;
use crate::providers::Provider;
use crate::{EnvironmentError, Model};

impl Model {
    /// The model of the variable `LLM_MODEL`: a provider and the name of its model, for example `anthropic/claude-haiku-4-5`.
    ///
    /// | Provider | Key | Base URL |
    /// | --- | --- | --- |
    /// | `openai` (Chat Completions, also of other servers) | `OPENAI_API_KEY` | `OPENAI_BASE_URL`, with `/v1` |
    /// | `responses` (OpenAI's Responses API) | `OPENAI_API_KEY` | `OPENAI_BASE_URL`, with `/v1` |
    /// | `anthropic` | `ANTHROPIC_API_KEY` | `ANTHROPIC_BASE_URL` |
    /// | `gemini`, `gemini_interactions` | `GEMINI_API_KEY` or `GOOGLE_API_KEY` | `GOOGLE_GEMINI_BASE_URL` |
    /// | `bedrock` | `AWS_BEARER_TOKEN_BEDROCK`, or with the feature `bedrock` `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN` | `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ENDPOINT_URL_BEDROCK_RUNTIME` |
    /// | `ollama` | `OLLAMA_API_KEY` (optional) | `OLLAMA_HOST`; `localhost:11434` by default |
    ///
    /// The key is optional if the variable of the base URL is set, since local servers need none. A variable with an empty value is
    /// not set.
    ///
    /// # Errors
    ///
    /// A variable is missing, or the provider is unknown.
    pub fn from_env() -> Result<Self, EnvironmentError> {
        Model::from_variables(|name| std::env::var(name).ok())
    }

    /// Like [`from_env`](Model::from_env), with the provider and the name of the model from the program, for example for a second
    /// model: `Model::from_env_with_name("anthropic/claude-haiku-4-5")`. Two models of a provider share its variables.
    ///
    /// # Errors
    ///
    /// A variable is missing, or the provider is unknown.
    pub fn from_env_with_name(model: &str) -> Result<Self, EnvironmentError> {
        new(model, |name| std::env::var(name).ok())
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
        let model = value("LLM_MODEL").filter(|model| !model.trim().is_empty());
        new(&model.ok_or(EnvironmentError::NoModel)?, value)
    }
}

/// The model of this provider and name, with the variables.
fn new(model: &str, value: impl Fn(&str) -> Option<String>) -> Result<Model, EnvironmentError> {
    let value =
        |name: &str| value(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let first = |names: &[&str]| names.iter().find_map(|name| value(name));
    let (provider, name) = match model.trim().split_once('/') {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => (provider, name),
        _ => return Err(EnvironmentError::NoProvider { model: model.trim().to_owned() }),
    };
    let Some(provider) = Provider::by_name(&provider.to_ascii_lowercase()) else {
        return Err(EnvironmentError::UnknownProvider { provider: provider.to_owned() });
    };
    let mut model = (provider.model)(name);
    model.region = first(provider.region);
    model.custom_base_url = value(provider.base_url).map(|value| (provider.read_base_url)(value));
    let needs_key = provider.needs_key && model.custom_base_url.is_none();
    match first(provider.keys) {
        Some(key) => model = model.key(key),
        None => match CredentialsSource::from_variables(value).filter(|_| !provider.region.is_empty()) {
            // A signature has the region.
            Some(_) if model.region.is_none() => return Err(EnvironmentError::NoRegion),
            Some(credentials) => model.credentials = credentials,
            None if needs_key => return Err(EnvironmentError::NoKey { keys: provider.keys }),
            None => {}
        },
    }
    if model.effective_base_url().is_none() {
        return Err(EnvironmentError::NoRegion);
    }
    Ok(model)
}
