//! The time that a server asks a client to wait.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// The time of the header `retry-after`, in seconds or as a date (<https://www.rfc-editor.org/rfc/rfc9110#name-retry-after>), or
/// of `retry-after-ms`, in milliseconds, which OpenAI sends too.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let milliseconds = number("retry-after-ms").map(|milliseconds| milliseconds / 1000.0);
    if let Some(seconds) = milliseconds.or_else(|| number(RETRY_AFTER.as_str())) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text(RETRY_AFTER.as_str())?).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::retry_after;
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    fn waits(headers: &[(&'static str, &'static str)]) -> Option<Duration> {
        let header = |&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let headers: HeaderMap = headers.iter().map(header).collect();
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now: SystemTime = UNIX_EPOCH + Duration::from_secs(784_111_777);
        retry_after(&headers, now)
    }

    #[test]
    fn it_is_a_number_of_seconds_or_a_date() {
        assert_eq!(waits(&[("retry-after", "20")]), Some(Duration::from_secs(20)));
        assert_eq!(waits(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
        assert_eq!(waits(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")]), Some(Duration::from_secs(60)));
        // In the past.
        assert_eq!(waits(&[("retry-after", "Sun, 06 Nov 1994 08:48:37 GMT")]), Some(Duration::ZERO));
        assert_eq!(
            waits(&[("retry-after", "2"), ("retry-after-ms", "1200")]),
            Some(Duration::from_millis(1200))
        );
    }

    #[test]
    fn another_text_is_no_time() {
        for text in ["", "soon", "-1", "NaN", "inf", "1e300"] {
            assert_eq!(waits(&[("retry-after", text)]), None, "{text}");
        }
        assert_eq!(waits(&[]), None);
    }
}
