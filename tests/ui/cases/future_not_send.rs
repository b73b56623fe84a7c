use tool_runtime::tool;

/// Look up the weather.
#[tool]
async fn get_weather() {
    let local = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(local);
}

fn main() {
    drop(get_weather());
}
