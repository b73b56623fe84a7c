//! Errors of the environment.

use crate::providers::Provider;
use std::error::Error;
use std::fmt;

/// The reason why the environment has no model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// `LLM_MODEL` is not set.
    NoModel,
    /// The model has no provider.
    #[non_exhaustive]
    NoProvider {
        /// The model.
        model: String,
    },
    /// There is no such provider.
    #[non_exhaustive]
    UnknownProvider {
        /// Its name.
        provider: String,
    },
    /// The key is not set.
    #[non_exhaustive]
    NoKey {
        /// The variables that may have the key.
        keys: &'static [&'static str],
    },
    /// The region of Bedrock is not set.
    NoRegion,
}

const EXAMPLE: &str = "anthropic/claude-haiku-4-5";

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EnvironmentError::NoModel => {
                write!(f, "the environment variable LLM_MODEL is not set: set it, for example to `{EXAMPLE}`")
            }
            EnvironmentError::NoProvider { model } => write!(
                f,
                "the model `{model}` has no provider: write a provider, a slash and the name, for example `{EXAMPLE}`"
            ),
            EnvironmentError::UnknownProvider { provider } => {
                let names: Vec<_> = Provider::names().map(|name| format!("`{name}`")).collect();
                write!(f, "there is no provider `{provider}`: use one of {}", names.join(", "))
            }
            EnvironmentError::NoKey { keys: ["AWS_BEARER_TOKEN_BEDROCK"] } => f.write_str(
                "the environment has no key: set AWS_BEARER_TOKEN_BEDROCK, or with the feature `bedrock` of \
                 tool-runtime-client AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
            ),
            EnvironmentError::NoKey { keys } => {
                write!(f, "the environment has no key: set {}", keys.join(" or "))
            }
            EnvironmentError::NoRegion => {
                f.write_str("the environment has no region: set AWS_REGION, for example to `eu-central-1`")
            }
        }
    }
}

impl Error for EnvironmentError {}
