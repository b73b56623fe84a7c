//! Arguments of every kind.

use std::borrow::Cow;
use tool_runtime::tool;

/// Lists posts.
///
/// # Arguments
///
/// * `tags` - The topics of the text.
#[tool]
pub fn list<'a>(
    tags: &[String],
    title: Option<&'a str>,
    text: Cow<'a, str>,
    #[arg(name = "area", description = "Width and height.")] (width, height): (u32, u32),
    #[arg(default, schema(minimum = 1, maximum = 100, examples = [10, 20]))] r#mod: Option<u8>,
    _unused: bool,
) -> usize {
    tags.len()
        + title.map_or(0, str::len)
        + text.len()
        + (width * height) as usize
        + usize::from(r#mod.is_some())
}
