//! URI templates: the variables of a URI that matches one.

use crate::message_size::MAX_URI_BYTES;
use std::error::Error;
use std::fmt;

/// A parsed template.
#[derive(Clone, Debug)]
pub(super) struct UriTemplate {
    segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Literal(String),
    Variable { name: String, has_slashes: bool },
}

/// The names and values of variables.
pub(super) type Variables = Vec<(String, String)>;

impl UriTemplate {
    /// Parses literals, `{name}` and `{+name}`.
    pub(super) fn parse(template: &str) -> Result<Self, UriTemplateError> {
        let error = |reason| UriTemplateError { template: template.to_owned(), reason };
        if template.len() > MAX_URI_BYTES {
            return Err(error("it has more than 2048 bytes"));
        }
        let (mut segments, mut rest): (Vec<Segment>, _) = (Vec::new(), template);
        while !rest.is_empty() {
            let Some(inner) = rest.strip_prefix('{') else {
                let (literal, after) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
                if literal.contains('}') {
                    return Err(error("it has a `}` without a `{`"));
                }
                segments.push(Segment::Literal(literal.to_owned()));
                rest = after;
                continue;
            };
            let (expression, after) =
                inner.split_once('}').ok_or_else(|| error("it has a `{` without a `}`"))?;
            let name = expression.strip_prefix('+').unwrap_or(expression);
            let is_name_character = |character: char| character.is_ascii_alphanumeric() || character == '_';
            if name.is_empty() || !name.chars().all(is_name_character) {
                return Err(error("use only `{name}` and `{+name}`, with letters, digits and `_`"));
            }
            if let Some(Segment::Variable { .. }) = segments.last() {
                return Err(error("put text between two variables, which are ambiguous otherwise"));
            }
            let variable = Segment::Variable { name: name.to_owned(), has_slashes: name != expression };
            if segments
                .iter()
                .any(|segment| matches!(segment, Segment::Variable { name: other, .. } if other == name))
            {
                return Err(error("it has a variable twice"));
            }
            segments.push(variable);
            rest = after;
        }
        Ok(UriTemplate { segments })
    }

    /// The decoded variables; `None` if the URI does not match. Each variable is as short as possible.
    pub(super) fn matches(&self, uri: &str) -> Option<Variables> {
        if uri.len() > MAX_URI_BYTES {
            return None;
        }
        let uri = uri.as_bytes();
        if let Some(Segment::Literal(first)) = self.segments.first()
            && !uri.starts_with(first.as_bytes())
        {
            return None;
        }
        // A row for each segment, and one after the last: where the segment ends if it begins at a position, so that the rest
        // matches. 0 if it does not match.
        let width = uri.len() + 1;
        let mut ends = vec![0; width * (self.segments.len() + 1)];
        // After the last segment, only the end of the URI matches.
        *ends.last_mut()? = width;
        for (row, segment) in self.segments.iter().enumerate().rev() {
            let (rows, rest) = ends.split_at_mut((row + 1) * width);
            segment.write_ends(uri, rest, &mut rows[row * width..]);
        }
        let (mut position, mut variables) = (0, Vec::new());
        for (segment, ends) in self.segments.iter().zip(ends.chunks(width)) {
            let end = Some(ends[position]).filter(|end| *end > 0)?;
            if let Segment::Variable { name, has_slashes } = segment {
                variables.push((name.clone(), decoded(&uri[position..end], *has_slashes)?));
            }
            position = end;
        }
        (position == uri.len()).then_some(variables)
    }
}

impl Segment {
    /// Writes, for each position, the first end of this segment at which the rest of the template matches.
    fn write_ends(&self, uri: &[u8], rest: &[usize], ends: &mut [usize]) {
        match self {
            Segment::Literal(literal) => {
                for (position, end) in ends.iter_mut().enumerate() {
                    let after = position + literal.len();
                    if uri[position..].starts_with(literal.as_bytes()) && rest[after] > 0 {
                        *end = after;
                    }
                }
            }
            Segment::Variable { has_slashes, .. } => {
                let mut nearest = 0;
                for position in (0..uri.len()).rev() {
                    if rest[position + 1] > 0 {
                        nearest = position + 1;
                    }
                    if uri[position] == b'/' && !has_slashes {
                        nearest = 0;
                    }
                    ends[position] = nearest;
                }
            }
        }
    }
}

