use tool_runtime::tool;

type City<'a> = &'a str;

/// Takes texts that cannot all be borrowed from the arguments.
#[tool]
fn list(_cities: Vec<&str>) {}

/// Takes bytes.
#[tool]
fn bytes(_bytes: &[u8]) {}

/// Takes an alias that hides what it borrows.
#[tool]
#[allow(mismatched_lifetime_syntaxes)]
fn alias(_city: City) {}

/// Takes a text that would have to live for ever.
#[tool]
fn forever(_city: &'static str) {}

fn main() {}
