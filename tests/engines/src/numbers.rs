//! A tool for each number type, for an option of it and for an array of it.

use std::num::{NonZeroI64, NonZeroU64};
use tool_runtime::registry::ToolList;
use tool_runtime::{tool, tools};

macro_rules! numbers {
    ($($module:ident: $number:ty, $single:literal, $option:literal, $list:literal;)*) => {
        $(
            mod $module {
                #[allow(clippy::wildcard_imports, reason = "a module of a macro")]
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
    i8_tools: i8, "i8", "option_i8", "list_i8";
    u8_tools: u8, "u8", "option_u8", "list_u8";
    i16_tools: i16, "i16", "option_i16", "list_i16";
    u16_tools: u16, "u16", "option_u16", "list_u16";
    i32_tools: i32, "i32", "option_i32", "list_i32";
    u32_tools: u32, "u32", "option_u32", "list_u32";
    i64_tools: i64, "i64", "option_i64", "list_i64";
    u64_tools: u64, "u64", "option_u64", "list_u64";
    i128_tools: i128, "i128", "option_i128", "list_i128";
    u128_tools: u128, "u128", "option_u128", "list_u128";
    isize_tools: isize, "isize", "option_isize", "list_isize";
    usize_tools: usize, "usize", "option_usize", "list_usize";
    f32_tools: f32, "f32", "option_f32", "list_f32";
    f64_tools: f64, "f64", "option_f64", "list_f64";
    non_zero_i64_tools: NonZeroI64, "non_zero_i64", "option_non_zero_i64", "list_non_zero_i64";
    non_zero_u64_tools: NonZeroU64, "non_zero_u64", "option_non_zero_u64", "list_non_zero_u64";
}
