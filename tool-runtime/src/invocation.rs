//! What a tool's shim is handed: either a call to answer, or the wish to be described.

use crate::arguments::{self, ArgSlot, ArgumentsError, KeyProbe, ParamSchema, Parameter, ToolValidator};
use crate::context::{BatchContext, CallContext, Progress};
use crate::state::{Lent, Shared, State, States};
use schemars::SchemaGenerator;
use std::any::{TypeId, type_name};

/// What a tool's shim is asked to do.
#[derive(Debug)]
pub struct Invocation<'a> {
    parameters: &'static [Parameter],
    purpose: Purpose<'a>,
    why_not: Option<NotStarted>,
}

#[derive(Debug)]
enum Purpose<'a> {
    /// To run on these arguments.
    Call(&'a str, &'a ToolValidator, Scope<'a>),
    /// To describe itself.
    Describe(&'a mut SchemaGenerator, &'a mut Description),
    /// To decode each probe and collect its error.
    Probe(&'a [KeyProbe], &'a mut Vec<Option<String>>),
}

/// What a call can reach beside its arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) batch: &'a BatchContext,
    pub(crate) states: &'a States,
    /// The value whose method the tool is.
    pub(crate) instance: Option<&'a Shared>,
    pub(crate) progress: &'a Progress,
}

impl Scope<'_> {
    pub(crate) fn context(&self) -> CallContext {
        CallContext::of_call(self.id, self.tool, self.batch, self.progress)
    }
}

/// What a shim says of itself.
#[derive(Debug, Default)]
pub(crate) struct Description {
    /// In declared order.
    pub(crate) parameters: Vec<ParamSchema>,
    pub(crate) needs: Vec<Need>,
}

/// A state that a tool cannot run without.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) parameter: &'static str,
    pub(crate) id: TypeId,
    pub(crate) type_name: &'static str,
}

/// Why a call did not start its function.
#[derive(Debug)]
pub(crate) enum NotStarted {
    /// The arguments are not what the schema asks for.
    Refused(Box<ArgumentsError>),
    /// Neither the batch nor the registry has a state of this type.
    MissingState(&'static str),
}

/// What the shim calls has `__`: a trait of the user's may be in scope with any other name.
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

    /// Asks the decoders of the parameters for their errors, one for each probe.
    pub(crate) fn probe(
        parameters: &'static [Parameter],
        probes: &'a [KeyProbe],
        errors: &'a mut Vec<Option<String>>,
    ) -> Self {
        Invocation { parameters, purpose: Purpose::Probe(probes, errors), why_not: None }
    }

    /// Why its call was not started, when it was not.
    pub(crate) fn why_not(self) -> NotStarted {
        self.why_not.unwrap_or_else(|| unreachable!("a shim stops only with a reason, or without a call"))
    }

    /// The value whose method the tool is.
    #[must_use]
    pub fn __instance<T: Send + Sync + 'static>(&self) -> Lent<'a, T> {
        match &self.purpose {
            Purpose::Call(_, _, scope) => Lent(scope.instance.and_then(|instance| instance.downcast_ref())),
            Purpose::Describe(..) | Purpose::Probe(..) => Lent(None),
        }
    }

    /// The state of this type, of the batch or else of the registry; `None` where there is none.
    pub fn __state<T: State + ?Sized>(&mut self, parameter: &'static str) -> Option<Lent<'a, T>> {
        match &mut self.purpose {
            Purpose::Call(_, _, scope) => {
                let state = scope.batch.states().and_then(T::find).or_else(|| T::find(scope.states));
                if state.is_none() {
                    self.why_not = Some(NotStarted::MissingState(type_name::<T>()));
                }
                state.map(|state| Lent(Some(state)))
            }
            Purpose::Describe(_, description) => {
                let need = Need { parameter, id: TypeId::of::<T>(), type_name: type_name::<T>() };
                description.needs.push(need);
                Some(Lent(None))
            }
            Purpose::Probe(..) => Some(Lent(None)),
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

    /// Fills every slot; `None` if the arguments are invalid, and always if there is no call.
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
