//! Names of tools, and arguments that are no commands.

use super::{Judge, rules};
use serde_json::{Value, json};

/// Settings with one rule in each list: `index` has a pattern for strings, `paths` for arrays.
fn settings(list: &str, tool: &str, arguments: &Value) -> Value {
    json!({ list: [{"tool": tool, "arguments": arguments}] })
}

#[tokio::test]
async fn patterns_of_names_and_texts() {
    #[rustfmt::skip]
    let rows = [
        // Pattern, text, denied by it, allowed by it.
        ("*", "", true, true),
        ("*", "a b", true, true),
        ("*", "a\nb", true, false),
        ("*\n*", "a\nb", true, true),
        ("*\n*", "a\nb\nc", true, false),
        ("a*", "a\r\nb", true, false),
        ("a*", "a\u{2028}b", true, false),
        ("", "", true, true),
        ("", "a", false, false),
        ("a", "a", true, true),
        ("a", "ab", false, false),
        ("a*c", "abc", true, true),
        ("a*c", "ac", true, true),
        ("a*a", "a", false, false),
        ("*b*c", "bbcbc", true, true),
        ("a*b*b", "ab", false, false),
        ("**", "a", true, true),
        ("é*", "éa", true, true),
        (r"\*", "*", true, true),
        (r"\*", "a", false, false),
        (r"a\\*", r"a\b", true, true),
        (r"a\b", r"a\b", true, true),
        (r"a\", r"a\", true, true),
        ("?", "a", false, false),
        ("[ab]", "a", false, false),
        ("A", "a", false, false),
        ("rm *", "rm", false, false),
    ];
    for (pattern, text, denies, allows) in rows {
        let arguments = json!({ "text": text }).to_string();
        for (list, verdict, matches) in
            [("deny", "denied", denies), ("ask", "asks", denies), ("allow", "allowed", allows)]
        {
            let judge = Judge::new(rules(settings(list, "read_index", &json!({ "text": pattern }))));
            let expected = if matches { verdict } else { "undecided" };
            assert_eq!(
                judge.verdict("read_index", &*arguments).await.0,
                expected,
                "{list} {pattern:?} {text:?}"
            );
        }
    }
    for (pattern, matches) in
        [("read_index", true), ("read_*", true), ("*", true), ("read", false), ("*_inde", false)]
    {
        let judge = Judge::new(rules(json!({ "allow": [pattern] })));
        let expected = if matches { "allowed" } else { "undecided" };
        assert_eq!(judge.verdict("read_index", r#"{"text": "a"}"#).await.0, expected, "{pattern}");
    }
}

#[tokio::test]
async fn values_that_are_no_strings() {
    #[rustfmt::skip]
    let rows = [
        // Pattern of `paths`, value, denied by it, allowed by it.
        ("/etc/*", json!(["/etc/a"]), true, true),
        ("/etc/*", json!(["/tmp/a", "/etc/a"]), true, false),
        ("/etc/*", json!(["/tmp/a"]), false, false),
        ("*", json!([]), true, false),
        ("[]", json!([]), true, false),
        (r#"["/tmp/a","/tmp/b"]"#, json!(["/tmp/a", "/tmp/b"]), true, false),
    ];
    for (pattern, paths, denies, allows) in rows {
        for (list, verdict, matches) in [("deny", "denied", denies), ("allow", "allowed", allows)] {
            let judge = Judge::new(rules(settings(list, "read_files", &json!({ "paths": pattern }))));
            let arguments = json!({ "paths": paths }).to_string();
            let expected = if matches { verdict } else { "undecided" };
            assert_eq!(judge.verdict("read_files", arguments).await.0, expected, "{list} {pattern} {paths}");
        }
    }
    let judge = Judge::new(rules(settings("allow", "read_files", &json!({ "line": "7" }))));
    assert_eq!(judge.verdict("read_files", r#"{"paths": [], "line": 7}"#).await.0, "allowed");
    assert_eq!(judge.verdict("read_files", r#"{"paths": [], "line": 77}"#).await.0, "undecided");
}

#[tokio::test]
async fn an_absent_argument_may_match() {
    let both = json!({ "command": "make *", "folder": "/etc/*" });
    for (list, verdict, absent) in
        [("deny", "denied", "unclear"), ("ask", "asks", "unclear"), ("allow", "allowed", "undecided")]
    {
        let judge = Judge::new(rules(settings(list, "run_command", &both)));
        for (arguments, expected) in [
            (json!({ "command": "make x", "folder": "/etc/a" }), verdict),
            (json!({ "command": "make x", "folder": "/tmp" }), "undecided"),
            (json!({ "command": "test", "folder": "/etc/a" }), "undecided"),
            (json!({ "command": "make x" }), absent),
            (json!({ "command": "test" }), "undecided"),
        ] {
            let (found, text) = judge.verdict("run_command", arguments.to_string()).await;
            assert_eq!(found, expected, "{list} {arguments}: {text}");
        }
    }
}

#[tokio::test]
async fn arguments_that_two_readers_may_read_differently_are_unclear() {
    let judge = Judge::new(rules(settings("deny", "read_files", &json!({ "paths": "/etc/*" }))));
    let (found, text) = judge.verdict("read_files", r#"{"paths": ["/tmp"], "line": 1e300}"#).await;
    assert_eq!(found, "unclear", "{text}");
    // The registry may reject a repeated key before the rules see it.
    let message = judge.call("read_files", r#"{"paths": ["/tmp"], "paths": ["/etc/a"]}"#).await;
    assert!(!message.starts_with("read"), "{message}");
}
