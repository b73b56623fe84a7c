//! The fields of an item that decide how it goes back.

use super::provider_calls::ProviderCall;
use serde::Deserialize;
use std::borrow::Cow;

/// The fields of an item. All are empty for what is written anew.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ItemHead<'a> {
    #[serde(borrow)]
    pub(super) r#type: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) call_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) encrypted_content: Option<Cow<'a, str>>,
}

impl ItemHead<'_> {
    /// Whether it is a call, whose id needs the reasoning before it.
    pub(super) fn is_call(&self) -> bool {
        matches!(&*self.r#type, "function_call" | "custom_tool_call")
    }

    pub(super) fn provider_call(&self) -> Option<ProviderCall> {
        ProviderCall::from_call_type(&self.r#type)
    }

    pub(super) fn is_message(&self) -> bool {
        matches!(&*self.r#type, "" | "message")
    }
}
