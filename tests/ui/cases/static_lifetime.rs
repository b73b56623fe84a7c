use std::borrow::Cow;
use tool_runtime::tool;

struct Db;

/// Takes static references.
#[tool]
fn forever(
    _text: &'static str,
    _cow: Cow<'static, str>,
    _maybe: Option<&'static str>,
    _list: &'static [u8],
    #[state] _db: &'static Db,
) {
}

fn main() {
    static DB: Db = Db;
    forever("a", "b".into(), None, &[], &DB);
}
