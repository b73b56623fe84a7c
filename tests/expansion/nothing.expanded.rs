use tool_runtime::tool;
/// Rings the bell.
pub fn ring() {}
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::tool_runtime::__private::{
        self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _,
        ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __tool_runtime::Tool for ring {
        const DESCRIPTOR: &'static __tool_runtime::Descriptor = &__tool_runtime::Descriptor {
            name: "ring",
            description: "Rings the bell.",
            identity: ::core::any::TypeId::of::<ring>,
            location: __tool_runtime::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __tool_runtime::Options::NONE,
            parameters: &[],
            call: |__invocation| {
                __invocation.__decode(&mut [])?;
                __tool_runtime::start(async move {
                    let __returned = ring();
                    let __sent = __tool_runtime::ReturnProbe(&__returned)
                        .__kind()
                        .into_result(__returned)?;
                    __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __tool_runtime::submit!(ring);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum ring {}
