use tool_runtime::toolset;

struct Named<'a>(&'a str);

#[toolset]
impl<'a> Named<'a> {
    /// Returns the name.
    #[tool]
    async fn name(&self) -> String {
        self.0.to_owned()
    }
}

struct Open<'a>(&'a str);

#[toolset]
impl Open<'_> {
    /// Returns the name.
    #[tool]
    async fn name(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {
    drop(Named("a").name());
    drop(Open("a").name());
}
