use tool_runtime::tool;

/// Has a space in its name.
#[tool(name = "look up")]
fn look_up() {}

/// Has letters outside ASCII in its name.
#[tool]
fn 天气() {}

/// Has an empty name.
#[tool(name = "")]
fn nameless() {}

fn main() {
    look_up();
    天气();
    nameless();
}
