//! The credentials of AWS, and the signatures of requests:
//! <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html>.

use crate::api::Api;
use crate::http_request::HttpRequest;
use crate::key::Key;
use crate::signature::Signature;
use crate::{Model, ModelError};
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::error::Error;
use std::time::SystemTime;

/// The source of the credentials; `None` for an API key.
#[derive(Clone, Default)]
pub(crate) struct CredentialsSource(Option<SharedCredentialsProvider>);

impl Model {
    /// Sets the credentials of AWS, which sign each request if the model has no [`key`](Model::key). Each attempt asks the provider,
    /// which keeps them until they expire: for example that of `aws_config`, which knows profiles, roles and the services of a machine.
    ///
    /// ```
    /// use tool_runtime_client::{AwsCredentials, Model};
    ///
    /// let credentials = AwsCredentials::from_keys("an id", "a secret", None);
    /// let model = Model::bedrock("eu.amazon.nova-lite-v1:0").region("eu-central-1").aws_credentials(credentials);
    /// ```
    pub fn aws_credentials(mut self, provider: impl ProvideCredentials + 'static) -> Self {
        self.credentials = CredentialsSource(Some(SharedCredentialsProvider::new(provider)));
        self
    }
}

impl Model {
    /// The model with the credentials of the variables, and whether they are set.
    pub(crate) fn credentials_from(self, value: &impl Fn(&[&str]) -> Option<String>) -> (Self, bool) {
        let (id, secret) = (value(&["AWS_ACCESS_KEY_ID"]), value(&["AWS_SECRET_ACCESS_KEY"]));
        match id.zip(secret).filter(|_| self.api == Api::Bedrock) {
            Some((id, secret)) => {
                let credentials = Credentials::from_keys(id, secret, value(&["AWS_SESSION_TOKEN"]));
                (self.aws_credentials(credentials), true)
            }
            None => (self, false),
        }
    }
}

impl CredentialsSource {
    /// The headers with the signature of a request.
    pub(crate) async fn sign(
        &self,
        request: &HttpRequest,
        region: Option<&str>,
    ) -> Result<Signature, ModelError> {
        let Some(provider) = &self.0 else { return Ok(Signature::default()) };
        let region = region.ok_or_else(|| {
            ModelError::invalid("a signature needs a region: set `Model::region` or the variable AWS_REGION")
        })?;
        let credentials = provider.provide_credentials().await.map_err(not_signed)?;
        let secrets = [Some(credentials.secret_access_key()), credentials.session_token()];
        let secrets = secrets.into_iter().flatten().map(Key::new).collect();
        let headers = signed_headers(request, credentials, region, SystemTime::now()).map_err(not_signed)?;
        Ok(Signature { headers, secrets })
    }
}

/// The headers with the signature at this time.
fn signed_headers(
    request: &HttpRequest,
    credentials: Credentials,
    region: &str,
    time: SystemTime,
) -> Result<HeaderMap, Box<dyn Error + Send + Sync>> {
    let identity = credentials.into();
    let settings = SigningSettings::default();
    let params = v4::SigningParams::builder();
    let params =
        params.identity(&identity).region(region).name("bedrock").time(time).settings(settings).build()?;
    let body = SignableBody::Bytes(&request.body);
    let signable = SignableRequest::new("POST", request.url.as_str(), std::iter::empty(), body)?;
    let (instructions, _) = sign(signable, &params.into())?.into_parts();
    let (signed, _) = instructions.into_parts();
    let mut headers = HeaderMap::new();
    for header in signed {
        let mut value = HeaderValue::try_from(header.value())?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(header.name()), value);
    }
    Ok(headers)
}

fn not_signed(error: impl Into<Box<dyn Error + Send + Sync>>) -> ModelError {
    ModelError::NotSigned { source: error.into() }
}

#[cfg(test)]
mod tests {
    use super::{Credentials, signed_headers};
    use crate::http_request::HttpRequest;
    use reqwest::header::HeaderMap;
    use std::time::{Duration, UNIX_EPOCH};

    /// The signature at noon of 27 November 2026.
    fn signature(url: &str, token: Option<&str>) -> String {
        let time = UNIX_EPOCH + Duration::from_secs(1_795_780_800);
        let url = url.parse().expect("an address");
        let request = HttpRequest { url, headers: HeaderMap::new(), body: r#"{"messages":[]}"#.into() };
        let credentials =
            Credentials::from_keys("AKIDEXAMPLE", "a-secret-access-key", token.map(str::to_owned));
        let headers = signed_headers(&request, credentials, "eu-central-1", time).expect("a signature");
        headers["authorization"].to_str().expect("text").to_owned()
    }

    /// The expected values are those of botocore 1.43.
    #[test]
    fn it_is_the_signature_of_botocore() {
        let profile = "arn:aws:bedrock:eu-central-1:1:inference-profile%2Feu.model-v1:0";
        let server = "https://bedrock-runtime.eu-central-1.amazonaws.com";
        let scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261127/eu-central-1/bedrock/aws4_request";
        assert_eq!(
            signature(&format!("{server}/model/{profile}/converse"), None),
            format!(
                "{scope}, SignedHeaders=host;x-amz-date, \
                 Signature=d02c785a119bee5fd4b503c233471bb4687aab29115cd6f6fff435863361bad5"
            )
        );
        assert_eq!(
            signature(&format!("{server}/model/eu.model-v1:0/converse-stream"), Some("a-session-token")),
            format!(
                "{scope}, SignedHeaders=host;x-amz-date;x-amz-security-token, \
                 Signature=6274ecfde16ae405cbb1c777f5308ff134236ea33c5d2d55ecb3807a3a8d2803"
            )
        );
    }
}
