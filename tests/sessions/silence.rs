//! A panic hook that does not print planned panics.

/// The message of a planned panic.
pub(crate) const PLANNED: &str = "as planned";

/// Silences planned panics; all others are printed.
pub(crate) fn planned_panics() {
    let other = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload().downcast_ref::<&str>() != Some(&PLANNED) {
            other(panic);
        }
    }));
}
