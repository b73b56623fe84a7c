use tool_runtime::{CallContext, tool};
pub struct Shop {
    pub name: String,
}
/// Opens a ticket.
pub async fn open_ticket(shop: &Shop, title: &str, call: &CallContext) -> String {
    format!("{title} at {} by {}", shop.name, call.tool())
}
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::tool_runtime::__private::{
        self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _,
        ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __tool_runtime::Tool for open_ticket {
        const DESCRIPTOR: &'static __tool_runtime::Descriptor = &__tool_runtime::Descriptor {
            name: "open_ticket",
            description: "Opens a ticket.",
            identity: ::core::any::TypeId::of::<open_ticket>,
            location: __tool_runtime::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __tool_runtime::Options::NONE.read_only(true),
            parameters: &[
                __tool_runtime::Parameter {
                    name: "title",
                    description: "",
                    keywords: &[],
                },
            ],
            call: |__invocation| {
                let __shop = __invocation.__state::<Shop>("shop")?;
                let mut __title = __tool_runtime::Tag::<&str>::NEW.__mode().argument();
                let __call = __invocation.__context();
                __invocation.__decode(&mut [&mut __title])?;
                __tool_runtime::start(async move {
                    let __returned = open_ticket(
                            __shop.__get(),
                            __title.__get(),
                            &__call,
                        )
                        .await;
                    let __sent = __tool_runtime::ReturnProbe(&__returned)
                        .__kind()
                        .into_result(__returned)?;
                    __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __tool_runtime::submit!(open_ticket);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum open_ticket {}
