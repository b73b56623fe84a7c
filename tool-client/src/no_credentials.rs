//! Requests without signatures, without the feature `bedrock`.

use crate::ModelError;
use crate::http_request::HttpRequest;
use crate::signature::Signature;

/// No source.
#[derive(Clone, Default)]
pub(crate) struct CredentialsSource(());

impl CredentialsSource {
    pub(crate) fn from_variables(_: impl Fn(&str) -> Option<String>) -> Option<Self> {
        None
    }

    #[expect(clippy::unused_async, reason = "credentials may have to arrive first")]
    pub(crate) async fn sign(&self, _: &HttpRequest, _: Option<&str>) -> Result<Signature, ModelError> {
        Ok(Signature::default())
    }
}
