use crate::schema::ToolSchema;
pub struct KeywordIndex(Vec<String>);
impl KeywordIndex {
    pub fn new<'a>(tools: impl IntoIterator<Item = &'a ToolSchema>) -> Self {
        KeywordIndex(tools.into_iter().map(|t| format!("{} {}", t.name(), t.description()).to_lowercase()).collect())
    }
    pub fn rank(&self, query: &str) -> Vec<usize> {
        let query = query.to_lowercase();
        let score = |t: &String| query.split(|c: char| !c.is_alphanumeric()).filter(|w| t.contains(w)).count();
        let mut r: Vec<(usize, usize)> = self.0.iter().enumerate().map(|(i, t)| (score(t), i)).filter(|(s, _)| *s > 0).collect();
        r.sort_by_key(|(s, i)| (usize::MAX - s, *i));
        r.into_iter().map(|(_, i)| i).collect()
    }
}
