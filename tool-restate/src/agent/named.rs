//! Services with names that the program chooses: the macros of the SDK give each type one name.
//!
//! It uses the parts of the SDK that the code of its macros uses, which stay the same in all versions 0.13.

use restate_sdk::discovery::ServiceName;
use restate_sdk::endpoint::ContextInternal;
use restate_sdk::errors::HandlerResult;
use restate_sdk::serde::Serialize;
use restate_sdk::service::macro_support::{ServiceBoxFuture, service_definition};
use restate_sdk::service::{Discoverable, Service, ServiceDefinition};
use std::sync::Arc;

/// The handlers of a service.
pub(super) trait Handlers: Discoverable + Send + Sync + 'static {
    fn handle(self: Arc<Self>, context: ContextInternal) -> ServiceBoxFuture;
}

/// The service with this name; with that of the macro if there is none.
pub(super) fn named<H: Handlers>(handlers: H, name: Option<&ServiceName>) -> ServiceDefinition {
    let mut discovery = H::discover();
    if let Some(name) = name {
        discovery.name = name.clone();
    }
    service_definition(Dispatcher(Arc::new(handlers)), discovery)
}

/// The error of a name that the engine does not accept for a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidNameError(String);

impl std::fmt::Display for InvalidNameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let InvalidNameError(name) = self;
        write!(
            f,
            "{name:?} is not a name of a service: use a letter, and then letters, digits, `_`, `-` and `.`"
        )
    }
}

impl std::error::Error for InvalidNameError {}

/// Checks a name.
pub(super) fn parse_name(name: String) -> Result<ServiceName, InvalidNameError> {
    ServiceName::try_from(&name).map_err(|_| InvalidNameError(name))
}

struct Dispatcher<H>(Arc<H>);

impl<H: Handlers> Service for Dispatcher<H> {
    type Future = ServiceBoxFuture;

    fn handle(&self, context: ContextInternal) -> ServiceBoxFuture {
        Arc::clone(&self.0).handle(context)
    }
}

/// Passes the result of a handler to the engine.
pub(super) fn respond<T: Serialize>(context: &ContextInternal, result: HandlerResult<T>) {
    context.handle_handler_result(result);
    context.end();
}

/// Implements [`Handlers`]: first the handlers without an input, then those with one.
macro_rules! handlers {
    ($service:ty, [$($plain:ident),*], [$($with_input:ident),*]) => {
        impl $crate::agent::named::Handlers for $service {
            fn handle(
                self: ::std::sync::Arc<Self>,
                context: ::restate_sdk::endpoint::ContextInternal,
            ) -> ::restate_sdk::service::macro_support::ServiceBoxFuture {
                Box::pin(async move {
                    match context.handler_name() {
                        $(stringify!($plain) => {
                            let ((), metadata) = context.input().await;
                            let result = self.$plain((&context, metadata).into()).await;
                            $crate::agent::named::respond(&context, result);
                        })*
                        $(stringify!($with_input) => {
                            let (input, metadata) = context.input().await;
                            let result = self.$with_input((&context, metadata).into(), input).await;
                            $crate::agent::named::respond(&context, result);
                        })*
                        name => {
                            let service = context.service_name();
                            return Err(::restate_sdk::endpoint::Error::unknown_handler(service, name));
                        }
                    }
                    Ok(())
                })
            }
        }
    };
}

pub(super) use handlers;
