//! The stored form of a session.
//!
//! It has a version. Every later version of the crate reads version 1: `tests/behaviour/sessions` has a file of it.

use super::Session;
use super::inbox::SessionInbox;
use super::limits::Used;
use super::message_changes::UnrecordedChanges;
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

#[derive(Serialize, Deserialize)]
#[serde(expecting = "a stored session")]
struct StoredSession<'a> {
    /// It is read before the other fields.
    #[serde(skip_deserializing)]
    version: u64,
    revision: u64,
    /// Without the reply of pending calls.
    #[serde(with = "stored")]
    messages: Conversation,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pending: Option<StoredPendingReply<'a>>,
    replies: u64,
    used: Used,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    begun_calls: BTreeMap<String, usize>,
    usage: Usage,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_claimed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claim_owner: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    warnings: Cow<'a, [ReplyWarning]>,
    #[serde(default, skip_serializing_if = "RemovedIds::is_empty")]
    removed_ids: Cow<'a, RemovedIds>,
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    unreported: Cow<'a, VecDeque<FinishedCall>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    unrecorded: Option<UnrecordedChanges>,
    /// The messages that wait in the inbox.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "stored")]
    inbox: Vec<Message>,
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
        let conversation = self.state.conversation();
        let stored = StoredSession {
            version: VERSION,
            revision: self.revision,
            messages: conversation.clone(),
            pending,
            replies: self.replies,
            used: self.used,
            begun_calls: self.begun_calls.to_map(),
            usage: self.usage,
            is_claimed: self.is_claimed,
            claim_owner: self.claim_owner().map(Cow::Borrowed),
            warnings: Cow::Borrowed(self.warnings()),
            removed_ids: Cow::Borrowed(conversation.removed_ids()),
            unreported: Cow::Borrowed(&conversation.unreported),
            unrecorded: self.unrecorded.clone(),
            inbox: self.inbox.to_messages(),
        };
        stored.serialize(serializer)
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
                let stored = StoredSession::deserialize(MapAccessDeserializer::new(map))?;
                return stored.into_session().map_err(A::Error::custom);
            }
            while let Some((field, value)) = map.next_entry()? {
                fields.insert(field, value);
            }
            let stored: StoredSession<'_> =
                serde_json::from_value(fields.into()).map_err(A::Error::custom)?;
            return stored.into_session().map_err(A::Error::custom);
        }
        Err(A::Error::missing_field(FIELD))
    }
}

impl StoredSession<'_> {
    fn into_session(self) -> Result<Session, String> {
        let StoredSession { revision, messages: mut conversation, replies, used, usage, is_claimed, .. } =
            self;
        for warning in self.warnings.into_owned() {
            conversation.warn(warning);
        }
        conversation.set_removed_ids(self.removed_ids.into_owned());
        conversation.unreported = Arc::new(self.unreported.into_owned());
        let state = match self.pending {
            None => State::Ready(conversation),
            Some(StoredPendingReply { calls, within_limit, allowed_tools }) => {
                let calls = calls.into_pending(conversation)?;
                let within_limit = within_limit.min(calls.calls().len());
                State::Pending(Pending { calls, within_limit, allowed_tools: allowed_tools.map(Arc::from) })
            }
        };
        let begun_calls = BegunCalls::from(self.begun_calls);
        // Only a claim has an owner.
        let inbox = SessionInbox::from_messages(self.inbox);
        let claim_owner = self.claim_owner.filter(|_| is_claimed).map(Cow::into_owned);
        let ids = None;
        Ok(Session {
            state,
            revision,
            replies,
            used,
            begun_calls,
            usage,
            is_claimed,
            claim_owner,
            ids,
            last_request: None,
            unrecorded: self.unrecorded,
            inbox,
            process_calls: 0,
        })
    }
}
