//! `max_concurrency = 2` and `max_calls = 3`.

use super::{option_name, parse_value};
use syn::meta::ParseNestedMeta;
use syn::{Error, LitInt, Result};

pub(super) fn parse(option: &ParseNestedMeta) -> Result<usize> {
    let name = option_name(option);
    let expected = format!("`{name}` must be a whole number of calls, for example `{name} = 2`");
    let literal: LitInt = parse_value(option, &expected, &expected)?;
    match literal.base10_parse() {
        Ok(0) => {
            let message = format!("`{name}` must be more than 0; leave it out for no limit");
            Err(Error::new(literal.span(), message))
        }
        Ok(limit) => Ok(limit),
        Err(_) => Err(Error::new(literal.span(), expected)),
    }
}
