//! A request in HTTP, which all attempts send.

use crate::secret::Secrets;
use crate::{Model, ModelError};
use bytes::Bytes;
use reqwest::Url;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use tool_runtime::conversation::Request;

pub(crate) struct HttpRequest {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) secrets: Secrets,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");

impl Model {
    pub(crate) fn http_request(&self, request: &Request, stream: bool) -> Result<HttpRequest, ModelError> {
        if let Some((name, problem)) = &self.invalid_field {
            return Err(ModelError::invalid(format!("the field `{name}`: {problem}")));
        }
        if stream && !self.api.framing().is_supported() {
            return Err(ModelError::invalid(
                "streams of Bedrock need the feature `bedrock` of tool-runtime-client; without it, replies are not streamed",
            ));
        }
        let request = request.clone().wire(self.wire.clone()).stream_usage(stream);
        let body = request.body().map_err(ModelError::NotWritten)?;
        let body = self.api.add_fields(body, &self.name, stream);
        let body = self.fields.iter().fold(body, |body, (name, value)| body.with(name.clone(), value));
        let body = serde_json::to_vec(&body).map_err(|error| ModelError::invalid(error.to_string()))?;
        let url = self.url(stream)?;
        let secrets = Secrets::new(self.key.clone()).and(Secrets::from_url(&url));
        Ok(HttpRequest { url, headers: self.headers(stream)?, body: body.into(), secrets })
    }

    fn url(&self, stream: bool) -> Result<Url, ModelError> {
        let base_url = self.effective_base_url().ok_or_else(|| {
            ModelError::invalid("the model has no region: set `Model::region` or the variable AWS_REGION")
        })?;
        let invalid = || {
            // Without a user name, a password and a query.
            let (shown, _) = base_url.split_once('?').unwrap_or((&base_url, ""));
            let shown = shown.rsplit('@').next().unwrap_or_default();
            ModelError::invalid(format!(
                "the base URL `{shown}` is invalid: begin it with `https://` or `http://`"
            ))
        };
        let mut url = Url::parse(&base_url).map_err(|_| invalid())?;
        self.api.add_path(&mut url, &self.name, stream).ok_or_else(invalid)?;
        Ok(url)
    }

    fn headers(&self, stream: bool) -> Result<HeaderMap, ModelError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, if stream { self.api.framing().media_type() } else { JSON });
        self.api.add_version(&mut headers);
        for (name, value) in &self.headers {
            let (Ok(header), Ok(mut value)) = (HeaderName::try_from(name), HeaderValue::try_from(value))
            else {
                return Err(ModelError::invalid(format!("the header `{name}` has an invalid name or value")));
            };
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        if let Some(key) = &self.key {
            let (name, prefix) = self.api.key_header();
            let value = key.header(prefix).ok_or_else(|| {
                ModelError::invalid(
                    "the key has a character that a header cannot have, such as a line break; remove it",
                )
            })?;
            headers.insert(name, value);
        }
        Ok(headers)
    }
}
