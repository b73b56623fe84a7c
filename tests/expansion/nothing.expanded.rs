use tool_runtime::tool;
/// Rings the bell.
pub fn ring() {}
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::tool_runtime::__private::{
        self, DefaultUnseen as _, PassedByValue as _, ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __private::Tool for ring {
        const DESCRIPTOR: &'static __private::Descriptor = &__private::Descriptor {
            name: "ring",
            description: "Rings the bell.",
            identity: ::core::any::TypeId::of::<ring>,
            location: __private::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __private::Options::NONE,
            parameters: &[],
            call: |mut __invocation| {
                __invocation.__decode(&mut [])?;
                __private::start(async move {
                    let __returned = ring();
                    let __sent = __private::Returned(&__returned)
                        .__kind()
                        .settle(__returned)?;
                    __private::Sent(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __private::submit!(ring);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum ring {}
