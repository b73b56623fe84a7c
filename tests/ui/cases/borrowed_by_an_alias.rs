use tool_runtime::tool;

type City<'a> = &'a str;

/// Takes an alias that hides what it borrows.
#[tool]
#[allow(mismatched_lifetime_syntaxes)]
fn alias(_city: City) {}

fn main() {
    alias("Rome");
}
