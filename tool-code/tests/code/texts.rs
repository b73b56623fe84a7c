//! The texts that the model reads: the description, and errors that tell it what to change.

use crate::setup::{Effects, registry, run, shop};
use std::time::Duration;
use tool_runtime::{Registry, tool, tools};
use tool_runtime_code::{CodeTool, Limits};

fn description(registry: &Registry) -> String {
    registry.tool("run_code").expect("the tool").schema.description().to_owned()
}

#[tokio::test]
async fn the_description_declares_the_tools_with_their_documentation_and_results() {
    let text = description(&registry(&Effects::default()).expect("valid tools"));
    let expected = "The tools:
// The orders of a customer.
await tools.list_orders({customer: integer (The number of the customer.)}): {id: integer, total: integer (In cents.), paid: boolean}[]
// Refunds an order.
await tools.refund({order: integer, euros: integer})
// Sends a reminder for an order.
await tools.remind({order: integer})";
    assert!(text.ends_with(expected), "{text}");
    for missing in ["network", "file", "clock", "randomness", "import"] {
        assert!(text.contains(missing), "{text}");
    }
}

#[tokio::test]
async fn above_a_size_a_program_finds_the_declarations() {
    let code = CodeTool::new(shop(&Effects::default()).build().expect("valid tools")).max_declared_bytes(50);
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let text = description(&registry);
    assert!(text.ends_with("The tools: list_orders, refund, remind"), "{text}");
    let call = |code: &'static str| registry.call("run_code", serde_json::json!({ "code": code }));
    let found = call("return await findTools('send a reminder')").await;
    assert_eq!(found.text(), "// Sends a reminder for an order.\nawait tools.remind({order: integer})");
    assert_eq!(call("return await findTools('weather')").await.text(), "no tool matches: use other words");
}

