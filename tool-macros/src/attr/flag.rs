//! Flags: `blocking` without a value, and annotations such as `read_only`, which may be declared as `true` or `false`.

use super::{option_name, parse_value};
use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned as _;
use syn::{LitBool, Result, Token};

/// A property that the author of a tool declares.
#[derive(Clone, Copy)]
pub(crate) struct Declared {
    pub(crate) value: bool,
    pub(crate) span: Span,
}

/// A flag without a value.
pub(super) fn parse(option: &ParseNestedMeta) -> Result<Span> {
    if is_alone(option) {
        return Ok(option.path.span());
    }
    let name = option_name(option);
    Err(option.error(format!("`{name}` takes no value; write `{name}` alone, or remove it")))
}

/// `read_only`, `read_only = true` or `read_only = false`.
pub(super) fn parse_declared(option: &ParseNestedMeta) -> Result<Declared> {
    let span = option.path.span();
    if is_alone(option) {
        return Ok(Declared { value: true, span });
    }
    let name = option_name(option);
    let expected = format!("`{name}` must be `true` or `false`; write `{name}` alone for `true`");
    let value: LitBool = parse_value(option, &expected, &expected)?;
    Ok(Declared { value: value.value, span })
}

fn is_alone(option: &ParseNestedMeta) -> bool {
    option.input.is_empty() || option.input.peek(Token![,])
}
