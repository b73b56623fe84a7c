use tool_runtime::toolset;
pub trait Backend: Send + Sync {
    fn load(&self) -> i64;
}
pub struct Calculator<B> {
    pub backend: B,
}
impl<B: Backend> Calculator<B>
where
    B: Clone,
{
    const TWO: i64 = 2;
    /// Adds to what is there.
    pub async fn add(&self, a: i64) -> i64 {
        self.backend.load() + a
    }
    /// Doubles.
    pub fn double(n: i64) -> Result<i64, String> {
        n.checked_mul(Self::TWO).ok_or_else(|| "too much".to_owned())
    }
    pub fn untouched(&self) -> i64 {
        self.backend.load()
    }
}
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::tool_runtime::__private::{
        self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _,
        ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl<B: Backend> __tool_runtime::Toolset for Calculator<B>
    where
        B: Clone,
        Self: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        const TOOLS: &'static [__tool_runtime::Descriptor] = &[
            __tool_runtime::Descriptor {
                name: "add",
                description: "Adds to what is there.",
                identity: ::core::any::TypeId::of::<Self>,
                location: __tool_runtime::Location {
                    module: ::core::module_path!(),
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
                options: __tool_runtime::Options::NONE.read_only(true),
                parameters: &[
                    __tool_runtime::Parameter {
                        name: "a",
                        description: "",
                        keywords: &[],
                    },
                ],
                call: |__invocation| {
                    let __self = __invocation.__instance::<Self>()?;
                    let mut __a = __tool_runtime::argument::<i64>();
                    __invocation.__decode(&mut [&mut __a])?;
                    let __a = __a.__get();
                    __tool_runtime::start(async move {
                        let __returned = Self::add(__self.__get(), __a).await;
                        let __sent = __tool_runtime::ReturnProbe(&__returned)
                            .__kind()
                            .into_result(__returned)?;
                        __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                    })
                },
            },
            __tool_runtime::Descriptor {
                name: "twice",
                description: "Doubles.",
                identity: ::core::any::TypeId::of::<Self>,
                location: __tool_runtime::Location {
                    module: ::core::module_path!(),
                    file: ::core::file!(),
                    line: ::core::line!(),
                },
                options: __tool_runtime::Options::NONE,
                parameters: &[
                    __tool_runtime::Parameter {
                        name: "n",
                        description: "",
                        keywords: &[],
                    },
                ],
                call: |__invocation| {
                    let mut __n = __tool_runtime::argument::<i64>();
                    __invocation.__decode(&mut [&mut __n])?;
                    let __n = __n.__get();
                    __tool_runtime::start(async move {
                        let __returned = Self::double(__n);
                        let __sent = __tool_runtime::ReturnProbe(&__returned)
                            .__kind()
                            .into_result(__returned)?;
                        __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                    })
                },
            },
        ];
    }
};
