//! Requests without signatures, without the feature `bedrock`.

use crate::http_request::HttpRequest;
use crate::signature::Signature;
use crate::{Model, ModelError};

/// No source.
#[derive(Clone, Default)]
pub(crate) struct CredentialsSource(());

impl Model {
    pub(crate) fn credentials_from(self, _: &impl Fn(&[&str]) -> Option<String>) -> (Self, bool) {
        (self, false)
    }
}

impl CredentialsSource {
    #[expect(clippy::unused_async, reason = "credentials may have to arrive first")]
    pub(crate) async fn sign(&self, _: &HttpRequest, _: Option<&str>) -> Result<Signature, ModelError> {
        Ok(Signature::default())
    }
}
