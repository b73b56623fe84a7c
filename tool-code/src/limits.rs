//! The limits of a program.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The limits of one program. A program that exceeds its time, memory, stack or length ends with an error for the model.
///
/// ```
/// use std::time::Duration;
/// use tool_runtime_code::Limits;
///
/// let limits = Limits::default().calls(500).compute_time(Duration::from_secs(5));
/// # let _ = limits;
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[must_use]
pub struct Limits {
    pub(crate) compute_time: Duration,
    pub(crate) memory: usize,
    pub(crate) stack: usize,
    pub(crate) output: usize,
    pub(crate) code: usize,
    pub(crate) calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            compute_time: Duration::from_secs(2),
            memory: 32 << 20,
            stack: 256 << 10,
            output: 20_000,
            code: 64 << 10,
            calls: 100,
        }
    }
}

impl Limits {
    /// The time in which the program computes, without the time in which it waits for calls. It is elapsed time, not processor time.
    /// Default: 2 seconds.
    pub fn compute_time(mut self, time: Duration) -> Self {
        self.compute_time = time;
        self
    }

    /// The memory of the program, in bytes. Default: 32 MiB. A value below 1 MiB counts as 1 MiB. The result of a call may have a
    /// quarter of it, and the arguments of all calls a sixteenth.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The stack of the program, in bytes. Default: 256 KiB. A value below 128 KiB counts as 128 KiB, and one above 1 MiB as 1 MiB.
    pub fn stack(mut self, bytes: usize) -> Self {
        self.stack = bytes;
        self
    }

    /// The text that the model receives: the printed text, the returned value and the error, in bytes each. Default: 20,000.
    pub fn output(mut self, bytes: usize) -> Self {
        self.output = bytes;
        self
    }

    /// The length of the program, in bytes. Default: 64 KiB.
    pub fn code(mut self, bytes: usize) -> Self {
        self.code = bytes;
        self
    }

    /// The number of calls of the program, with its searches of tools. Further calls throw an error of the kind `too_many_calls`.
    /// Default: 100. The limits of the run count these calls, too: a program that reaches
    /// [`Run::max_calls`](tool_runtime::session::Run::max_calls) continues in the next run.
    pub fn calls(mut self, calls: usize) -> Self {
        self.calls = calls;
        self
    }
}

impl Limits {
    /// In bytes.
    pub(crate) fn max_memory(&self) -> usize {
        self.memory.max(MIN_MEMORY)
    }

    /// In bytes.
    pub(crate) fn max_stack(&self) -> usize {
        self.stack.clamp(MIN_STACK, MAX_STACK)
    }

    /// The arguments of all calls, in UTF-16 units: a sixteenth of the memory, since this process copies them several times.
    pub(crate) fn max_arguments(&self) -> usize {
        self.max_memory() / 16
    }

    /// The result of a call, in bytes: a quarter of the memory, since the program also has its text while it reads the JSON.
    pub(crate) fn max_result(&self) -> usize {
        self.max_memory() / 4
    }

    /// The time in which the program computes, so that a deadline exists.
    pub(crate) fn time(&self) -> Duration {
        const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);
        self.compute_time.min(LONGEST)
    }

    /// The number of calls after which a program ends that ignores their errors.
    pub(crate) fn last_call(&self) -> usize {
        self.calls.saturating_mul(2).saturating_add(100)
    }

    /// The error of a program that computes for too long.
    pub(crate) fn too_late(&self) -> String {
        format!("the program computed for more than {} s", self.compute_time.as_secs_f64())
    }
}

/// In bytes. The engine takes less than half of it.
const MIN_MEMORY: usize = 1 << 20;

/// In bytes. The engine reads 0 as no limit, and needs more than 32 KiB in a build without optimisations.
const MIN_STACK: usize = 128 << 10;

/// In bytes. The thread of a program has more.
pub(crate) const MAX_STACK: usize = 1 << 20;
