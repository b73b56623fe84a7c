//! The stages that only some calls pass.

/// Declares the stages in their order, so that the list has each of them.
macro_rules! stages {
    ($($(#[$doc:meta])* $stage:ident,)*) => {
        /// A stage between the validation of a call's arguments and the run of its tool. A call passes the stages that
        /// concern its tool or its batch, in this order. A call that passes none runs at once.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Stage {
            $($(#[$doc])* $stage,)*
        }

        impl Stage {
            /// All stages, in the order in which calls pass them.
            pub(crate) const ALL: &[Stage] = &[$(Stage::$stage),*];
        }
    };
}

stages! {
    /// A call fails if its batch is cancelled already. Afterwards, the token ends the call in any stage.
    Cancellation,
    /// A call that needs a Tokio runtime fails if there is none.
    Runtime,
    /// The `before_call` hook decides, and a tool may require an approval.
    Approval,
    /// The call waits until fewer calls than `max_concurrency` run.
    Queue,
    /// The call counts towards the `max_calls` of its tool.
    CallLimit,
    /// The listeners of the batch receive the start of the call.
    StartEvent,
    /// The middleware of `around_call` runs the call, as often as it decides.
    Middleware,
    /// The run has a time limit. `Call::run_once` applies it to each run.
    Timeout,
    /// The function runs on a blocking thread. `Call::run_once` starts the thread of each run.
    BlockingThread,
}

const _: () = assert!(Stage::ALL.len() <= u16::BITS as usize, "a `StageSet` has a bit for each stage");

/// A set of stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StageSet(u16);

impl StageSet {
    /// The middleware alone.
    pub(crate) const MIDDLEWARE: Self = StageSet(1 << Stage::Middleware as u16);

    /// Whether the call starts in one of its stages, with arguments that the stage owns.
    pub(crate) fn starts_later(self) -> bool {
        self.contains(Stage::Middleware) || self.contains(Stage::BlockingThread)
    }

    /// The stages for which the condition is true.
    pub(crate) fn new(applies: impl Fn(Stage) -> bool) -> Self {
        let applying = Stage::ALL.iter().filter(|stage| applies(**stage));
        StageSet(applying.fold(0, |set, &stage| set | 1 << stage as u16))
    }

    pub(crate) fn contains(self, stage: Stage) -> bool {
        self.0 & 1 << stage as u16 != 0
    }

    pub(crate) fn union(self, other: Self) -> Self {
        StageSet(self.0 | other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}
