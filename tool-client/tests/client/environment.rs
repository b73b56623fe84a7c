//! Models from variables.

use crate::stub::{ANSWER, Server};
use crate::waits::Waits;
use crate::weather::{question, registry};
use tool_runtime_client::{EnvironmentError, Model, RunModel as _};

fn model(variables: &[(&str, &str)]) -> Result<Model, EnvironmentError> {
    let value = |name: &str| {
        let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
        Some((*value).to_owned())
    };
    Model::from_variables(value)
}

fn error(variables: &[(&str, &str)]) -> String {
    model(variables).expect_err("a variable is missing").to_string()
}

/// The wire, the name and the address of a model.
fn described(variables: &[(&str, &str)]) -> String {
    let model = model(variables).unwrap_or_else(|error| panic!("{variables:?}: {error}"));
    let debug = format!("{model:?}");
    let (_, server) = debug.split_once("base_url: Some(\"").expect("it has a server");
    let (server, key) = server.split_once("\"), key: ").expect("it has a key");
    let key = if key.starts_with("Some") { "with a key" } else { "without a key" };
    format!("{} {} {server} {key}", model.wire().name(), model.name())
}

#[test]
fn each_provider_has_its_variables() {
    let openai = [("LLM_MODEL", "openai/gpt-5-mini"), ("OPENAI_API_KEY", "k")];
    assert_eq!(described(&openai), "chat_completions gpt-5-mini https://api.openai.com/v1 with a key");
    let local = [("LLM_MODEL", "openai/org/model:7b"), ("OPENAI_BASE_URL", "http://localhost:8080/v1")];
    assert_eq!(described(&local), "chat_completions org/model:7b http://localhost:8080/v1 without a key");
    let responses = [("LLM_MODEL", "responses/gpt-5"), ("OPENAI_API_KEY", "k")];
    assert_eq!(described(&responses), "responses gpt-5 https://api.openai.com/v1 with a key");
    let anthropic = [("LLM_MODEL", " anthropic/claude-haiku-4-5\n"), ("ANTHROPIC_API_KEY", "k")];
    assert_eq!(described(&anthropic), "anthropic claude-haiku-4-5 https://api.anthropic.com/ with a key");
    let gemini = [("LLM_MODEL", "gemini/g"), ("GOOGLE_API_KEY", "k"), ("GEMINI_API_KEY", " ")];
    assert_eq!(described(&gemini), "gemini g https://generativelanguage.googleapis.com/ with a key");
    let interactions = [("LLM_MODEL", "gemini_interactions/g"), ("GEMINI_API_KEY", "k")];
    assert_eq!(
        described(&interactions),
        "gemini_interactions g https://generativelanguage.googleapis.com/ with a key"
    );
    let bedrock = [
        ("LLM_MODEL", "bedrock/eu.m-v1:0"),
        ("AWS_BEARER_TOKEN_BEDROCK", "k"),
        ("AWS_REGION", "eu-central-1"),
    ];
    let address = "https://bedrock-runtime.eu-central-1.amazonaws.com/";
    assert_eq!(described(&bedrock), format!("bedrock eu.m-v1:0 {address} with a key"));
}

#[test]
fn the_host_of_ollama_has_several_forms() {
    for (host, expected) in [
        ("", "http://localhost:11434/"),
        ("0.0.0.0", "http://0.0.0.0:11434/"),
        ("gpu:8080", "http://gpu:8080/"),
        ("[::1]", "http://[::1]:11434/"),
        ("[::1]:80", "http://[::1]/"),
        ("https://ollama.example", "https://ollama.example/"),
    ] {
        let variables = [("LLM_MODEL", "ollama/qwen3:8b"), ("OLLAMA_HOST", host)];
        assert_eq!(described(&variables), format!("ollama qwen3:8b {expected} without a key"));
    }
}

#[test]
fn a_missing_variable_is_named() {
    assert_eq!(
        error(&[]),
        "the environment variable LLM_MODEL is not set: set it, for example to `anthropic/claude-haiku-4-5`"
    );
    assert_eq!(error(&[("LLM_MODEL", "openai/m")]), "the environment has no key: set OPENAI_API_KEY");
    let gemini = error(&[("LLM_MODEL", "gemini/m")]);
    assert_eq!(gemini, "the environment has no key: set GEMINI_API_KEY or GOOGLE_API_KEY");
    let text = error(&[("LLM_MODEL", "bedrock/m"), ("AWS_REGION", "r")]);
    assert!(text.contains("set AWS_BEARER_TOKEN_BEDROCK, or with the feature `bedrock`"), "{text}");
    let text = error(&[("LLM_MODEL", "claude")]);
    assert!(text.starts_with("the model `claude` has no provider: write a provider, a slash"), "{text}");
    assert!(error(&[("LLM_MODEL", "openai/")]).contains("has no provider"));
    assert!(error(&[("LLM_MODEL", "/m")]).contains("has no provider"));
    assert_eq!(described(&[("LLM_MODEL", "Ollama/m")]), "ollama m http://localhost:11434/ without a key");
    let text = error(&[("LLM_MODEL", "antropic/m")]);
    assert!(
        text.starts_with("there is no provider `antropic`: use one of `openai`, `responses`, `anthropic`"),
        "{text}"
    );
}

#[test]
fn bedrock_needs_a_region() {
    let key = ("AWS_BEARER_TOKEN_BEDROCK", "k");
    assert!(error(&[("LLM_MODEL", "bedrock/m"), key]).contains("set AWS_REGION"));
    let url = ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://localhost:8080");
    assert_eq!(
        described(&[("LLM_MODEL", "bedrock/m"), key, url]),
        "bedrock m http://localhost:8080/ with a key"
    );
    if cfg!(feature = "bedrock") {
        let credentials =
            [("LLM_MODEL", "bedrock/m"), ("AWS_ACCESS_KEY_ID", "i"), ("AWS_SECRET_ACCESS_KEY", "s"), url];
        assert!(error(&credentials).contains("set AWS_REGION"), "a signature has the region");
    }
}

#[test]
fn the_name_of_a_model_may_come_from_the_program() {
    let error = Model::from_env_with_name("claude").expect_err("it has no provider").to_string();
    assert!(error.starts_with("the model `claude` has no provider"), "{error}");
    assert_eq!(Model::from_env_with_name("ollama/qwen3").expect("no key is needed").name(), "qwen3");
}

#[tokio::test]
async fn a_model_of_variables_answers() {
    let (server, (registry, _)) = (Server::start("chat_completions", []).await, registry());
    let url = server.url.clone() + "/v1";
    let variables = [("LLM_MODEL", "openai/stub-1"), ("OPENAI_BASE_URL", &url), ("OPENAI_API_KEY", "k")];
    let model = Waits::default().set(model(&variables).expect("all variables are set"));
    let mut session = question();
    let _ = session.run(&registry).model(&model).await.expect("the server answers");
    assert_eq!(session.final_text(), ANSWER);
}
