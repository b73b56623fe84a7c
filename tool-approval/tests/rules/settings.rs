//! The settings file.

use super::{Judge, rules};
use serde_json::json;
use tool_runtime_approval::{Rule, Rules};

const FILE: &str = r#"{
  "commands": [
    {
      "tool": "run_command",
      "argument": "command"
    }
  ],
  "deny": [
    {
      "tool": "run_command",
      "arguments": {
        "command": "rm *"
      }
    }
  ],
  "ask": [
    "run_command"
  ],
  "allow": [
    "read_*",
    {
      "tool": "write_file",
      "arguments": {
        "mode": "new",
        "path": "src/\\**"
      }
    }
  ],
  "allow_calls": [
    {
      "tool": "run_command",
      "arguments": {
        "command": "ls * | wc",
        "folder": "."
      }
    }
  ]
}"#;

#[test]
fn a_file_has_a_stable_form() -> serde_json::Result<()> {
    let mut rules = Rules::new()
        .command("run_command", "command")
        .deny(Rule::tool("run_command").argument("command", "rm *"))
        .ask("run_command")
        .allow("read_*")
        .allow(Rule::tool("write_file").argument("path", r"src/\**").argument("mode", "new"));
    let call = json!({
        "id": "1",
        "tool": "run_command",
        "arguments": r#"{"folder": ".", "command": "ls * | wc"}"#,
    });
    assert!(rules.allow_like(&serde_json::from_value(call)?));
    assert_eq!(serde_json::to_string_pretty(&rules)?, FILE);
    assert_eq!(serde_json::from_str::<Rules>(FILE)?, rules);
    assert_eq!(serde_json::to_string(&Rules::new())?, "{}");
    assert_eq!(serde_json::from_str::<Rules>("{}")?, Rules::new());
    Ok(())
}

#[test]
fn errors_name_the_problem_and_the_line() {
    for (text, message) in [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("7", "invalid type: integer `7`, expected struct Rules at line 1 column 1"),
        (
            r#"{"denied": []}"#,
            "unknown field `denied`, expected one of `commands`, `deny`, `ask`, `allow`, `allow_calls` at line 1 column 9",
        ),
        (r#"{"deny": "rm"}"#, r#"invalid type: string "rm", expected a sequence at line 1 column 13"#),
        (r#"{"deny": [], "deny": []}"#, "duplicate field `deny` at line 1 column 19"),
        (
            r#"{"deny": [7]}"#,
            "invalid type: integer `7`, expected a rule: the name of a tool, or an object with `tool` and `arguments` at line 1 \
             column 11",
        ),
        (
            r#"{"deny": [""]}"#,
            "the name of the tool is empty: write a name, or `*` for every tool at line 1 column 12",
        ),
        (r#"{"deny": [{"arguments": {}}]}"#, "missing field `tool` at line 1 column 27"),
        (
            r#"{"deny": [{"tool": "a", "argument": {}}]}"#,
            "unknown field `argument`, expected `tool` or `arguments` at line 1 column 34",
        ),
        (
            r#"{"deny": [{"tool": "a", "arguments": ["b"]}]}"#,
            "invalid type: sequence, expected an object with the names of arguments as keys at line 1 column 37",
        ),
        (
            r#"{"deny": [{"tool": "a", "arguments": {"b": 7}}]}"#,
            "invalid type: integer `7`, expected a string at line 1 column 44",
        ),
        (
            r#"{"deny": [{"tool": "a", "arguments": {"b": "c", "b": "d"}}]}"#,
            "the key `b` is repeated: remove one of the two at line 1 column 57",
        ),
        (
            r#"{"allow_calls": ["a"]}"#,
            r#"invalid type: string "a", expected struct AllowedCall at line 1 column 20"#,
        ),
        (r#"{"commands": [{"tool": "a"}]}"#, "missing field `argument` at line 1 column 27"),
    ] {
        let error = serde_json::from_str::<Rules>(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[tokio::test]
async fn an_allowed_call_has_no_pattern() {
    let judge = Judge::new(rules(json!({
        "commands": [{"tool": "run_command", "argument": "command"}],
        "allow_calls": [{"tool": "run_*", "arguments": {"command": "*"}}, {"tool": "run_command", "arguments": {"command": "ls *; x"}}],
    })));
    assert_eq!(judge.command("ls *; x").await, "allowed call");
    for command in ["*", "ls a; x", "ls *; x ", "ls *;  x", "ls *"] {
        assert_eq!(judge.command(command).await, "undecided", "{command}");
    }
    let more = json!({ "command": "ls *; x", "folder": "/" }).to_string();
    assert_eq!(judge.verdict("run_command", more).await.0, "undecided");
}

/// Tools that take any arguments, such as those of a server, may have each of them.
#[test]
fn rules_about_unknown_names_are_found() {
    let rules = rules(json!({
        "commands": [{"tool": "shell", "argument": "command"}, {"tool": "run", "argument": "command"}],
        "deny": [{"tool": "*", "arguments": {"path": "/etc*", "paht": "/etc*"}}, "delete_*"],
        "allow": [{"tool": "open", "arguments": {"anything": "x"}}, "run"],
    }));
    let tool = |name: &str, parameters: serde_json::Value| {
        tool_runtime::DynamicTool::new(name, "Runs.", parameters, |_| async { Ok::<_, String>("ok") })
    };
    let closed = |names: &[&str]| {
        let properties: serde_json::Map<_, _> =
            names.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    };
    let registry = tool_runtime::Registry::builder()
        .dynamic(tool("run", closed(&["command", "path"])))
        .dynamic(tool("list", closed(&[])));
    let unknown = [
        "no tool has the name `shell`",
        "no tool with the name `*` has the argument `paht`",
        "no tool has the name `delete_*`",
        "no tool has the name `open`",
    ];
    assert_eq!(rules.unknown_names(&registry.build().expect("two tools")), unknown);
    let open = tool("open", json!({"type": "object", "additionalProperties": true}));
    let registry = tool_runtime::Registry::builder().dynamic(open).dynamic(tool("run", closed(&["command"])));
    let unknown = ["no tool has the name `shell`", "no tool has the name `delete_*`"];
    assert_eq!(rules.unknown_names(&registry.build().expect("two tools")), unknown);
}
