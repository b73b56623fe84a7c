//! Hooks of the program between the replies of a run.

use super::Session;
use std::error::Error;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;

/// The session between two replies of a run, for the hooks of [`Run::between_replies`](super::Run::between_replies). It derefs to
/// the [`Session`].
///
/// `'env` is the lifetime of the values that the hook borrows.
#[derive(Debug)]
pub struct HookSession<'s, 'env> {
    session: &'s mut Session,
    /// It implies `'env: 's`, so that the future of a hook can borrow from its surroundings.
    surroundings: PhantomData<&'s &'env ()>,
}

impl Deref for HookSession<'_, '_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session
    }
}

impl DerefMut for HookSession<'_, '_> {
    fn deref_mut(&mut self) -> &mut Session {
        self.session
    }
}

/// Whether a run continues after a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The run continues.
    Continue,
    /// The run sends no further request, and ends with [`RunEnd::Stopped`](super::RunEnd::Stopped) unless it ends anyway.
    Stop,
}

/// The error of a hook: any error of the program.
pub type HookError = Box<dyn Error + Send + Sync>;

/// The future of a hook.
pub type HookFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HookError>> + Send + 'a>>;

/// The hooks of a run, in their order.
#[derive(Default)]
pub(super) struct Hooks<'a>(Vec<Hook<'a>>);

type Hook<'a> = Box<dyn for<'s> FnMut(HookSession<'s, 'a>) -> HookFuture<'s, Flow> + Send + 'a>;

impl<'a> Hooks<'a> {
    pub(super) fn push(
        &mut self,
        hook: impl for<'s> FnMut(HookSession<'s, 'a>) -> HookFuture<'s, Flow> + Send + 'a,
    ) {
        self.0.push(Box::new(hook));
    }

    /// Calls each hook, even if an earlier one stops the run.
    pub(super) async fn call(&mut self, session: &mut Session) -> Result<Flow, HookError> {
        let mut flow = Flow::Continue;
        for hook in &mut self.0 {
            let between = HookSession { session, surroundings: PhantomData };
            if hook(between).await? == Flow::Stop {
                flow = Flow::Stop;
            }
        }
        Ok(flow)
    }
}