/// The value without percent-encoding. `None` if it is not valid, or could leave a folder when a program uses it as a path: an
/// encoded slash in a variable without slashes, and a segment `.` or `..`.
fn decoded(value: &[u8], has_slashes: bool) -> Option<String> {
    let (mut bytes, mut position) = (Vec::with_capacity(value.len()), 0);
    while let Some(&byte) = value.get(position) {
        if byte == b'%' {
            let digits = value.get(position + 1..position + 3)?;
            let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
            bytes.push(u8::from_str_radix(str::from_utf8(digits).ok().filter(|_| is_hex)?, 16).ok()?);
            position += 3;
        } else {
            bytes.push(byte);
            position += 1;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let is_separator = |character| character == '/' || character == '\\';
    let leaves_folder = text.split(is_separator).any(|segment| segment == "." || segment == "..");
    let is_allowed = !leaves_folder && !text.contains(char::is_control);
    (is_allowed && (has_slashes || !text.contains(is_separator))).then_some(text)
}

/// The reason why a URI template cannot be used: see [`Server::resource_template`](super::Server::resource_template).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UriTemplateError {
    template: String,
    reason: &'static str,
}

impl fmt::Display for UriTemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the URI template `{}` cannot be used: {}", self.template, self.reason)
    }
}

impl Error for UriTemplateError {}

#[cfg(test)]
mod tests {
    use super::{MAX_URI_BYTES, UriTemplate};

    fn matched(template: &str, uri: &str) -> Option<String> {
        let variables = UriTemplate::parse(template).expect("it is valid").matches(uri)?;
        let texts: Vec<String> =
            variables.into_iter().map(|(name, value)| format!("{name}={value};")).collect();
        Some(texts.concat())
    }

    #[test]
    fn variables_are_decoded_and_stay_in_their_folder() {
        for (template, uri, expected) in [
            ("shop://orders/{id}", "shop://orders/A-17", Some("id=A-17;")),
            ("shop://orders/{id}", "shop://orders/", None),
            ("shop://orders/{id}", "shop://orders/a/b", None),
            ("shop://orders/{id}", "shop://orders/a%2Fb", None),
            ("shop://orders/{id}", "shop://orders/..", None),
            ("shop://orders/{id}", "shop://orders/%2e%2E", None),
            ("shop://orders/{id}", "shop://orders/a%00", None),
            ("shop://orders/{id}", "shop://orders/caf%C3%A9%20", Some("id=café ;")),
            ("shop://orders/{id}", "shop://orders/%C3", None),
            ("shop://orders/{id}", "shop://orders/%+1", None),
            ("shop://orders/{id}", "shop://orders/%", None),
            ("shop://orders/{id}", "shop://orders/a..b", Some("id=a..b;")),
            ("a://{x}-{y}", "a://1-2-3", Some("x=1;y=2-3;")),
            ("a://{x}/b", "a://1/c", None),
            ("file://{+path}", "file:///home/me/a.txt", Some("path=/home/me/a.txt;")),
            ("file://{+path}", "file:///home/../root", None),
            ("file://{+path}", "file:///home/..%5Croot", None),
            // The shortest text for the first variable would leave a slash for the second.
            ("a://{+x}/x/{y}", "a://p/x/q/x/r", Some("x=p/x/q;y=r;")),
            ("a://fixed", "a://fixed", Some("")),
            ("a://fixed", "a://fixed2", None),
        ] {
            assert_eq!(matched(template, uri).as_deref(), expected, "{template} {uri}");
        }
    }

    #[test]
    fn other_templates_are_errors() {
        for template in
            ["a{", "a}", "{}", "{+}", "{?q}", "{a,b}", "{a:3}", "{a*}", "{a}{b}", "{a}/{a}", "{é}"]
        {
            assert!(UriTemplate::parse(template).is_err(), "{template}");
        }
        assert!(UriTemplate::parse(&"a".repeat(MAX_URI_BYTES + 1)).is_err());
    }

    #[test]
    fn the_time_of_a_comparison_is_limited() {
        let parts: Vec<String> = (0..200).map(|index| format!("{{+v{index}}}a")).collect();
        let template = UriTemplate::parse(&parts.concat()).expect("it is valid");
        // A search that tries each length of each variable would not end.
        assert!(template.matches(&"a".repeat(MAX_URI_BYTES - 1)).is_some());
        assert!(template.matches(&("a".repeat(MAX_URI_BYTES - 1) + "b")).is_none());
        assert_eq!(template.matches(&"a".repeat(MAX_URI_BYTES + 1)), None);
    }
}
