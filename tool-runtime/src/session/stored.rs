//! The stored form of a session.
//!
//! It has a version. Every later version of the crate reads version 1: `tests/behaviour/sessions` has a file of it.

use super::Session;
use super::limits::Used;
use super::state::{Pending, State};
use crate::context::BegunCalls;
use crate::conversation::{Conversation, FinishedCall, ReplyWarning, StoredPending};
use crate::message::{Message, RemovedIds, Usage, stored};
use crate::outcome::{Truncated, bounded_error};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

#[derive(Serialize)]
struct Written<'a> {
    version: u64,
    revision: u64,
    /// Without the reply of pending calls.
    #[serde(serialize_with = "stored::serialize")]
    messages: &'a [Message],
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<StoredPendingReply<'a>>,
    replies: u64,
    used: Used,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    begun_calls: BTreeMap<String, usize>,
    usage: Usage,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_claimed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim_owner: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [ReplyWarning],
    #[serde(skip_serializing_if = "RemovedIds::is_empty")]
    removed_ids: &'a RemovedIds,
    #[serde(skip_serializing_if = "VecDeque::is_empty")]
    unreported: &'a VecDeque<FinishedCall>,
}

/// All fields but the version.
#[derive(Deserialize)]
#[serde(expecting = "a stored session")]
struct Read<'a> {
    revision: u64,
    #[serde(deserialize_with = "stored::deserialize")]
    messages: Conversation,
    #[serde(default)]
    pending: Option<StoredPendingReply<'a>>,
    replies: u64,
    used: Used,
    #[serde(default)]
    begun_calls: BTreeMap<String, usize>,
    usage: Usage,
    #[serde(default)]
    is_claimed: bool,
    #[serde(default)]
    claim_owner: Option<String>,
    #[serde(default)]
    warnings: Vec<ReplyWarning>,
    #[serde(default)]
    removed_ids: RemovedIds,
    #[serde(default)]
    unreported: VecDeque<FinishedCall>,
}

#[derive(Serialize, Deserialize)]
struct StoredPendingReply<'a> {
    #[serde(flatten)]
    calls: StoredPending<'a>,
    within_limit: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allowed_tools: Option<Cow<'a, [String]>>,
}

/// The form is for storage: it has a version, and no server accepts it.
impl Serialize for Session {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pending =
            self.state.pending().map(|Pending { calls, within_limit, allowed_tools }| StoredPendingReply {
                calls: calls.into(),
                within_limit: *within_limit,
                allowed_tools: allowed_tools.as_deref().map(Cow::Borrowed),
            });
        let written = Written {
            version: VERSION,
            revision: self.revision,
            messages: self.messages(),
            pending,
            replies: self.replies,
            used: self.used,
            begun_calls: self.begun_calls.to_map(),
            usage: self.usage,
            is_claimed: self.is_claimed,
            claim_owner: self.claim_owner(),
            warnings: self.warnings(),
            removed_ids: self.state.conversation().removed_ids(),
            unreported: &self.state.conversation().unreported,
        };
        written.serialize(serializer)
    }
}

/// # Errors
///
/// The data has another version, is not a stored session, or its messages are not valid.
impl<'de> Deserialize<'de> for Session {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReadVersion).map_err(bounded_error)
    }
}

/// Reads the version before all other fields, since those of another version may differ. A store may have sorted them.
struct ReadVersion;

impl<'de> Visitor<'de> for ReadVersion {
    type Value = Session;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a stored session: a map with a `version`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Session, A::Error> {
        const FIELD: &str = "version";
        let mut fields = Map::new();
        while let Some(field) = map.next_key::<Cow<'_, str>>()? {
            if field != FIELD {
                fields.insert(field.into_owned(), map.next_value()?);
                continue;
            }
            let version: Value = map.next_value()?;
            if version != VERSION {
                return Err(A::Error::custom(format_args!(
                    "the session has version {}, and this version of tool-runtime reads version {VERSION}: update the program \
                     that reads it",
                    Truncated(&version.to_string())
                )));
            }
            if fields.is_empty() {
                let read = Read::deserialize(MapAccessDeserializer::new(map))?;
                return read.into_session().map_err(A::Error::custom);
            }
            while let Some((field, value)) = map.next_entry()? {
                fields.insert(field, value);
            }
            let read: Read<'_> = serde_json::from_value(fields.into()).map_err(A::Error::custom)?;
            return read.into_session().map_err(A::Error::custom);
        }
        Err(A::Error::missing_field(FIELD))
    }
}

impl Read<'_> {
    fn into_session(self) -> Result<Session, String> {
        let Read {
            revision,
            messages: mut conversation,
            pending,
            replies,
            used,
            begun_calls,
            usage,
            is_claimed,
            claim_owner,
            warnings,
            removed_ids,
            unreported,
        } = self;
        for warning in warnings {
            conversation.warn(warning);
        }
        conversation.set_removed_ids(removed_ids);
        conversation.unreported = Arc::new(unreported);
        let state = match pending {
            None => State::Ready(conversation),
            Some(StoredPendingReply { calls, within_limit, allowed_tools }) => {
                let calls = calls.into_pending(conversation)?;
                let within_limit = within_limit.min(calls.calls().len());
                State::Pending(Pending { calls, within_limit, allowed_tools: allowed_tools.map(Arc::from) })
            }
        };
        let begun_calls = BegunCalls::from(begun_calls);
        // Only a claim has an owner.
        let claim_owner = claim_owner.filter(|_| is_claimed);
        let ids = None;
        Ok(Session { state, revision, replies, used, begun_calls, usage, is_claimed, claim_owner, ids })
    }
}
