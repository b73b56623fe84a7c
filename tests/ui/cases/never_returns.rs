use tool_runtime::tool;

/// Runs for ever.
#[tool]
async fn serve() -> ! {
    std::future::pending().await
}

fn main() {
    drop(serve());
}
