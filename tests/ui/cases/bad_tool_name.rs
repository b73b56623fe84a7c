use tool_runtime::tool;

/// Has a space.
#[tool(name = "look up")]
fn look_up() {}

/// Is not written in the letters that servers take.
#[tool]
fn 天气() {}

/// Has no name.
#[tool(name = "")]
fn nameless() {}

fn main() {
    look_up();
    天气();
    nameless();
}
