//! The programs are short, and most of their lines belong to the client.

use crate::program::PROGRAMS;

const MAX_LINES: usize = 40;
const MAX_LIBRARY_LINES: usize = 10;

/// Names of the library, and of the conversions of its requests and replies.
const NAMES: [&str; 24] = [
    "tool_runtime",
    "tool_runtime_client",
    "Anthropic",
    "AssistantMessage",
    "Bedrock",
    "ChatCompletions",
    "Chunk",
    "Event",
    "Gemini",
    "GeminiInteractions",
    "Ollama",
    "Registry",
    "Request",
    "Responses",
    "Session",
    "create_byot",
    "create_raw",
    "create_stream_byot",
    "from_value",
    "json",
    "read_json",
    "read_reply",
    "session",
    "with_extra_body",
];

fn is_library_line(line: &str) -> bool {
    let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    !line.starts_with("//") && words.any(|word| NAMES.contains(&word))
}

#[test]
fn each_program_has_at_most_40_lines_and_the_library_has_at_most_10_of_them() {
    println!("| program | lines | with names of the library |");
    for program in PROGRAMS {
        let lines: Vec<&str> = program.source.lines().collect();
        let library_lines = lines.iter().filter(|line| is_library_line(line)).count();
        println!("| {} | {} | {library_lines} |", program.name, lines.len());
        assert!(lines.len() <= MAX_LINES, "{} has {} lines", program.name, lines.len());
        assert!(
            library_lines <= MAX_LIBRARY_LINES,
            "{}: {library_lines} lines are the library's",
            program.name
        );
        assert!(library_lines > 5, "{}: the names are outdated", program.name);
    }
}

#[test]
fn each_program_is_tested_and_listed_in_the_readme() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|file| file.expect("it is a file").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let programs: Vec<String> = PROGRAMS.iter().map(|program| format!("{}.rs", program.name)).collect();
    assert_eq!(files, programs);
    let readme = include_str!("../../../../README.md");
    for program in PROGRAMS {
        let link = format!("](examples/clients/src/bin/{}.rs)", program.name);
        let row = readme.lines().find(|line| line.contains(&link));
        let row = row.unwrap_or_else(|| panic!("{} is not in the README", program.name));
        let client = format!("[{} {}]", program.client, version(program.client));
        assert!(row.contains(&client), "the row of {} names another version than {client}", program.name);
    }
}

/// The version of a crate in the lock file, without the number of its patch.
fn version(name: &str) -> &'static str {
    let lock = include_str!("../../Cargo.lock");
    let (_, package) = lock.split_once(&format!("\nname = \"{name}\"\nversion = \"")).expect("it is locked");
    let (version, _) = package.split_once('"').expect("the version ends");
    version.rsplit_once('.').expect("there are three numbers").0
}
