//! The argument of a generated shim: a call to run, or a request to describe the tool.

use crate::arguments::{self, ArgSlot, ArgumentsError, KeyProbe, ParamSchema, Parameter, ToolValidator};
use crate::context::{BatchContext, CallContext, Progress};
use crate::state::{Injected, Shared, State, States};
use schemars::SchemaGenerator;
use std::any::{TypeId, type_name};

/// The task of a shim.
#[derive(Debug)]
pub struct Invocation<'a> {
    parameters: &'static [Parameter],
    purpose: Purpose<'a>,
    why_not: Option<NotStarted>,
}

#[derive(Debug)]
enum Purpose<'a> {
    /// Run with these arguments.
    Call(&'a str, &'a ToolValidator, Scope<'a>),
    /// Describe the parameters and the required state.
    Describe(&'a mut SchemaGenerator, &'a mut Description),
    /// Decode each probe and collect its error.
    Probe(&'a [KeyProbe], &'a mut Vec<Option<String>>),
}

/// The inputs of a call other than its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) batch: &'a BatchContext,
    pub(crate) states: &'a States,
    /// The toolset, if the tool is a method.
    pub(crate) instance: Option<&'a Shared>,
    pub(crate) progress: &'a Progress,
}

impl Scope<'_> {
    pub(crate) fn context(&self) -> CallContext {
        CallContext::with_progress(self.id, self.tool, self.batch, self.progress)
    }
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
    pub(crate) id: TypeId,
    pub(crate) type_name: &'static str,
}

/// The reason why a call did not start its function.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// The arguments are invalid.
    Refused(Box<ArgumentsError>),
    /// Neither the batch nor the registry has a state of this type.
    MissingState(&'static str),
}

/// Methods that a shim calls start with `__`, since a trait in the user's scope may have a method of any other name.
impl<'a> Invocation<'a> {
    pub(crate) fn call(
        parameters: &'static [Parameter],
        arguments: &'a str,
        checks: &'a ToolValidator,
        scope: Scope<'a>,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Call(arguments, checks, scope), why_not: None }
    }

    pub(crate) fn describe(
        parameters: &'static [Parameter],
        generator: &'a mut SchemaGenerator,
        description: &'a mut Description,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Describe(generator, description), why_not: None }
    }

    /// Collects the errors of the parameters' decoders, one for each probe.
    pub(crate) fn probe(
        parameters: &'static [Parameter],
        probes: &'a [KeyProbe],
        errors: &'a mut Vec<Option<String>>,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Probe(probes, errors), why_not: None }
    }

    /// The reason why the call was not started.
    pub(crate) fn why_not(self) -> NotStarted {
        self.why_not.unwrap_or_else(|| unreachable!("a shim returns `None` for a call only with a reason"))
    }

    /// The toolset whose method the tool is.
    #[must_use]
    pub fn __instance<T: Send + Sync + 'static>(&self) -> Injected<'a, T> {
        match &self.purpose {
            Purpose::Call(_, _, scope) => {
                Injected(scope.instance.and_then(|instance| instance.downcast_ref()))
            }
            Purpose::Describe(..) | Purpose::Probe(..) => Injected(None),
        }
    }

    /// The state of this type, from the batch or otherwise from the registry; `None` if neither has it.
    pub fn __state<T: State + ?Sized>(&mut self, parameter: &'static str) -> Option<Injected<'a, T>> {
        match &mut self.purpose {
            Purpose::Call(_, _, scope) => {
                let state = scope.batch.states().and_then(T::find).or_else(|| T::find(scope.states));
                if state.is_none() {
                    self.why_not = Some(NotStarted::MissingState(type_name::<T>()));
                }
                state.map(|state| Injected(Some(state)))
            }
            Purpose::Describe(_, description) => {
                let need = Need { parameter, id: TypeId::of::<T>(), type_name: type_name::<T>() };
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
            Purpose::Call(_, _, scope) => scope.context(),
            Purpose::Describe(..) | Purpose::Probe(..) => CallContext::new("", ""),
        }
    }

    /// Decodes the arguments into the slots. `None` if they are invalid or if there is no call.
    pub fn __decode(&mut self, slots: &mut [&mut dyn ArgSlot<'a>]) -> Option<()> {
        match &mut self.purpose {
            Purpose::Call(arguments, checks, _) => {
                let refused = arguments::decode(arguments, self.parameters, checks, slots);
                refused.map_err(|refusal| self.why_not = Some(NotStarted::Refused(Box::new(refusal)))).ok()
            }
            Purpose::Describe(generator, description) => {
                description.parameters.extend(slots.iter().map(|slot| slot.describe(generator)));
                None
            }
            Purpose::Probe(probes, errors) => {
                errors.extend(probes.iter().map(|probe| {
                    let decoded = slots.get_mut(probe.parameter)?.read(&probe.value);
                    decoded.err().map(|error| error.to_string())
                }));
                None
            }
        }
    }
}
