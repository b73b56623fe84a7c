//! Signatures of AWS: <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html>.

use crate::http_request::HttpRequest;
use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::error::Error;
use std::time::SystemTime;

/// The headers with the signature at this time.
pub(crate) fn signed_headers(
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

#[cfg(test)]
mod tests {
    use super::{Credentials, signed_headers};
    use crate::http_request::HttpRequest;
    use crate::secret::Secrets;
    use reqwest::header::HeaderMap;
    use std::time::{Duration, UNIX_EPOCH};

    /// The signature at noon of 27 November 2026.
    fn signature(url: &str, token: Option<&str>) -> String {
        let time = UNIX_EPOCH + Duration::from_secs(1_795_780_800);
        let url = url.parse().expect("a URL");
        let request = HttpRequest {
            url,
            headers: HeaderMap::new(),
            body: r#"{"messages":[]}"#.into(),
            secrets: Secrets::default(),
        };
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
