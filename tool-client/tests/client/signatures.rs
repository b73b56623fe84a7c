//! Signed requests of Bedrock.

use crate::setup::Setup;
use crate::stub::Scripted;
use crate::weather::question;
use tool_runtime::session::RunEnd;
use tool_runtime_client::{AwsCredentials, Model, RunModel as _};

const TOKEN: &str = "a-session-token";

fn model(Setup { server, waits, .. }: &Setup) -> Model {
    let credentials = AwsCredentials::from_keys("AKIDEXAMPLE", "a-secret-access-key", Some(TOKEN.to_owned()));
    let model = Model::bedrock("stub-1").base_url(&server.url).region("eu-central-1");
    waits.set(model.aws_credentials(credentials))
}

#[tokio::test]
async fn each_attempt_is_signed_if_there_is_no_key() {
    let setup = Setup::new("bedrock", [Scripted::status(503, "{}")]).await;
    let mut session = question();
    let end = session.run(&setup.registry).stream_model(&model(&setup)).await;
    assert_eq!(end.expect("the run ends"), RunEnd::Answered);
    for request in setup.server.received().iter() {
        let authorization = request.headers["authorization"].to_str().expect("text");
        let expected = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/";
        assert!(authorization.starts_with(expected), "{authorization}");
        assert!(authorization.contains("/eu-central-1/bedrock/aws4_request"), "{authorization}");
        assert_eq!(request.headers["x-amz-security-token"], TOKEN);
        assert!(request.headers.contains_key("x-amz-date"));
    }
    assert_eq!(setup.server.requests(), 3);
    let with_key = model(&setup).key("an-api-key");
    let _ = question().run(&setup.registry).model(&with_key).await.expect("the run ends");
    assert_eq!(setup.server.received()[3].headers["authorization"], "Bearer an-api-key");
}

#[tokio::test]
async fn secrets_of_a_signature_appear_in_no_text() {
    let body = format!(r#"{{"message":"The canonical request has x-amz-security-token:{TOKEN}"}}"#);
    let setup = Setup::new("bedrock", [Scripted::status(403, body)]).await;
    let model = model(&setup);
    let error = question().run(&setup.registry).model(&model).await.expect_err("the signature is invalid");
    let text = format!("{error} {error:?} {model:?}");
    assert!(text.contains("x-amz-security-token:[secret]"), "{text}");
    assert!(!text.contains(TOKEN) && !text.contains("a-secret-access-key"), "{text}");
}

#[tokio::test]
async fn a_signature_needs_a_region() {
    let credentials = AwsCredentials::from_keys("AKIDEXAMPLE", "a-secret-access-key", None);
    let setup = Setup::new("bedrock", []).await;
    let model = setup.waits.set(Model::bedrock("m").base_url(&setup.server.url).aws_credentials(credentials));
    let error = question().run(&setup.registry).model(&model).await.expect_err("no region");
    assert!(error.to_string().contains("a signature needs a region"), "{error}");
}

#[test]
fn credentials_of_the_environment_are_enough() {
    let variables = [
        ("LLM_MODEL", "bedrock/eu.m-v1:0"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "a-secret-access-key"),
    ];
    let value = |name: &str| {
        let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
        Some((*value).to_owned())
    };
    assert_eq!(Model::from_variables(value).expect("all variables are set").name(), "eu.m-v1:0");
}
