//! A toolset, generic.

use tool_runtime::toolset;

pub trait Backend: Send + Sync {
    fn load(&self) -> i64;
}

pub struct Calculator<B> {
    pub backend: B,
}

#[toolset]
impl<B: Backend> Calculator<B>
where
    B: Clone,
{
    const TWO: i64 = 2;

    /// Adds to what is there.
    #[tool(read_only)]
    pub async fn add(&self, a: i64) -> i64 {
        self.backend.load() + a
    }

    /// Doubles.
    #[tool(name = "twice")]
    pub fn double(n: i64) -> Result<i64, String> {
        n.checked_mul(Self::TWO).ok_or_else(|| "too much".to_owned())
    }

    pub fn untouched(&self) -> i64 {
        self.backend.load()
    }
}
