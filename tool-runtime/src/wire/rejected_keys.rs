//! The arguments of calls with other names in place of property keys that a provider rejects.

use super::element::{arguments_object, parse};
use super::{RequestParts, WireError};
use crate::message::ToolCall;
use crate::schema::PropertyKeys;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// The rejected keys of the tools of a request that have some.
pub(super) struct RejectedKeys<'a>(HashMap<&'a str, &'a PropertyKeys>);

impl<'a> RejectedKeys<'a> {
    pub(super) fn new(parts: &RequestParts<'a>) -> Self {
        let tools = parts.tools.iter().chain(parts.deferred_tools);
        let keys = tools.filter_map(|tool| Some((tool.name(), &**tool.forms().property_keys()?)));
        RejectedKeys(keys.collect())
    }

    /// The arguments of a call as an object with the written names.
    pub(super) fn written_arguments<'c>(&self, call: &'c ToolCall) -> Result<Cow<'c, RawValue>, WireError> {
        let arguments = arguments_object(call)?;
        let keys = self.0.get(&*call.name);
        match keys.and_then(|keys| keys.written_arguments(arguments.get())) {
            Some(written) => parse(&written).map(Cow::Owned),
            None => Ok(arguments),
        }
    }
}
