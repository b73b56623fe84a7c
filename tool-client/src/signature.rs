//! The signature of a request.

use crate::secret::Secrets;
use reqwest::header::HeaderMap;

/// The headers with a signature, and its secrets. Both are empty if the request is not signed.
#[derive(Default)]
pub(crate) struct Signature {
    pub(crate) headers: HeaderMap,
    pub(crate) secrets: Secrets,
}
