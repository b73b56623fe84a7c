//! The argument of a generated shim: a call to run, or a request to describe the tool.

use super::Call;
use crate::arguments::{self, ArgSlot, KeyProbe, ParamSchema, Parameter};
use crate::context::CallContext;
use crate::outcome::CallError;
use crate::state::{Injected, State};
use schemars::SchemaGenerator;
use std::any::{TypeId, type_name};

/// The task of a shim.
#[derive(Debug)]
pub struct Invocation<'a> {
    parameters: &'static [Parameter],
    purpose: Purpose<'a>,
    error: Option<CallError>,
}

#[derive(Debug)]
enum Purpose<'a> {
    /// Run this call.
    Call(&'a Call<'a>),
    /// Validate the arguments and the state of this call.
    Validate(&'a Call<'a>),
    /// Describe the parameters and the required state.
    Describe(&'a mut SchemaGenerator, &'a mut Description),
    /// Decode each probe and collect its error.
    Probe(&'a [KeyProbe], &'a mut Vec<Option<String>>),
}

/// The description that a shim gives.
#[derive(Debug, Default)]
pub(crate) struct Description {
    /// In declared order.
    pub(crate) parameters: Vec<ParamSchema>,
    pub(crate) needs: Vec<Need>,
}

/// A state that a tool requires.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) parameter: &'static str,
    /// The ids of the type and of an `Arc` of it.
    pub(crate) ids: [TypeId; 2],
    pub(crate) type_name: &'static str,
}

/// Methods that a shim calls start with `__`, since a trait in the user's scope may have a method of any other name.
impl<'a> Invocation<'a> {
    pub(crate) fn call(parameters: &'static [Parameter], call: &'a Call<'a>) -> Self {
        Invocation { parameters, purpose: Purpose::Call(call), error: None }
    }

    pub(crate) fn validate(parameters: &'static [Parameter], call: &'a Call<'a>) -> Self {
        Invocation { parameters, purpose: Purpose::Validate(call), error: None }
    }

    pub(crate) fn describe(
        parameters: &'static [Parameter],
        generator: &'a mut SchemaGenerator,
        description: &'a mut Description,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Describe(generator, description), error: None }
    }

    /// Collects the errors of the parameters' decoders, one for each probe.
    pub(crate) fn probe(
        parameters: &'static [Parameter],
        probes: &'a [KeyProbe],
        errors: &'a mut Vec<Option<String>>,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Probe(probes, errors), error: None }
    }

    /// The error of a call that was not started. `None` if it was valid, and only validated.
    pub(crate) fn into_error(self) -> Option<CallError> {
        self.error
    }

    /// The toolset whose method the tool is: that of the registry, or the state of this type; `None` if there is neither.
    pub fn __instance<T: State>(&mut self) -> Option<Injected<'a, T>> {
        match &self.purpose {
            Purpose::Call(call) | Purpose::Validate(call) => match &call.tool.instance {
                Some(instance) => Some(Injected(instance.downcast_ref())),
                None => self.__state(""),
            },
            Purpose::Describe(..) | Purpose::Probe(..) => Some(Injected(None)),
        }
    }

    /// The state of this type, from the run context or otherwise from the registry; `None` if neither has it.
    pub fn __state<T: State + ?Sized>(&mut self, parameter: &'static str) -> Option<Injected<'a, T>> {
        match &mut self.purpose {
            Purpose::Call(call) | Purpose::Validate(call) => {
                let state = call.state();
                if state.is_none() {
                    self.error = Some(missing_state(&call.tool.name, type_name::<T>()));
                }
                state.map(|state| Injected(Some(state)))
            }
            Purpose::Describe(_, description) => {
                let need = Need { parameter, ids: T::ids(), type_name: type_name::<T>() };
                description.needs.push(need);
                Some(Injected(None))
            }
            Purpose::Probe(..) => Some(Injected(None)),
        }
    }

    /// The context of the call.
    #[must_use]
    pub fn __context(&self) -> CallContext {
        match &self.purpose {
            Purpose::Call(call) => call.context(),
            Purpose::Validate(..) | Purpose::Describe(..) | Purpose::Probe(..) => CallContext::new("", ""),
        }
    }

    /// Decodes the arguments into the slots. `None` if they are invalid or if there is no call.
    pub fn __decode(&mut self, slots: &mut [&mut dyn ArgSlot<'a>]) -> Option<()> {
        match &mut self.purpose {
            Purpose::Call(call) | Purpose::Validate(call) => {
                let decoded =
                    arguments::decode(call.arguments(), self.parameters, &call.tool.validator, slots);
                if let Err(error) = decoded {
                    self.error = Some(call.argument_error(error));
                    return None;
                }
                matches!(self.purpose, Purpose::Call(_)).then_some(())
            }
            Purpose::Describe(generator, description) => {
                description.parameters.extend(slots.iter().map(|slot| slot.describe(generator)));
                None
            }
            Purpose::Probe(probes, errors) => {
                errors.extend(probes.iter().map(|probe| {
                    let decoded = slots.get_mut(probe.parameter)?.read(&probe.value);
                    decoded.err().map(|error| error.inner().to_string())
                }));
                None
            }
        }
    }
}

#[cold]
fn missing_state(tool: &str, state: &str) -> CallError {
    let source = format!("neither the registry nor the run context has a state of type `{state}`").into();
    CallError::Unavailable { tool: tool.to_owned(), source }
}
