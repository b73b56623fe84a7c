//! Every fault of one item, reported together.

use syn::Error;

#[derive(Default)]
pub(crate) struct Faults(Option<Error>);

impl Faults {
    pub(crate) fn push(&mut self, fault: Error) {
        match &mut self.0 {
            Some(first) => first.combine(fault),
            None => self.0 = Some(fault),
        }
    }

    pub(crate) fn into_error(self) -> Option<Error> {
        self.0
    }
}
