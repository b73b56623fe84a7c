use tool_runtime::tool;

type City<'a> = &'a str;

/// Takes a reference by the name of an alias.
#[tool]
#[allow(mismatched_lifetime_syntaxes)]
fn alias(_city: City) {}

fn main() {
    alias("Rome");
}
