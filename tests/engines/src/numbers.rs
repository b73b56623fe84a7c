//! A tool for each type of number, alone, as an option and in a list.

use std::num::{NonZeroI64, NonZeroU64};
use tool_runtime::registry::ToolList;
use tool_runtime::{tool, tools};

macro_rules! numbers {
    ($($module:ident: $number:ty, $single:literal, $option:literal, $list:literal;)*) => {
        $(
            mod $module {
                #[allow(clippy::wildcard_imports, reason = "a macro's module")]
                use super::*;

                /// Takes a number.
                #[tool(name = $single)]
                pub(super) fn single(value: $number) {
                    let _ = value;
                }

                /// Takes a number or none.
                #[tool(name = $option)]
                pub(super) fn option(value: Option<$number>) {
                    let _ = value;
                }

                /// Takes numbers.
                #[tool(name = $list)]
                pub(super) fn list(value: Vec<$number>) {
                    drop(value);
                }
            }
        )*

        pub(super) fn numbers() -> ToolList {
            tools![$($module::single, $module::option, $module::list),*]
        }
    };
}

numbers! {
    of_i8: i8, "i8", "option_i8", "list_i8";
    of_u8: u8, "u8", "option_u8", "list_u8";
    of_i16: i16, "i16", "option_i16", "list_i16";
    of_u16: u16, "u16", "option_u16", "list_u16";
    of_i32: i32, "i32", "option_i32", "list_i32";
    of_u32: u32, "u32", "option_u32", "list_u32";
    of_i64: i64, "i64", "option_i64", "list_i64";
    of_u64: u64, "u64", "option_u64", "list_u64";
    of_i128: i128, "i128", "option_i128", "list_i128";
    of_u128: u128, "u128", "option_u128", "list_u128";
    of_isize: isize, "isize", "option_isize", "list_isize";
    of_usize: usize, "usize", "option_usize", "list_usize";
    of_f32: f32, "f32", "option_f32", "list_f32";
    of_f64: f64, "f64", "option_f64", "list_f64";
    of_non_zero_i64: NonZeroI64, "non_zero_i64", "option_non_zero_i64", "list_non_zero_i64";
    of_non_zero_u64: NonZeroU64, "non_zero_u64", "option_non_zero_u64", "list_non_zero_u64";
}
