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
        self, DefaultUnseen as _, PassedByValue as _, ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __private::Tool for DeleteFile {
        const DESCRIPTOR: &'static __private::Descriptor = &__private::Descriptor {
            name: "delete-file",
            description: "Deletes a file.",
            identity: ::core::any::TypeId::of::<DeleteFile>,
            location: __private::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __private::Options::NONE
                .blocking()
                .requires_approval()
                .destructive()
                .idempotent()
                .timeout_ms(120000),
            parameters: &[
                __private::Parameter {
                    name: "path",
                    description: "",
                    keywords: &[],
                },
            ],
            call: |mut __invocation| {
                let mut __path = __private::argument::<String>();
                __invocation.__decode(&mut [&mut __path])?;
                __private::start(async move {
                    let __returned = delete_file(__path.__get());
                    let __sent = __private::Returned(&__returned)
                        .__kind()
                        .settle(__returned)?;
                    __private::Sent(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __private::submit!(DeleteFile);
};
#[cfg(not(any()))]
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub(crate) enum DeleteFile {}
