//! Values that a program lends to its tools: one of each type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// A value of some type, shared between the calls that use it.
pub(crate) type Shared = Arc<dyn Any + Send + Sync>;

/// What can be lent to a tool.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of a tool: it must be `Sized + Send + Sync + 'static`",
    label = "cannot be shared between the calls of a batch",
    note = "for a trait object, add an `Arc<dyn ..>` to the registry and take `&Arc<dyn ..>`"
)]
pub trait State: Send + Sync + 'static {
    /// The value of this type. Here, so that a type without a size is refused with the words above.
    fn find(states: &States) -> Option<&Self>;
}
#[diagnostic::do_not_recommend]
impl<T: Send + Sync + 'static> State for T {
    fn find(states: &States) -> Option<&Self> {
        states.get()
    }
}

/// The values, by type.
#[derive(Clone, Default)]
pub struct States(HashMap<TypeId, Kept>);

#[derive(Clone)]
struct Kept {
    type_name: &'static str,
    value: Shared,
}

impl States {
    /// Says whether a value of this type was there, and is no more.
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> bool {
        let kept = Kept { type_name: type_name::<T>(), value: Arc::new(value) };
        self.0.insert(TypeId::of::<T>(), kept).is_some()
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.value.downcast_ref()
    }

    pub(crate) fn holds(&self, id: TypeId) -> bool {
        self.0.contains_key(&id)
    }
}

impl fmt::Debug for States {
    /// The types alone: what they hold may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = self.0.values().map(|kept| kept.type_name).collect();
        names.sort_unstable();
        f.debug_list().entries(names).finish()
    }
}

/// A value lent to one call; empty while a tool only describes itself.
#[derive(Debug)]
pub struct Lent<'a, T: ?Sized>(pub(crate) Option<&'a T>);

impl<'a, T: ?Sized> Lent<'a, T> {
    /// The value, as the function takes it.
    #[must_use]
    pub fn __get(&self) -> &'a T {
        self.0.unwrap_or_else(|| unreachable!("a function starts only when all that it needs is there"))
    }
}
