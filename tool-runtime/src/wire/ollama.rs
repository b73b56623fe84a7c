//! Ollama's own API: <https://docs.ollama.com/api/chat>.

#[cfg(feature = "ollama")]
mod definitions;
mod detect;
#[cfg(feature = "ollama")]
mod format;

#[cfg(feature = "ollama")]
pub use format::Ollama;

#[cfg(feature = "ollama")]
pub(super) use definitions::FOREIGN;

use super::cache_prefix::{PrefixLayout, PrefixPart};
use super::provider::Provider;

/// The name of the wire.
const NAME: &str = "ollama";
/// The name of the format in error messages.
const FORMAT: &str = "Ollama's API";

/// The server keeps the prompt of the newest request, which the template of the model writes.
const PREFIX_LAYOUT: PrefixLayout = PrefixLayout {
    parts: &[
        PrefixPart::Field("/model"),
        PrefixPart::Field("/think"),
        PrefixPart::Tools("/tools"),
        PrefixPart::Messages("/messages"),
    ],
    continues: None,
};

pub(super) static PROVIDER: Provider = Provider {
    #[cfg(feature = "ollama")]
    wire: Some(|| std::sync::Arc::new(Ollama::new())),
    prefix_layout: PREFIX_LAYOUT,
    ..Provider::new(NAME, detect::recognizes)
};
