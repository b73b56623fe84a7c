//! Changes of functions that requests do not show, since the published schema accepts more than the tool.

use super::compare;
use super::shop::lock_of;
use std::collections::{BTreeSet, HashSet};
use tool_runtime::{Registry, tool, tools};

macro_rules! functions {
    ($($module:ident: $kind:ty;)*) => {$(
        mod $module {
            use super::*;
            /// Stores a value.
            #[tool]
            pub(super) fn store(value: $kind) -> $kind {
                value
            }
        }
    )*};
}

functions! {
    list: Vec<u8>;
    set: BTreeSet<u8>;
    hash_set: HashSet<u8>;
    wide: i128;
    narrow: i64;
    double: f64;
    single: f32;
}

/// The first line about a change.
fn change(old: &Registry, new: &Registry) -> String {
    let message = compare(&lock_of(old), new).expect("it changes");
    message.lines().next().and_then(|line| line.split_once(": ")).expect("a first line").1.to_owned()
}

#[test]
fn rules_that_are_not_published_are_compared() {
    let [list, set, hash_set] = [tools![list::store], tools![set::store], tools![hash_set::store]]
        .map(|tools| Registry::new(tools).expect("one tool"));
    assert_eq!(change(&list, &set), "1 breaking change");
    assert_eq!(change(&list, &hash_set), "1 breaking change");
    assert_eq!(change(&set, &list), "1 compatible change");
    let [wide, narrow] =
        [tools![wide::store], tools![narrow::store]].map(|tools| Registry::new(tools).expect("one tool"));
    assert_eq!(change(&wide, &narrow), "2 breaking changes");
    let [double, single] =
        [tools![double::store], tools![single::store]].map(|tools| Registry::new(tools).expect("one tool"));
    assert_eq!(change(&double, &single), "2 breaking changes");
}

#[test]
fn an_approval_that_is_no_longer_required_is_breaking() {
    mod asking {
        /// Deletes everything.
        #[tool_runtime::tool(requires_approval)]
        pub(super) fn delete() {}
    }
    mod free {
        /// Deletes everything.
        #[tool_runtime::tool]
        pub(super) fn delete() {}
    }
    let [asking, free] =
        [tools![asking::delete], tools![free::delete]].map(|tools| Registry::new(tools).expect("one tool"));
    assert_eq!(change(&asking, &free), "1 breaking change");
    assert_eq!(change(&free, &asking), "1 compatible change");
}
