//! The breakpoints of a prompt cache.

/// "A maximum of 4 blocks with `cache_control` may be provided."
/// (<https://platform.claude.com/docs/en/build-with-claude/prompt-caching>)
const MAX_BREAKPOINTS: usize = 4;

/// The breakpoints of a prompt cache that the requests of a wire have: the provider stores its work up to a breakpoint, and later
/// requests with the same beginning cost less.
///
/// A request has at most four breakpoints, the limit of the API: those of the tools, of the system messages, and of as many
/// messages as are left. Breakpoints of messages that were read are removed if the cache has a setting; those that the program
/// writes into definitions are not counted. A request with a prompt that is too short for the
/// provider's cache is sent as usual.
///
/// The cache holds only while the beginning of the request stays equal, in the order tools, system messages, messages. A change
/// of the tools or of the system messages invalidates all that follows; a change of the tool choice invalidates the messages.
///
/// ```
/// # #[cfg(feature = "anthropic")]
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tool_runtime::message::Message;
/// use tool_runtime::wire::{Anthropic, Cache, RequestParts, Wire};
///
/// let wire = Anthropic::new().cache(Cache::new().tools().system().newest_messages(2));
/// let messages = [Message::system("Be brief."), Message::user("Hello!")];
/// let body = serde_json::to_value(wire.write(&RequestParts::new(&messages))?)?;
/// assert_eq!(body["system"][0]["cache_control"]["type"], "ephemeral");
/// assert_eq!(body["messages"][0]["content"][0]["cache_control"]["type"], "ephemeral");
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "anthropic"))]
/// # fn main() {}
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "these settings are independent")]
#[must_use = "it has the settings of a cache"]
pub struct Cache {
    pub(super) tools: bool,
    pub(super) system: bool,
    newest_messages: usize,
    pub(super) automatic: bool,
    pub(super) one_hour: bool,
}

impl Cache {
    /// No breakpoints.
    pub fn new() -> Self {
        Cache::default()
    }

    /// Sets a breakpoint after the tools.
    pub fn tools(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Sets a breakpoint after the system messages.
    pub fn system(mut self) -> Self {
        self.system = true;
        self
    }

    /// Sets a breakpoint after each of the newest messages of the user, which may be results of tools. Two are enough for an agent:
    /// the older one is where the request before wrote the cache. Default: 0.
    pub fn newest_messages(mut self, count: usize) -> Self {
        self.newest_messages = count;
        self
    }

    /// Sets the automatic breakpoint of Anthropic's API, at the end of the request. It takes the place of one of the four. Bedrock
    /// has no automatic one: the newest message of the user gets a breakpoint there.
    pub fn automatic(mut self) -> Self {
        self.automatic = true;
        self
    }

    /// Sets the time to live to one hour. Default: five minutes. Each use starts it again. Writing costs more than for five
    /// minutes.
    pub fn one_hour(mut self) -> Self {
        self.one_hour = true;
        self
    }

    /// Whether requests have no breakpoints of this cache.
    pub(super) fn is_empty(self) -> bool {
        self == Cache::new()
    }

    /// The number of messages with a breakpoint, next to this number of other breakpoints.
    pub(super) fn message_breakpoints(self, others: usize) -> usize {
        self.newest_messages.min(MAX_BREAKPOINTS.saturating_sub(others))
    }
}
