//! The credentials of AWS, for Bedrock.

use crate::aws_signature::signed_headers;
use crate::http_request::HttpRequest;
use crate::secret::{Secret, Secrets};
use crate::signature::Signature;
use crate::{Model, ModelError};
use aws_credential_types::Credentials;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use std::error::Error;
use std::time::SystemTime;

/// The source of the credentials; `None` for an API key.
#[derive(Clone, Default)]
pub(crate) struct CredentialsSource(Option<SharedCredentialsProvider>);

impl Model {
    /// Sets the credentials of AWS, which sign each request if the model has no [`key`](Model::key). Each attempt asks the
    /// provider, which keeps them until they expire: for example that of `aws_config`, which knows profiles, roles and the services
    /// of a machine.
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

impl CredentialsSource {
    /// The credentials of the environment variables; `None` if they are not set.
    pub(crate) fn from_variables(value: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let (id, secret) = (value("AWS_ACCESS_KEY_ID")?, value("AWS_SECRET_ACCESS_KEY")?);
        let credentials = Credentials::from_keys(id, secret, value("AWS_SESSION_TOKEN"));
        Some(CredentialsSource(Some(SharedCredentialsProvider::new(credentials))))
    }

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
        let secrets = Secrets::new(secrets.into_iter().flatten().map(Secret::new));
        let headers = signed_headers(request, credentials, region, SystemTime::now()).map_err(not_signed)?;
        Ok(Signature { headers, secrets })
    }
}

fn not_signed(error: impl Into<Box<dyn Error + Send + Sync>>) -> ModelError {
    ModelError::NotSigned { source: error.into() }
}
