//! The levels of log messages.

use serde::{Deserialize, Serialize};

/// The level of a log message, from the least to the most severe.
///
/// On a server, a tool logs with an [event](tool_runtime::CallContext::emit) whose data has the one key `log`:
///
/// ```
/// use serde_json::json;
/// use tool_runtime::{CallContext, tool};
/// use tool_runtime_mcp::LogLevel;
///
/// /// Import the orders of a day.
/// #[tool]
/// async fn import(day: &str, #[context] call: &CallContext) {
///     let text = format!("no orders on {day}");
///     call.emit(json!({"log": {"level": LogLevel::Warning, "logger": "import", "data": text}}));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the levels are those of syslog")]
pub enum LogLevel {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl LogLevel {
    #[cfg(feature = "server")]
    const ALL: [LogLevel; 8] = [
        LogLevel::Debug,
        LogLevel::Info,
        LogLevel::Notice,
        LogLevel::Warning,
        LogLevel::Error,
        LogLevel::Critical,
        LogLevel::Alert,
        LogLevel::Emergency,
    ];

    /// The level with this number, which is its position in the list above.
    #[cfg(feature = "server")]
    pub(crate) fn from_number(number: u8) -> Self {
        LogLevel::ALL.get(usize::from(number)).copied().unwrap_or(LogLevel::Emergency)
    }
}

/// rmcp announces that a later version of the protocol has no logging.
#[allow(deprecated, reason = "the current versions have it")]
mod conversions {
    use super::LogLevel;
    use rmcp::model::LoggingLevel;

    impl From<LoggingLevel> for LogLevel {
        fn from(level: LoggingLevel) -> Self {
            match level {
                LoggingLevel::Debug => LogLevel::Debug,
                LoggingLevel::Info => LogLevel::Info,
                LoggingLevel::Notice => LogLevel::Notice,
                LoggingLevel::Warning => LogLevel::Warning,
                LoggingLevel::Error => LogLevel::Error,
                LoggingLevel::Critical => LogLevel::Critical,
                LoggingLevel::Alert => LogLevel::Alert,
                LoggingLevel::Emergency => LogLevel::Emergency,
            }
        }
    }

    impl From<LogLevel> for LoggingLevel {
        fn from(level: LogLevel) -> Self {
            match level {
                LogLevel::Debug => LoggingLevel::Debug,
                LogLevel::Info => LoggingLevel::Info,
                LogLevel::Notice => LoggingLevel::Notice,
                LogLevel::Warning => LoggingLevel::Warning,
                LogLevel::Error => LoggingLevel::Error,
                LogLevel::Critical => LoggingLevel::Critical,
                LogLevel::Alert => LoggingLevel::Alert,
                LogLevel::Emergency => LoggingLevel::Emergency,
            }
        }
    }
}
