//! The programs of the README and of `tool_runtime::guide`, compiled and run as doc tests: `cargo test --package guide`.

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

macro_rules! chapters {
    ($($name:ident)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../tool-runtime/src/guide/", stringify!($name), ".md"))]
            mod $name {}
        )*

        #[cfg(test)]
        const CHAPTERS: &[&str] = &[$(stringify!($name)),*];
    };
}

chapters! {
    approvals audit code_mode crashes error_messages errors expansion first_tool from_rig long_sessions many_machines many_tools mcp
    middleware own_loop providers secrets server state stopping streaming tasks testing typed_answers
}

#[cfg(test)]
mod tests {
    use super::CHAPTERS;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn each_chapter_is_tested_and_in_the_guide() {
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tool-runtime/src/guide");
        let files = std::fs::read_dir(&guide).expect("the folder of the guide");
        let files: BTreeSet<String> = files
            .map(|file| file.expect("a file").path())
            .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
            .collect();
        assert_eq!(CHAPTERS.iter().map(|&chapter| chapter.to_owned()).collect::<BTreeSet<_>>(), files);

        let page = std::fs::read_to_string(guide.with_extension("rs")).expect("the page of the guide");
        let (_, list) = page.split_once("chapters! {").expect("the list of chapters");
        let listed: BTreeSet<&str> = list.trim_end().trim_end_matches('}').split_whitespace().collect();
        assert_eq!(listed, CHAPTERS.iter().copied().collect());
        for chapter in CHAPTERS {
            let row = format!("//! | [`{chapter}`] |");
            assert!(page.contains(&row), "{chapter} is not in the table of chapters");
        }
    }
}
