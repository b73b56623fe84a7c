//! The programs of the README and of `tool_runtime::guide`, compiled and run as doc tests: `cargo test --doc --package guide`.

macro_rules! documents {
    ($($name:ident: $path:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!($path)]
            mod $name {}
        )*

        /// The paths of the documents.
        #[cfg(test)]
        const DOCUMENTS: &[&str] = &[$($path),*];
    };
}

documents! {
    readme: "../../../README.md",
    approvals: "../../../tool-runtime/src/guide/approvals.md",
    audit: "../../../tool-runtime/src/guide/audit.md",
    code_mode: "../../../tool-runtime/src/guide/code_mode.md",
    crashes: "../../../tool-runtime/src/guide/crashes.md",
    error_messages: "../../../tool-runtime/src/guide/error_messages.md",
    errors: "../../../tool-runtime/src/guide/errors.md",
    expansion: "../../../tool-runtime/src/guide/expansion.md",
    first_tool: "../../../tool-runtime/src/guide/first_tool.md",
    from_rig: "../../../tool-runtime/src/guide/from_rig.md",
    long_sessions: "../../../tool-runtime/src/guide/long_sessions.md",
    many_machines: "../../../tool-runtime/src/guide/many_machines.md",
    many_tools: "../../../tool-runtime/src/guide/many_tools.md",
    mcp: "../../../tool-runtime/src/guide/mcp.md",
    middleware: "../../../tool-runtime/src/guide/middleware.md",
    own_loop: "../../../tool-runtime/src/guide/own_loop.md",
    providers: "../../../tool-runtime/src/guide/providers.md",
    secrets: "../../../tool-runtime/src/guide/secrets.md",
    server: "../../../tool-runtime/src/guide/server.md",
    state: "../../../tool-runtime/src/guide/state.md",
    stopping: "../../../tool-runtime/src/guide/stopping.md",
    streaming: "../../../tool-runtime/src/guide/streaming.md",
    tasks: "../../../tool-runtime/src/guide/tasks.md",
    testing: "../../../tool-runtime/src/guide/testing.md",
    typed_answers: "../../../tool-runtime/src/guide/typed_answers.md",
}

#[cfg(test)]
mod tests {
    use super::DOCUMENTS;
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn each_chapter_is_tested_and_in_the_guide() {
        let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tool-runtime/src/guide");
        let files = std::fs::read_dir(&guide).expect("the folder of the guide");
        let files: BTreeSet<String> =
            files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
        let tested =
            DOCUMENTS.iter().filter_map(|path| path.strip_prefix("../../../tool-runtime/src/guide/"));
        assert_eq!(tested.map(str::to_owned).collect::<BTreeSet<_>>(), files);

        let page = std::fs::read_to_string(guide.with_extension("rs")).expect("the page of the guide");
        let (_, list) = page.split_once("chapters! {").expect("the list of chapters");
        let listed: BTreeSet<String> = list.split_whitespace().map(|name| format!("{name}.md")).collect();
        for file in files {
            assert!(listed.contains(&file), "{file} is not in `chapters!`");
            let row = format!("//! | [`{}`] |", file.trim_end_matches(".md"));
            assert!(page.contains(&row), "{file} is not in the table of chapters");
        }
    }
}
