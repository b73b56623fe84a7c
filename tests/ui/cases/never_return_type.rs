use tool_runtime::tool;

/// Runs forever.
#[tool]
async fn serve() -> ! {
    std::future::pending().await
}

fn main() {
    drop(serve());
}
