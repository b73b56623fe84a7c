//! Secrets, which no text of this package contains.

use reqwest::Url;
use reqwest::header::HeaderValue;
use std::fmt;
use std::sync::Arc;

/// A key, a token or a password.
#[derive(Clone)]
pub(crate) struct Secret(Arc<str>);

/// A shorter key, such as `none` for a local server, may be a word of a text.
const MIN_BYTES: usize = 8;

impl Secret {
    /// Spaces and line breaks around a secret are not part of it: a file ends with one.
    pub(crate) fn new(secret: &str) -> Self {
        Secret(secret.trim().into())
    }

    /// The value of a header: the prefix, then the secret. `None` if a header cannot contain it.
    pub(crate) fn header(&self, prefix: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("{prefix}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The secret in the forms in which servers write it as JSON: some escape `/` and `=`.
    fn forms(&self) -> [String; 4] {
        let escaped = self.0.replace('/', r"\/");
        [self.0.to_string(), escaped.replace('=', r"\u003d"), self.0.replace('=', r"\u003d"), escaped]
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

/// The secrets of a request, which a server may repeat in an error.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(crate) fn new(secrets: impl IntoIterator<Item = Secret>) -> Self {
        Secrets(secrets.into_iter().filter(|secret| secret.0.len() >= MIN_BYTES).collect())
    }

    /// The password and the query of this URL.
    pub(crate) fn from_url(url: &Url) -> Self {
        let password = url.password().map(Secret::new);
        Secrets::new(password.into_iter().chain(url.query_pairs().map(|(_, value)| Secret::new(&value))))
    }

    pub(crate) fn and(mut self, other: Secrets) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The text with `[secret]` in place of each secret.
    pub(crate) fn redact(&self, text: &str) -> String {
        let forms = self.0.iter().flat_map(Secret::forms);
        forms.fold(text.to_owned(), |text, secret| text.replace(&secret, "[secret]"))
    }
}

/// The URL for a message, without its user name, its password and its query.
pub(crate) fn redacted_url(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    // Both fail only for a URL without a host, which has neither.
    let _ = (url.set_username(""), url.set_password(None));
    url.into()
}

#[cfg(test)]
mod tests {
    use super::{Secret, Secrets};

    #[test]
    fn no_debug_text_contains_a_secret() {
        let secret = Secret::new("a-secret-key");
        let header = secret.header("Bearer ").expect("a header can contain it");
        assert_eq!(header, "Bearer a-secret-key");
        assert_eq!(format!("{secret:?} {header:?}"), "[secret] Sensitive");
    }

    #[test]
    fn escaped_secrets_are_redacted() {
        let secrets = Secrets::new([Secret::new("ABSKab/cd+ef==\n")]);
        for text in
            ["ABSKab/cd+ef==", r"ABSKab\/cd+ef==", r"ABSKab/cd+ef\u003d\u003d", r"ABSKab\/cd+ef\u003d\u003d"]
        {
            assert_eq!(secrets.redact(&format!("the key {text}.")), "the key [secret].");
        }
    }
}
