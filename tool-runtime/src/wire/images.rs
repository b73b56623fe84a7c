//! Images in the form that a provider accepts: their type is that of their bytes, whatever their source declares.

use super::{gemini, gemini_interactions};
use crate::message::{Media, Part};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use std::borrow::Cow;

/// The images that Anthropic, Bedrock and OpenAI accept: <https://docs.anthropic.com/en/docs/build-with-claude/vision>,
/// <https://platform.openai.com/docs/guides/images-vision>. Other servers of Chat Completions accept them too.
const COMMON: &str = "image/jpeg, image/png, image/gif, image/webp";
/// <https://ai.google.dev/gemini-api/docs/image-understanding>.
const GEMINI: &str = "image/jpeg, image/png, image/webp, image/heic, image/heif";
/// <https://ai.google.dev/api/interactions-api#Resource:ImageContent>.
const INTERACTIONS: &str =
    "image/jpeg, image/png, image/webp, image/heic, image/heif, image/gif, image/bmp, image/tiff";

/// The characters of the base64 that are decoded to detect a type.
const DETECTED: usize = 64;
const DECODER: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// A part that the provider accepts in another form only.
pub(super) enum Image {
    /// The same image, and what was changed.
    Corrected(Part, String),
    /// A text in place of an image that the provider does not accept.
    Rejected(Part),
}

/// The form in which the provider of this wire accepts an image; `None` for other parts, and if it accepts the part.
pub(super) fn accepted(wire: &str, part: &Part) -> Option<Image> {
    let Part::Image { media } = part else { return None };
    let parsed = match media {
        Media::Url { url } => Cow::Owned(Media::from_url(url)),
        data @ Media::Data { .. } => Cow::Borrowed(data),
    };
    let Media::Data { mime_type, base64 } = &*parsed else { return None };
    if base64.is_empty() {
        return None;
    }
    let (declared, base64) = (declared_type(mime_type), standard_base64(base64));
    let found = detect(&base64).unwrap_or(&declared);
    let types = match wire {
        gemini::NAME => GEMINI,
        gemini_interactions::NAME => INTERACTIONS,
        _ => COMMON,
    };
    if types.split(", ").all(|accepted| accepted != found) {
        let text = format!("[image: {found}, which cannot be sent: the provider takes {types}]");
        return Some(Image::Rejected(Part::text(text)));
    }
    let change = if found != mime_type {
        format!("the media type `{mime_type}` of an image is {found}")
    } else if matches!(parsed, Cow::Owned(_)) {
        "the `data:` URL of an image is sent as its data".to_owned()
    } else if matches!(base64, Cow::Owned(_)) {
        "the base64 of an image is in the standard form".to_owned()
    } else {
        return None;
    };
    let media = Media::Data { mime_type: found.to_owned(), base64: base64.into_owned() };
    Some(Image::Corrected(Part::Image { media }, change))
}

/// The declared type without parameters, and with its registered name.
fn declared_type(mime_type: &str) -> String {
    let name = mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match &*name {
        "image/jpg" | "image/pjpeg" => "image/jpeg".to_owned(),
        "image/x-png" => "image/png".to_owned(),
        "" => "an unknown type".to_owned(),
        _ => name,
    }
}

/// The base64 in the standard alphabet, with padding and without white space. Another text does not change.
fn standard_base64(base64: &str) -> Cow<'_, str> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let data = base64.trim_end_matches('=');
    if base64.len() % 4 == 0 && base64.len() - data.len() < 3 && data.bytes().all(is_letter) {
        return Cow::Borrowed(base64);
    }
    let letters = base64.chars().filter(|letter| !letter.is_whitespace());
    let standard: String = letters
        .map(|letter| match letter {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    let decoded = DECODER.decode(standard.trim_end_matches('='));
    decoded.map_or(Cow::Borrowed(base64), |bytes| DECODER.encode(bytes).into())
}

/// The type of a file with these first bytes; `None` if they are unknown.
fn detect(base64: &str) -> Option<&'static str> {
    let start = base64.get(..DETECTED).unwrap_or(base64);
    let bytes = DECODER.decode(start).ok()?;
    let brand = bytes.get(4..12).and_then(|brand| brand.strip_prefix(b"ftyp"));
    match (&*bytes, brand) {
        (_, Some(b"heic" | b"heix" | b"hevc" | b"hevx" | b"heim" | b"heis")) => Some("image/heic"),
        (_, Some(b"mif1" | b"msf1")) => Some("image/heif"),
        (_, Some(b"avif" | b"avis")) => Some("image/avif"),
        ([0x89, b'P', b'N', b'G', ..], _) => Some("image/png"),
        ([0xff, 0xd8, 0xff, ..], _) => Some("image/jpeg"),
        ([b'G', b'I', b'F', b'8', ..], _) => Some("image/gif"),
        ([b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..], _) => Some("image/webp"),
        ([b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..], _) => Some("image/tiff"),
        ([b'B', b'M', ..], _) => Some("image/bmp"),
        ([0, 0, 1 | 2, 0, ..], _) => Some("image/x-icon"),
        ([b'%', b'P', b'D', b'F', ..], _) => Some("application/pdf"),
        _ => detect_text(&bytes),
    }
}

/// SVG, or a page of a server that does not have the image.
fn detect_text(bytes: &[u8]) -> Option<&'static str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let starts_with = |start: &str| {
        bytes.get(..start.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(start.as_bytes()))
    };
    if starts_with("<!doctype html") || starts_with("<html") {
        return Some("text/html");
    }
    match bytes.first()? {
        b'<' => Some("image/svg+xml"),
        b'{' | b'[' => Some("application/json"),
        _ => None,
    }
}
