use std::borrow::Cow;
use tool_runtime::tool;
/// Lists posts.
///
/// # Arguments
///
/// * `tags` - What they are about.
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
        self, DefaultUnseen as _, PassedByValue as _, ReturnsValue as _, SendsJson as _,
    };
    #[automatically_derived]
    impl __private::Tool for list {
        const DESCRIPTOR: &'static __private::Descriptor = &__private::Descriptor {
            name: "list",
            description: "Lists posts.",
            identity: ::core::any::TypeId::of::<list>,
            location: __private::Location {
                module: ::core::module_path!(),
                file: ::core::file!(),
                line: ::core::line!(),
            },
            options: __private::Options::NONE,
            parameters: &[
                __private::Parameter {
                    name: "tags",
                    description: "What they are about.",
                    keywords: &[],
                },
                __private::Parameter {
                    name: "title",
                    description: "",
                    keywords: &[],
                },
                __private::Parameter {
                    name: "text",
                    description: "",
                    keywords: &[],
                },
                __private::Parameter {
                    name: "area",
                    description: "Width and height.",
                    keywords: &[],
                },
                __private::Parameter {
                    name: "mod",
                    description: "",
                    keywords: &[
                        ("minimum", __private::Literal::Integer(1)),
                        ("maximum", __private::Literal::Integer(100)),
                        (
                            "examples",
                            __private::Literal::List(
                                &[
                                    __private::Literal::Integer(10),
                                    __private::Literal::Integer(20),
                                ],
                            ),
                        ),
                    ],
                },
                __private::Parameter {
                    name: "unused",
                    description: "",
                    keywords: &[],
                },
            ],
            call: |mut __invocation| {
                let mut __tags = __private::Tag::<&[String]>::NEW.__passing().argument();
                let mut __title = __private::Tag::<Option<&'_ str>>::NEW
                    .__passing()
                    .argument();
                let mut __text = __private::Tag::<Cow<'_, str>>::NEW
                    .__passing()
                    .argument();
                let mut __3 = __private::argument::<(u32, u32)>();
                let mut __mod = __private::argument::<Option<u8>>()
                    .__with_default(::core::default::Default::default);
                let mut ___unused = __private::argument::<bool>();
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
                __private::start(async move {
                    let __returned = list(
                        __tags.__get(),
                        __title.__get(),
                        __text.__get(),
                        __3.__get(),
                        __mod.__get(),
                        ___unused.__get(),
                    );
                    let __sent = __private::Returned(&__returned)
                        .__kind()
                        .settle(__returned)?;
                    __private::Sent(&__sent).__kind().write(__sent)
                })
            },
        };
    }
    __private::submit!(list);
};
#[doc(hidden)]
#[allow(non_camel_case_types, dead_code, clippy::exhaustive_enums)]
pub enum list {}
