extern crate tool_runtime as renamed;
use renamed::tool;
#[cfg(not(any()))]
#[must_use]
pub(crate) fn delete_file(path: String) -> String {
    format!("{path} is gone")
}
#[cfg(not(any()))]
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use renamed::__private::{
        self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _,
        ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __tool_runtime::Tool for DeleteFile {
        const DESCRIPTOR: &'static __tool_runtime::Descriptor = &__tool_runtime::Descriptor {
            name: "delete-file",
            description: "Deletes a file.",
            identity: ::core::any::TypeId::of::<DeleteFile>,
            location: __tool_runtime::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __tool_runtime::Options::NONE
                .blocking()
                .requires_approval()
                .timeout_ms(120000)
                .max_concurrency(2)
                .max_calls(3)
                .title("Delete a file")
                .destructive(true)
                .idempotent(true)
                .open_world(false)
                .output_schema(|| {
                    __tool_runtime::ReturnType::<String>::NEW.__value().__schema()
                }),
            parameters: &[
                __tool_runtime::Parameter {
                    name: "path",
                    description: "",
                    keywords: &[],
                },
            ],
            call: |__invocation| {
                let mut __path = __tool_runtime::argument::<String>();
                __invocation.__decode(&mut [&mut __path])?;
                let __path = __path.__get();
                __tool_runtime::start(async move {
                    let __returned = delete_file(__path);
                    let __sent = __tool_runtime::ReturnProbe(&__returned)
                        .__kind()
                        .into_result(__returned)?;
                    __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __tool_runtime::submit!(DeleteFile);
};
#[cfg(not(any()))]
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub(crate) enum DeleteFile {}
