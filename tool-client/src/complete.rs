//! Replies that arrive as a whole.

use crate::http_request::HttpRequest;
use crate::{Model, ModelError};
use std::sync::Arc;
use tool_runtime::AssistantMessage;
use tool_runtime::conversation::Request;

impl Model {
    /// Sends the request, and returns the reply. For a session, use [`RunModel::model`](crate::RunModel::model).
    ///
    /// ```no_run
    /// use tool_runtime::{Conversation, Registry, tools};
    /// use tool_runtime_client::Model;
    ///
    /// # async fn answer() -> Result<(), Box<dyn std::error::Error>> {
    /// let (model, registry) = (Model::from_env()?, Registry::new(tools![])?);
    /// let chat = Conversation::new().user("Hello!");
    /// println!("{}", model.complete(chat.request(&registry)).await?.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// There is no reply after all attempts, or the error is not temporary.
    pub async fn complete(&self, request: Request) -> Result<AssistantMessage, ModelError> {
        let http_request = self.http_request(&request, false)?;
        let attempt =
            || self.wait.with_timeout(self.reply_timeout, "reply_timeout", self.reply(&http_request));
        self.retries.run(&self.wait, self.retry_reporter(&request), attempt).await
    }

    async fn reply(&self, request: &HttpRequest) -> Result<AssistantMessage, ModelError> {
        let received = self.send(request).await?;
        let context = Arc::clone(&received.context);
        let body = self.read_text(received, self.reply_timeout).await?;
        self.wire.read_reply(&body).map_err(|error| self.body_error(error, &body, &context))
    }
}
