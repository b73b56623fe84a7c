use tool_runtime::tool;
/// Look up the weather of a city.
pub async fn get_weather(city: &str, days: u8) -> Result<String, std::io::Error> {
    Ok(format!("{city} in {days} days: sunny"))
}
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::tool_runtime::__private::{
        self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _,
        ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __tool_runtime::Tool for get_weather {
        const DESCRIPTOR: &'static __tool_runtime::Descriptor = &__tool_runtime::Descriptor {
            name: "get_weather",
            description: "Look up the weather of a city.",
            identity: ::core::any::TypeId::of::<get_weather>,
            location: __tool_runtime::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __tool_runtime::Options::NONE,
            parameters: &[
                __tool_runtime::Parameter {
                    name: "city",
                    description: "City name, for example \"Beijing\".",
                    keywords: &[],
                },
                __tool_runtime::Parameter {
                    name: "days",
                    description: "How many days ahead; 0 is today.",
                    keywords: &[],
                },
            ],
            call: |__invocation| {
                let mut __city = __tool_runtime::Tag::<&str>::NEW.__mode().argument();
                let mut __days = __tool_runtime::argument::<u8>().__with_default(|| 0);
                __invocation.__decode(&mut [&mut __city, &mut __days])?;
                let __days = __days.__get();
                __tool_runtime::start(async move {
                    let __returned = get_weather(__city.__get(), __days).await;
                    let __sent = __tool_runtime::ReturnProbe(&__returned)
                        .__kind()
                        .into_result(__returned)?;
                    __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __tool_runtime::submit!(get_weather);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum get_weather {}
