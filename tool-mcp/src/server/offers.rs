//! The resources, prompts and completions of a server: its responses to the requests of a client.

use super::completions::Completions;
use super::contained::{MAX_DURATION, contained};
use super::prompts::Prompts;
use super::resources::Resources;
use rmcp::RoleServer;
use rmcp::model::{
    CompleteRequestMethod, CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestMethod,
    GetPromptRequestParams, GetPromptResponse, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesRequestMethod, ListResourceTemplatesResult, ListResourcesRequestMethod,
    ListResourcesResult, ReadResourceRequestMethod, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult,
};
use rmcp::service::RequestContext;
use std::collections::BTreeSet;
use tokio::time::timeout;
use tool_runtime::RunContext;

/// The methods whose parameters rmcp reads.
const METHODS: [&str; 9] = [
    "completion/complete",
    "logging/setLevel",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
];

/// The resources, prompts and completions that the program has added.
#[derive(Clone, Default)]
pub(super) struct Offers {
    pub(super) resources: Resources,
    pub(super) prompts: Prompts,
    pub(super) completions: Completions,
}

impl Offers {
    pub(super) fn list_resources(&self) -> Result<ListResourcesResult, ErrorData> {
        if self.resources.is_empty() {
            return Err(ErrorData::method_not_found::<ListResourcesRequestMethod>());
        }
        Ok(ListResourcesResult::with_all_items(self.resources.list()))
    }

    pub(super) fn list_resource_templates(&self) -> Result<ListResourceTemplatesResult, ErrorData> {
        if self.resources.is_empty() {
            return Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>());
        }
        Ok(ListResourceTemplatesResult::with_all_items(self.resources.templates()))
    }

    pub(super) fn list_prompts(&self) -> Result<ListPromptsResult, ErrorData> {
        if self.prompts.is_empty() {
            return Err(ErrorData::method_not_found::<ListPromptsRequestMethod>());
        }
        Ok(ListPromptsResult::with_all_items(self.prompts.list()))
    }

    pub(super) async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        run: RunContext,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if self.resources.is_empty() {
            return Err(ErrorData::method_not_found::<ReadResourceRequestMethod>());
        }
        Ok(self.read(params.uri, run, context).await?.into())
    }

    pub(super) async fn read(
        &self,
        uri: String,
        run: RunContext,
        context: &RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        contained(self.resources.find(uri, run)?.read(), context).await?
    }

    /// Those of the resources that can be read with this run context, within the time of one.
    pub(super) async fn readable(
        &self,
        uris: impl Iterator<Item = &String>,
        run: &RunContext,
        context: &RequestContext<RoleServer>,
    ) -> BTreeSet<String> {
        let mut readable = BTreeSet::new();
        let reading = async {
            for uri in uris {
                if self.read(uri.clone(), run.clone(), context).await.is_ok() {
                    readable.insert(uri.clone());
                }
            }
        };
        // The client is not notified of the others.
        timeout(MAX_DURATION, reading).await.ok();
        readable
    }

    pub(super) async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        run: RunContext,
        context: &RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.prompts.is_empty() {
            return Err(ErrorData::method_not_found::<GetPromptRequestMethod>());
        }
        let found = self.prompts.find(&params.name, params.arguments.unwrap_or_default(), run)?;
        Ok(contained(found.messages(), context).await??.into())
    }

    pub(super) async fn complete(
        &self,
        params: CompleteRequestParams,
        run: RunContext,
        context: &RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if self.completions.is_empty() {
            return Err(ErrorData::method_not_found::<CompleteRequestMethod>());
        }
        let unknown = |what: &str| ErrorData::invalid_params(format!("there is no such {what}"), None);
        if params.r#ref.as_prompt_name().is_some_and(|name| !self.prompts.has(name)) {
            return Err(unknown("prompt"));
        }
        if params.r#ref.as_resource_uri().is_some_and(|uri| !self.resources.has_template(uri)) {
            return Err(unknown("resource template"));
        }
        contained(self.completions.complete(params, run), context).await
    }
}

/// The error for a method of these whose parameters rmcp cannot read. `None` for another method.
pub(super) fn unreadable_params(method: &str) -> Option<ErrorData> {
    let text = || format!("the parameters of `{method}` are not those of the protocol");
    METHODS.contains(&method).then(|| ErrorData::invalid_params(text(), None))
}
