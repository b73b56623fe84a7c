//! State and context.

use tool_runtime::{CallContext, tool};

pub struct Shop {
    pub name: String,
}

/// Opens a ticket.
#[tool(read_only)]
pub async fn open_ticket(#[state] shop: &Shop, title: &str, #[context] call: &CallContext) -> String {
    format!("{title} at {} by {}", shop.name, call.tool())
}