#[tokio::test]
async fn errors_tell_the_model_what_to_change() {
    for (code, expected) in [
        ("const tools = { a: 1 }; return tools.a", "`tools` is defined already: leave out its declaration."),
        ("return await remind({ order: 1 })", "Write tools.remind."),
        ("[1].map(order => { return await tools.remind({ order }) })", "write `async` before that function"),
        (
            "for (const order of tools.list_orders({ customer: 1 })) console.log(order)",
            "write await tools.list_orders(..) to use its result",
        ),
        (
            "const text = await tools.remind({ order: 1 });",
            "Done. The program has returned no value.\nThese calls may have taken effect, so do not repeat them:
- remind({\"order\":1}): ok",
        ),
        ("return {...tools.list_orders(1)}", "write await tools.list_orders(..) to use its result"),
        ("return 'about ' + tools.list_orders(1)", "write await tools.list_orders(..) to use its result"),
        (
            "return tools.list_orders({ customer: 1 }).length",
            "the call of tools.list_orders is a promise: write await tools.list_orders(..) to use its result",
        ),
        (
            "return await tools.sendMail({})",
            "there is no tool \"sendMail\". The tools are tools.list_orders, tools.refund, tools.remind",
        ),
        (
            "const x: string = 'a'; return x",
            "Write JavaScript, not TypeScript: leave out types, interfaces and `as`.",
        ),
        ("return [1] as number[]", "Write JavaScript, not TypeScript"),
        ("print(1)", "`return` what you need, or use console.log."),
        ("return functions.remind({ order: 1 })", "Call a tool as tools.name({..})."),
        ("return new URL('http://example.com')", "This is not Node or a browser"),
        ("return await tools.remind({ order: 9 })", "Error: ToolError: remind({\"order\":9}): order 9 is locked"),
        (
            "tools.remind({ order: 9 }); return 1",
            "a call that the program did not await has failed: remind({\"order\":9}): order 9 is locked",
        ),
        ("return [1, 2].map(order => order.total).reduce((sum, total) => sum + total, 0)", "NaN: a value is missing"),
        ("return { sum: NaN }", "{\"sum\":\"NaN\"}"),
        ("throw { code: 3 }", "the program threw: {\"code\":3}"),
        ("throw [new Error('it is late'), 5n]", "the program threw: [{\"name\":\"Error\",\"message\":\"it is late\"},\"5\"]"),
        ("throw new Error('it is late')", "Error: it is late"),
        ("throw new Error()", "Error: an error without a message"),
        ("return await findTools({})", "ToolError: findTools("),
        (
            "// group them by type of order\n[1].map(order => { await tools.remind({ order }) })",
            "write `async` before that function",
        ),
        (
            "return await tools.remind({ order: 'x: {\"name\": \"y\"}' })",
            "got string \"x: {\"name\": \"y\"}\"",
        ),
        ("return [new RangeError('it is late')]", "[{\"name\":\"RangeError\",\"message\":\"it is late\"}]"),
        ("import fs from 'fs'; return 1", "There are no imports here: leave out `import` and `export`."),
        ("return Date.now()", "there is no clock here: take the time from a tool or from the user"),
        ("return new Date()", "there is no clock here"),
        ("return Math.random()", "there is no randomness here"),
        ("return await fetch('http://example.com')", "There is no network here: call a tool."),
        ("await new Promise(done => setTimeout(done, 100))", "There are no timers here: leave out the wait."),
        ("return require('fs')", "This is not Node or a browser"),
        ("await new Promise(() => {})", "the program waits for a promise that nothing resolves"),
        ("const a = 1;\nconst b = null;\nreturn b.c", "(line 3)"),
        ("(async () => {\n  const b = null;\n  return b.c;\n})()", "(line 3)"),
        ("throw 'a text'", "the program threw: a text"),
        (
            "return await tools.remind({ order: 'x' })",
            "invalid arguments for `remind`: `order`: expected an integer, got string \"x\"",
        ),
        (
            "return await tools.remind({ order: '7' })",
            "Call it again, but change `order` from \"7\" to 7, without quotes.",
        ),
        (
            "const a = []; while (true) a.push('x'.repeat(1e5))",
            "the program needs more than 32 MiB of memory",
        ),
        ("const f = () => f(); f()", "Maximum call stack size exceeded"),
        (
            "return 'x'.repeat(50_000)",
            "[The rest of what the program returned is left out: filter the data in the program]",
        ),
        (
            "for (let i = 0; i < 10000; i++) console.log('line', i)",
            "[The rest of what the program printed is left out",
        ),
        ("return await tools.remind({ order: 'x'.repeat(3e6) })", "the arguments of all calls are too long"),
        ("const x = {}; x.x = x; return x", "circular reference"),
    ] {
        let (text, _) = run(code).await;
        assert!(text.contains(expected), "{code}\n{text}");
    }
}

#[tokio::test]
async fn a_program_may_be_in_a_code_fence() {
    let (text, _) = run("```js\nreturn 1 + 1\n```").await;
    assert_eq!(text, "2");
    let (text, _) = run("\n```\nconst a = 1;\nconst b = null;\nreturn b.c").await;
    assert!(text.ends_with("(line 5)"), "{text}");
}

#[tokio::test]
async fn half_a_character_at_the_end_of_shown_arguments_is_no_error() {
    let code = "try { await tools.remind({ order: 9, note: 'x'.repeat(78) + '😀'.repeat(9) }) } catch {} return 'fine'";
    let (text, _) = run(code).await;
    assert!(text.starts_with("fine"), "{text}");
}

#[tokio::test]
async fn a_program_that_changes_all_objects_can_catch_failures() {
    let code = "Object.prototype.get = () => 1; try { await tools.remind({ order: 9 }) } catch (e) { return e.kind }";
    let (text, _) = run(code).await;
    assert!(text.starts_with("returned"), "{text}");
}

#[tokio::test]
async fn a_program_without_a_value_may_read_again() {
    let (text, _) = run("const orders = await tools.list_orders({ customer: 1 });").await;
    assert_eq!(text, "The program has no value: `return` what you need.");
}

#[tokio::test]
async fn a_tool_whose_name_is_no_identifier_is_listed_with_brackets() {
    /// Finds orders.
    #[tool(name = "find-orders", read_only)]
    fn find_orders() -> u32 {
        1
    }
    let code = CodeTool::new(Registry::new(tools![find_orders]).expect("a valid tool"));
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let text = registry.call("run_code", serde_json::json!({ "code": "return tools.find_orders()" })).await;
    assert!(text.text().contains("The tools are tools[\"find-orders\"]"), "{}", text.text());
}

#[tokio::test]
async fn an_error_lists_the_calls_that_were_made() {
    let (text, _) =
        run("await tools.remind({ order: 1 }); console.log('one'); await tools.remind({ order: 9 })").await;
    let expected = "It printed:\none\n\nThese calls may have taken effect, so do not repeat them:
- remind({\"order\":1}): ok\n- remind({\"order\":9}): returned: order 9 is locked";
    assert!(text.ends_with(expected), "{text}");
}

#[tokio::test]
async fn a_program_is_limited_in_its_length_and_calls() {
    let effects = Effects::default();
    let limits = Limits::default().calls(3).code(100);
    let code = CodeTool::new(shop(&effects).build().expect("valid tools")).limits(limits).name("run_js");
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let run = |code: String| registry.call("run_js", serde_json::json!({ "code": code }));
    let text = run("for (let order = 1; ; order++) await tools.remind({ order })".to_owned()).await;
    assert!(text.text().contains("not run: a program may make at most 3 calls"), "{}", text.text());
    assert_eq!(effects.all().len(), 3);
    let text = run(format!("return 1 // {}", "x".repeat(100))).await;
    assert_eq!(text.text(), "Error: the program has 112 bytes, and at most 100 are allowed");
}

#[tokio::test]
async fn a_program_that_computes_for_too_long_is_stopped() {
    let limits = Limits::default().compute_time(Duration::from_millis(100));
    let code = CodeTool::new(shop(&Effects::default()).build().expect("valid tools")).limits(limits);
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let text = registry.call("run_code", serde_json::json!({ "code": "while (true) {}" })).await;
    assert_eq!(text.text(), "Error: the program computed for more than 0.1 s");
}

#[tokio::test]
async fn no_limit_is_switched_off() {
    let mut json = serde_json::to_value(Limits::default()).expect("limits are JSON");
    json["memory"] = 0.into();
    json["stack"] = 0.into();
    let read = serde_json::from_value(json).expect("the JSON has all limits");
    for limits in [Limits::default().memory(0).stack(0), read] {
        let code = CodeTool::new(shop(&Effects::default()).build().expect("valid tools")).limits(limits);
        let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
        for (code, expected) in [
            ("return await tools.remind({ order: 1 })", "reminded 1"),
            ("const f = () => f() + 1; return f()", "Maximum call stack size exceeded"),
            ("const a = []; for (;;) a.push({})", "the program needs more than 1 MiB of memory"),
        ] {
            let text = registry.call("run_code", serde_json::json!({ "code": code })).await;
            assert!(text.text().contains(expected), "{}", text.text());
        }
    }
}

#[tokio::test]
async fn limits_may_be_as_large_as_their_types() {
    let limits =
        Limits::default().compute_time(Duration::MAX).output(usize::MAX).calls(usize::MAX).stack(usize::MAX);
    let code = CodeTool::new(shop(&Effects::default()).build().expect("valid tools")).limits(limits);
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let text = registry
        .call("run_code", serde_json::json!({ "code": "console.log(1); return await tools.remind(2)" }))
        .await;
    assert_eq!(text.text(), "1\nreminded 2");
}

/// Returns a long text.
#[tool]
fn long() -> String {
    "x".repeat(9 << 20)
}

#[tokio::test]
async fn a_result_that_is_too_long_is_an_error_of_its_call() {
    let code = CodeTool::new(Registry::new(tools![long]).expect("a valid tool"));
    let registry = Registry::builder().dynamic(code.tool()).build().expect("a valid tool");
    let code = "try { await tools.long() } catch (error) { return error.kind + ': ' + error.message }";
    let text = registry.call("run_code", serde_json::json!({ "code": code })).await.text().into_owned();
    assert_eq!(text, "result_too_long: the result has 9437184 bytes, and a program can read 8388608");
}
