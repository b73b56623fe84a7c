//! The signature of a request.

use crate::key::Key;
use reqwest::header::HeaderMap;

/// The headers with a signature, and the secrets that a server may repeat in an error. Both are empty if the request is not signed.
#[derive(Default)]
pub(crate) struct Signature {
    pub(crate) headers: HeaderMap,
    pub(crate) secrets: Vec<Key>,
}
