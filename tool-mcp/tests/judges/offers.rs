//! The resources and prompts that the conformance suite expects.

use tool_runtime::message::{Content, Message, Part};
use tool_runtime_mcp::rmcp::model::{
    ContentBlock, Prompt, PromptArgument, PromptMessage, Reference, Resource, ResourceContents,
    ResourceTemplate, Role,
};
use tool_runtime_mcp::{Completion, Server, UriTemplateError};

const IMAGE: &[u8] = include_bytes!("../../examples/sky.png");

/// Adds them to a server.
pub(crate) fn add_offers(server: Server) -> Result<Server, UriTemplateError> {
    Ok(add_prompts(add_resources(server)?))
}

fn add_resources(server: Server) -> Result<Server, UriTemplateError> {
    let resource = |uri: &str, mime_type: &str| {
        let name = uri.trim_start_matches("test://");
        Resource::new(uri, name).with_description("A resource for tests.").with_mime_type(mime_type)
    };
    let template = ResourceTemplate::new("test://template/{id}/data", "template");
    let template = template.with_mime_type("application/json");
    server
        .resource(resource("test://static-text", "text/plain"), |_| async {
            Ok::<_, &str>("This is the content of the static text resource.")
        })
        .resource(resource("test://static-binary", "image/png"), |_| async { Ok::<_, &str>(IMAGE) })
        .resource(resource("test://watched-resource", "text/plain"), |_| async {
            Ok::<_, &str>("This resource is updated by the tool `update_watched`.")
        })
        .resource(resource("test://panics", "text/plain"), |_| async {
            if IMAGE.is_empty() { Ok::<_, &str>("") } else { panic!("a secret of the server") }
        })
        .resource_template(template, |request| async move {
            let id = request.variable("id").unwrap_or_default();
            let data =
                serde_json::json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            Ok::<_, &str>((id != "unknown").then(|| Part::json(data)))
        })
}

fn add_prompts(server: Server) -> Server {
    let prompt = |name: &str, arguments: &[&str]| {
        let argument = |name: &&str| {
            PromptArgument::new(*name).with_description("An argument for tests.").with_required(true)
        };
        let arguments: Vec<_> = arguments.iter().map(argument).collect();
        Prompt::new(
            name,
            Some("A prompt for tests."),
            Some(arguments).filter(|arguments| !arguments.is_empty()),
        )
    };
    server
        .prompt(prompt("test_simple_prompt", &[]), |_| async {
            Ok::<_, &str>("This is a simple prompt for testing.")
        })
        .prompt(prompt("test_prompt_with_arguments", &["arg1", "arg2"]), |request| async move {
            let text = |name| request.argument(name).unwrap_or_default();
            Ok::<_, &str>(format!("Prompt with arguments: arg1='{}', arg2='{}'", text("arg1"), text("arg2")))
        })
        .prompt(prompt("test_prompt_with_embedded_resource", &["resourceUri"]), |request| async move {
            let uri = request.argument("resourceUri").unwrap_or_default();
            let contents = ResourceContents::text("Embedded resource content for testing.", uri);
            Ok::<_, &str>([
                PromptMessage::new(Role::User, ContentBlock::resource(contents)),
                PromptMessage::new_text(Role::User, "Please process the embedded resource above."),
            ])
        })
        .prompt(prompt("test_prompt_with_image", &[]), |_| async {
            let parts = [Part::image("image/png", IMAGE), Part::text("Please analyze the image above.")];
            Ok::<_, &str>(Message::user(Content::from_parts(parts)))
        })
        .completion(
            Reference::for_prompt("test_prompt_with_arguments"),
            "arg1",
            Completion::values(["paris", "park", "party"]),
        )
        .completion(
            Reference::for_resource("test://template/{id}/data"),
            "id",
            Completion::with(|request| async move {
                (0..150).map(|number| format!("{}{number}", request.text())).collect()
            }),
        )
}
