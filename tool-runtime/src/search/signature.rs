use crate::schema::ToolSchema;
pub(crate) fn signature(tool: &ToolSchema) -> String {
    format!("{}()", tool.name())
}
