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
    #[automatically_derived]
    impl renamed::__private::Tool for DeleteFile {
        const DESCRIPTOR: &'static renamed::__private::Descriptor = &renamed::__private::Descriptor {
            name: "delete-file",
            description: "Deletes a file.",
            identity: ::core::any::TypeId::of::<DeleteFile>,
            location: renamed::__private::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: renamed::__private::Options::NONE
                .blocking()
                .requires_approval()
                .destructive()
                .idempotent()
                .timeout_ms(120000),
            parameters: &[
                renamed::__private::Parameter {
                    name: "path",
                    description: "",
                    keywords: &[],
                },
            ],
            call: |mut __invocation| {
                #[allow(unused_imports)]
                use renamed::__private::{
                    PassedByValue as _, DefaultUnseen as _, ReturnsValue as _,
                    SendsJson as _,
                };
                let mut __path = renamed::__private::argument::<String>();
                __invocation.__decode(&mut [&mut __path])?;
                renamed::__private::start(async move {
                    let __returned = delete_file(__path.__get());
                    let __sent = renamed::__private::Returned(&__returned)
                        .__kind()
                        .settle(__returned)?;
                    renamed::__private::Sent(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    renamed::__private::submit!(DeleteFile);
};
#[cfg(not(any()))]
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub(crate) enum DeleteFile {}
