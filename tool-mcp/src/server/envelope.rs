//! The fields of a message that decide whether it is handled, before the rest is parsed.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The fields of a message. A repeated field is an error, since another parser may read the other one.
#[derive(Default)]
pub(super) struct Envelope<'a> {
    pub(super) method: Option<Cow<'a, str>>,
    pub(super) id: Option<&'a RawValue>,
    /// The name of the called tool.
    pub(super) tool: Option<Cow<'a, str>>,
    /// The name of the client's program, in `initialize`, or in each request from protocol 2026-07-28 on.
    pub(super) client_name: Option<Cow<'a, str>>,
    /// The `_meta` of the parameters.
    pub(super) meta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    client_info: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    client_info: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Client<'a> {
    #[serde(borrow)]
    name: Text<'a>,
}

/// A string, which is borrowed if it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Envelope<'a> {
    pub(super) fn read(body: &'a [u8]) -> serde_json::Result<Self> {
        let message: Message<'a> = serde_json::from_slice(body)?;
        let method = message.method.map(|method| method.0);
        // Parameters that are no object have no names.
        let is_object = |params: &&RawValue| params.get().starts_with('{');
        let params = message.params.filter(is_object).map(|params| serde_json::from_str(params.get()));
        let params: Params<'a> = params.transpose()?.unwrap_or_default();
        let text = |value: &'a RawValue| serde_json::from_str(value.get()).ok().map(|text: Text<'a>| text.0);
        let in_meta =
            params.meta.and_then(|meta| serde_json::from_str::<Meta<'a>>(meta.get()).ok()?.client_info);
        let client: Option<Client<'a>> =
            params.client_info.or(in_meta).and_then(|client| serde_json::from_str(client.get()).ok());
        Ok(Envelope {
            tool: params.name.filter(|_| method.as_deref() == Some("tools/call")).and_then(text),
            client_name: client.map(|client| client.name.0),
            id: message.id,
            meta: params.meta,
            method,
        })
    }
}
