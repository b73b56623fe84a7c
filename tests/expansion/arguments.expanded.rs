use std::borrow::Cow;
use tool_runtime::tool;
/// Lists posts.
///
/// # Arguments
///
/// * `tags` - The topics of the text.
pub fn list<'a>(
    tags: &[String],
    title: Option<&'a str>,
    text: Cow<'a, str>,
    (width, height): (u32, u32),
    r#mod: Option<u8>,
    _unused: bool,
) -> usize {
    tags.len() + title.map_or(0, str::len) + text.len() + (width * height) as usize
        + usize::from(r#mod.is_some())
}
#[allow(deprecated)]
const _: () = {
    #[allow(unused_imports)]
    use ::tool_runtime::__private::{
        self as __tool_runtime, NonSerializeDefault as _, PassedByValue as _,
        ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __tool_runtime::Tool for list {
        const DESCRIPTOR: &'static __tool_runtime::Descriptor = &__tool_runtime::Descriptor {
            name: "list",
            description: "Lists posts.",
            identity: ::core::any::TypeId::of::<list>,
            location: __tool_runtime::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __tool_runtime::Options::NONE,
            parameters: &[
                __tool_runtime::Parameter {
                    name: "tags",
                    description: "The topics of the text.",
                    keywords: &[],
                },
                __tool_runtime::Parameter {
                    name: "title",
                    description: "",
                    keywords: &[],
                },
                __tool_runtime::Parameter {
                    name: "text",
                    description: "",
                    keywords: &[],
                },
                __tool_runtime::Parameter {
                    name: "area",
                    description: "Width and height.",
                    keywords: &[],
                },
                __tool_runtime::Parameter {
                    name: "mod",
                    description: "",
                    keywords: &[
                        ("minimum", __tool_runtime::Literal::Integer(1)),
                        ("maximum", __tool_runtime::Literal::Integer(100)),
                        (
                            "examples",
                            __tool_runtime::Literal::List(
                                &[
                                    __tool_runtime::Literal::Integer(10),
                                    __tool_runtime::Literal::Integer(20),
                                ],
                            ),
                        ),
                    ],
                },
                __tool_runtime::Parameter {
                    name: "unused",
                    description: "",
                    keywords: &[],
                },
            ],
            call: |__invocation| {
                let mut __tags = __tool_runtime::Tag::<&[String]>::NEW
                    .__mode()
                    .argument();
                let mut __title = __tool_runtime::Tag::<Option<&'_ str>>::NEW
                    .__mode()
                    .argument();
                let mut __text = __tool_runtime::Tag::<Cow<'_, str>>::NEW
                    .__mode()
                    .argument();
                let mut __3 = __tool_runtime::argument::<(u32, u32)>();
                let mut __mod = __tool_runtime::argument::<Option<u8>>()
                    .__with_default(::core::default::Default::default);
                let mut ___unused = __tool_runtime::argument::<bool>();
                __invocation
                    .__decode(
                        &mut [
                            &mut __tags,
                            &mut __title,
                            &mut __text,
                            &mut __3,
                            &mut __mod,
                            &mut ___unused,
                        ],
                    )?;
                let __3 = __3.__get();
                let __mod = __mod.__get();
                let ___unused = ___unused.__get();
                __tool_runtime::start(async move {
                    let __returned = list(
                        __tags.__get(),
                        __title.__get(),
                        __text.__get(),
                        __3,
                        __mod,
                        ___unused,
                    );
                    let __sent = __tool_runtime::ReturnProbe(&__returned)
                        .__kind()
                        .into_result(__returned)?;
                    __tool_runtime::OutputProbe(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __tool_runtime::submit!(list);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum list {}
