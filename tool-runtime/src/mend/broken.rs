//! Text that is not quite JSON, read as the one object that it says.
//!
//! The tokens come from jsonc-parser's scanner, each dialect of which is an option, and only those of comments and single
//! quotes are taken. The crates that repair JSON guess: they close what was cut off and invent what is missing.

use crate::json::Pairs;
use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

/// How often JSON is written into JSON.
const MOST_ENCODINGS: usize = 3;

/// The object in the arguments, as strict JSON.
pub(super) fn object(arguments: &str, repairs: &mut Vec<String>) -> Option<String> {
    let mut text = arguments.trim().to_owned();
    for _ in 0..MOST_ENCODINGS {
        if let Ok(inner) = serde_json::from_str::<String>(&text) {
            repairs.push("the arguments were encoded twice".to_owned());
            inner.trim().clone_into(&mut text);
        } else if let Some((strict, what)) = strict(&text) {
            repairs.extend(what);
            text = strict;
        } else if let Some(content) = fenced(&text) {
            repairs.push("the arguments stood in a code fence".to_owned());
            text = content.to_owned();
        }
        if serde_json::from_str::<Pairs>(&text).is_ok() {
            return Some(text);
        }
    }
    None
}

/// What stands between the outermost two fences, or beside the only one: prose around them is no argument.
fn fenced(text: &str) -> Option<&str> {
    if text.starts_with(['{', '"']) {
        return text.strip_suffix("```").map(|content| content.trim_end_matches('`').trim());
    }
    let (_, rest) = text.split_once("```")?;
    let rest = rest.trim_start_matches('`');
    let content = rest.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric());
    match content.rsplit_once("```") {
        Some((content, _)) => Some(content.trim_end_matches('`').trim()),
        None => Some(content.trim()),
    }
}

/// The text token by token, without comments, without a comma before a closing bracket, and with double quotes.
fn strict(text: &str) -> Option<(String, Vec<String>)> {
    let options = ScannerOptions {
        allow_single_quoted_strings: true,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let mut scanner = Scanner::new(text, &options);
    let mut end = 0;
    let mut strict = String::with_capacity(text.len());
    let mut comma = None;
    let mut repairs = Vec::new();
    let mut repaired = |what: &str| {
        if repairs.iter().all(|known| known != what) {
            repairs.push(what.to_owned());
        }
    };
    while let Some(token) = scanner.scan().ok()? {
        let written = &text[scanner.token_start()..scanner.token_end()];
        // What stands apart stays apart: `1 2` is not 12.
        if scanner.token_start() > end {
            strict.push(' ');
        }
        end = scanner.token_end();
        if matches!(token, Token::CommentLine(_) | Token::CommentBlock(_)) {
            repaired("a comment was left out");
            strict.push(' ');
            continue;
        }
        if let Some(comma) = comma.take() {
            if matches!(token, Token::CloseBrace | Token::CloseBracket) {
                repaired("a trailing comma was left out");
            } else {
                strict.push_str(comma);
            }
        }
        match token {
            // Not alone: `[,]` is not an empty list.
            Token::Comma if !strict.trim_end().ends_with(['{', '[', ',']) => comma = Some(","),
            Token::String(text) if written.starts_with('\'') => {
                repaired("single quotes were read as double ones");
                if written.contains(|letter: char| letter.is_control()) {
                    return None;
                }
                strict.push_str(&serde_json::to_string(&text).ok()?);
            }
            Token::Word(_) => return None,
            _ => strict.push_str(written),
        }
    }
    // A comma after the end was not before a bracket.
    (comma.is_none() && !repairs.is_empty()).then_some((strict, repairs))
}
