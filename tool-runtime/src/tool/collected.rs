//! Collection of the tools that are linked into the program: each tool submits itself before `main`.

use super::Descriptor;

/// A tool that `Registry::collect()` finds.
pub struct Collected(pub &'static Descriptor);

inventory::collect!(Collected);

/// All tools that are linked into the program, in no particular order.
pub(crate) fn collected() -> impl Iterator<Item = &'static Descriptor> {
    inventory::iter::<Collected>.into_iter().map(|tool| tool.0)
}

#[doc(hidden)]
#[macro_export]
macro_rules! __submit {
    ($tool:ident) => {
        $crate::__private::inventory::submit! {
            $crate::__private::Collected(<$tool as $crate::__private::Tool>::DESCRIPTOR)
        }
    };
}
