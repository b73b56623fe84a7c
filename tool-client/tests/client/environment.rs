//! Models from variables.

use crate::stub::Server;
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
    let (_, server) = debug.split_once("server: Some(\"").expect("it has a server");
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
    assert!(error(&[("LLM_MODEL", "openai/m")]).contains("OPENAI_API_KEY is not set"));
    assert!(
        error(&[("LLM_MODEL", "bedrock/m"), ("AWS_BEARER_TOKEN_BEDROCK", "k")])
            .contains("AWS_REGION is not set")
    );
    assert!(
        error(&[("LLM_MODEL", "bedrock/m"), ("AWS_REGION", "r")])
            .contains("AWS_BEARER_TOKEN_BEDROCK is not set")
    );
    let text = error(&[("LLM_MODEL", "claude")]);
    assert!(text.contains("has no provider") && text.contains("not `claude`"), "{text}");
    assert!(error(&[("LLM_MODEL", "openai/")]).contains("has no provider"));
    let text = error(&[("LLM_MODEL", "antropic/m")]);
    assert!(
        text.contains("unknown provider `antropic`: use one of `openai`, `responses`, `anthropic`"),
        "{text}"
    );
}

#[tokio::test]
async fn a_model_of_variables_answers() {
    let (server, (registry, _)) = (Server::start("chat_completions", []).await, registry());
    let url = server.url.clone() + "/v1";
    let variables = [("LLM_MODEL", "openai/stub-1"), ("OPENAI_BASE_URL", &url), ("OPENAI_API_KEY", "k")];
    let model = Waits::default().set(model(&variables).expect("all variables are set"));
    let mut session = question();
    let _ = session.run(&registry).model(&model).await.expect("the server answers");
    assert_eq!(session.final_text(), "It is sunny in Beijing – 25 °C.");
}
