//! The body of a request.

use super::{Report, WireError};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The body of a request: the fields that a [`Wire`](super::Wire) wrote, and those of the program.
///
/// It serializes as a map, with the fields in the order in which they were added.
///
/// ```
/// use tool_runtime::wire::ChatCompletions;
/// use tool_runtime::{Conversation, Registry, tools};
///
/// let registry = Registry::new(tools![])?;
/// let body = Conversation::new()
///     .user("Hello!")
///     .request(&registry)
///     .wire(ChatCompletions::new()).body()?
///     .with("model", "a-model")
///     .with("temperature", 0.5);
/// assert_eq!(
///     serde_json::to_string(&body)?,
///     r#"{"messages":[{"role":"user","content":"Hello!"}],"model":"a-model","temperature":0.5}"#,
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "it is the body of a request"]
pub struct Body {
    fields: Vec<(Cow<'static, str>, Arc<RawValue>)>,
    /// The fields whose objects also have settings of the program.
    shared_fields: Vec<&'static str>,
    /// The error of the first value of `with` that cannot be written as JSON.
    error: Option<String>,
    pub(super) report: Report,
}

impl Body {
    /// A body without fields.
    pub(super) fn new() -> Self {
        Body::default()
    }

    /// Adds a field, such as `model`, `max_tokens` or `stream`. It replaces a field of the same name, also one that the wire
    /// wrote, such as `tools`. Exception: if the wire wrote the response format of a typed answer into `text`, `output_config`
    /// or `generationConfig`, or the tool choice into `generation_config` or `toolConfig`, the fields of an object are added to it.
    ///
    /// If the value cannot be written as JSON, serializing the body returns the error.
    pub fn with(mut self, field: impl Into<Cow<'static, str>>, value: impl Serialize) -> Self {
        let field = field.into();
        match to_raw_value(&value).map(|value| self.merged_with_written(&field, value)) {
            Ok(value) => self.set(field, value.into()),
            Err(error) => {
                self.error.get_or_insert_with(|| format!("the field `{field}`: {error}"));
            }
        }
        self
    }

    /// Removes a field, for example one that a gateway rejects.
    pub fn without(mut self, field: &str) -> Self {
        self.remove(field);
        self
    }

    /// Writes a field of a wire.
    pub(super) fn write(&mut self, field: &'static str, value: &impl Serialize) -> Result<(), WireError> {
        self.set(field, raw(value)?.into());
        Ok(())
    }

    /// Writes a field that may also have settings of the program.
    pub(super) fn write_shared(
        &mut self,
        field: &'static str,
        value: &impl Serialize,
    ) -> Result<(), WireError> {
        self.shared_fields.push(field);
        self.write(field, value)
    }

    pub(super) fn remove(&mut self, field: &str) {
        self.fields.retain(|(name, _)| name != field);
    }

    /// The value of a field, with what the wire wrote into it.
    fn merged_with_written(&self, field: &str, value: Box<RawValue>) -> Box<RawValue> {
        let is_shared = self.shared_fields.contains(&field);
        let written = self.get(field).filter(|_| is_shared);
        let merged = written.and_then(fields).zip(fields(&value)).and_then(|(mut written, given)| {
            written.extend(given);
            to_raw_value(&written).ok()
        });
        merged.unwrap_or(value)
    }

    /// Writes a field whose JSON is shared.
    pub(super) fn set(&mut self, field: impl Into<Cow<'static, str>>, value: Arc<RawValue>) {
        let field = field.into();
        match self.fields.iter_mut().find(|(name, _)| *name == field) {
            Some((_, old)) => *old = value,
            None => self.fields.push((field, value)),
        }
    }

    /// The parts of messages that the provider's format has no place for, and the tools that are not strict.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The JSON text of a field; `None` if there is no such field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&RawValue> {
        self.fields.iter().find(|(name, _)| name == field).map(|(_, value)| &**value)
    }
}

/// The fields of an object; `None` for another value.
fn fields(value: &RawValue) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_str(value.get()).ok()
}

/// The text of a part of a body.
pub(super) fn raw(value: &impl Serialize) -> Result<Box<RawValue>, WireError> {
    to_raw_value(value).map_err(|source| WireError::NotSerializable { source })
}

impl Serialize for Body {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.error {
            Some(error) => Err(S::Error::custom(error)),
            None => serializer.collect_map(self.fields.iter().map(|(field, value)| (field, &**value))),
        }
    }
}
