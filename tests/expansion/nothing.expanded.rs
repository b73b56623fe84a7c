use tool_runtime::tool;
/// Rings the bell.
pub fn ring() {}
#[allow(deprecated)]
const _: () = {
    #[automatically_derived]
    impl ::tool_runtime::__private::Tool for ring {
        const DESCRIPTOR: &'static ::tool_runtime::__private::Descriptor = &::tool_runtime::__private::Descriptor {
            name: "ring",
            description: "Rings the bell.",
            identity: ::core::any::TypeId::of::<ring>,
            location: ::tool_runtime::__private::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: ::tool_runtime::__private::Options::NONE,
            parameters: &[],
            call: |mut __invocation| {
                #[allow(unused_imports)]
                use ::tool_runtime::__private::{
                    PassedByValue as _, DefaultUnseen as _, ReturnsValue as _,
                    SendsJson as _,
                };
                __invocation.__decode(&mut [])?;
                ::tool_runtime::__private::start(async move {
                    let __returned = ring();
                    let __sent = ::tool_runtime::__private::Returned(&__returned)
                        .__kind()
                        .settle(__returned)?;
                    ::tool_runtime::__private::Sent(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    ::tool_runtime::__private::submit!(ring);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum ring {}
