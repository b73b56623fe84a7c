//! The value that a tool returns to the program in addition to the text for the model.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// An artifact, shared by the clones of its message. The mutex makes a message `Sync` whatever its artifact is; it is
/// never contended.
#[derive(Clone)]
pub(crate) struct Artifact(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl Artifact {
    pub(crate) fn new(artifact: Box<dyn Any + Send>) -> Self {
        Artifact(Arc::new(Mutex::new(Some(artifact))))
    }

    pub(super) fn take<T: Any>(&self) -> Option<T> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match place.take()?.downcast() {
            Ok(artifact) => Some(*artifact),
            Err(of_another_type) => {
                *place = Some(of_another_type);
                None
            }
        }
    }
}

impl fmt::Debug for Artifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Artifact")
    }
}
