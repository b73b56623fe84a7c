//! Application state that is injected into tools: one value of each type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A value of some type, shared between the calls that use it.
pub(crate) type Shared = Arc<dyn Any + Send + Sync>;

/// A type that can be the state of a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of a tool: it must be `Sized + Send + Sync + 'static`",
    label = "cannot be application state",
    note = "for a trait object, add an `Arc<dyn ..>` to the registry and take `&Arc<dyn ..>`",
    note = "for text, add a struct with a `String` and take a reference to it",
    note = "for a value that changes, use a `Mutex` or an `RwLock` in place of a `RefCell` or a `Cell`"
)]
pub trait State: Send + Sync + 'static {
    /// The value of this type, or that in an `Arc` of it. The method belongs to this trait so that an unsized type causes
    /// the diagnostic above.
    fn find(states: &States) -> Option<&Self>;

    /// The types of the values that [`find`](State::find) looks for.
    fn ids() -> [TypeId; 2];
}
#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> State for T {
    fn find(states: &States) -> Option<&Self> {
        states.get::<T>().or_else(|| states.get::<Arc<T>>().map(|shared| &**shared))
    }

    fn ids() -> [TypeId; 2] {
        [TypeId::of::<T>(), TypeId::of::<Arc<T>>()]
    }
}

/// Values by type.
#[derive(Clone, Default)]
pub struct States(HashMap<TypeId, StateEntry>);

#[derive(Clone)]
struct StateEntry {
    type_name: &'static str,
    value: Shared,
}

impl States {
    /// Whether the value replaced another of its type.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> bool {
        let entry = StateEntry { type_name: type_name::<T>(), value: Arc::new(value) };
        self.0.insert(TypeId::of::<T>(), entry).is_some()
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.value.downcast_ref()
    }

    pub(crate) fn contains_any(&self, ids: &[TypeId]) -> bool {
        ids.iter().any(|id| self.0.contains_key(id))
    }
}

impl fmt::Debug for States {
    /// Lists the types only: the values may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = self.0.values().map(|entry| entry.type_name).collect();
        names.sort_unstable();
        f.debug_list().entries(names).finish()
    }
}

/// A value that is injected into one call. Empty while a tool is described.
#[derive(Debug)]
pub struct Injected<'a, T: ?Sized>(pub(crate) Option<&'a T>);

impl<'a, T: ?Sized> Injected<'a, T> {
    /// The value that the function takes.
    #[must_use]
    pub fn __get(&self) -> &'a T {
        self.0.unwrap_or_else(|| unreachable!("a function starts only with all its state"))
    }
}
