//! Programs, their calls and their values.

use crate::setup::run;

const REMIND_ALL: &str = "
const orders = (await Promise.all([1, 2].map(customer => tools.list_orders({ customer })))).flat();
const open = orders.filter(order => !order.paid);
const texts = [];
for (const { id } of open) texts.push(await tools.remind({ order: id }));
return { count: open.length, total: open.reduce((sum, order) => sum + order.total, 0), texts };
";

#[tokio::test]
async fn a_program_calls_tools_in_loops_and_returns_what_it_needs() {
    let (text, effects) = run(REMIND_ALL).await;
    let texts = r#""texts":["reminded 11","reminded 12","reminded 21","reminded 22"]"#;
    assert_eq!(text, format!(r#"{{"count":4,"total":10000,{texts}}}"#));
    assert_eq!(effects, ["remind 11", "remind 12", "remind 21", "remind 22"]);
}

#[tokio::test]
async fn the_forms_in_which_models_write_programs_run() {
    let forms = [
        "return (await tools.remind({ order: 1 })).length",
        "async () => (await tools.remind({ order: 1 })).length",
        "(async () => { const text = await tools.remind({ order: 1 }); return text.length })()",
        "async function main() { return (await tools.remind({ order: 1 })).length }",
        "(await tools.remind({ order: 1 })).length // the length",
        "const { remind } = tools; return (await remind({ order: 1 })).length;",
    ];
    for form in forms {
        assert_eq!(run(form).await, ("10".to_owned(), vec!["remind 1".to_owned()]), "{form}");
    }
}

#[tokio::test]
async fn values_are_json_and_texts_are_texts() {
    for (code, expected) in [
        ("return 'a \"text\"'", "a \"text\""),
        ("return [1, null, { a: undefined }]", "[1,null,{}]"),
        ("return new Map([['a', 1]])", r#"[["a",1]]"#),
        ("return new Set([1, 2])", "[1,2]"),
        ("return 2n ** 64n", "18446744073709551616"),
        ("return null", "null"),
        ("return new Date('2026-11-27').toISOString()", "2026-11-27T00:00:00.000Z"),
        ("return new Date(0).getTime()", "0"),
        ("1 + 1", "2"),
        ("console.log('a', { b: 1 }, [2]); return 3", "a {\"b\":1} [2]\n3"),
        ("console.log('only printed')", "only printed\n"),
        ("return '\\ud800'", "\u{fffd}"),
        ("console.log('\\ud800')", "\u{fffd}\n"),
        ("const x = 1;", "The program has no value: `return` what you need."),
    ] {
        assert_eq!(run(code).await.0, expected, "{code}");
    }
}

#[tokio::test]
async fn a_failed_call_throws_an_error_that_the_program_can_catch() {
    let code = "try { await tools.remind({ order: 9 }) } catch (error) {
        return [error instanceof ToolError, error.kind, error.message] }";
    let (text, _) = run(code).await;
    assert!(text.starts_with(r#"[true,"returned","order 9 is locked"]"#), "{text}");
    assert!(
        text.ends_with("1 of 1 calls failed:\n- remind({\"order\":9}): returned: order 9 is locked"),
        "{text}"
    );

    let (text, _) = run(
        "return (await Promise.allSettled([9, 1].map(order => tools.remind({ order })))).map(r => r.status)",
    )
    .await;
    assert!(text.starts_with(r#"["rejected","fulfilled"]"#), "{text}");
}

#[tokio::test]
async fn programs_may_leave_out_names_of_arguments_and_await_in_their_value() {
    for code in [
        "return [tools.remind(1), tools.remind({ order: 2 })]",
        "return await Promise.all([1, 2].map(n => tools.remind(n)))",
        "const texts = []; for (const n of [1, 2]) texts.push(tools.remind(n)); return texts",
    ] {
        assert_eq!(run(code).await.0, r#"["reminded 1","reminded 2"]"#, "{code}");
    }
    let (text, _) = run("return { first: tools.remind(1), all: [tools.remind(2)] }").await;
    assert_eq!(text, r#"{"first":"reminded 1","all":["reminded 2"]}"#);
    let (text, _) = run("return (await tools.list_orders(4)).length").await;
    assert_eq!(text, "3");
}

#[tokio::test]
async fn calls_that_the_program_does_not_await_run() {
    let (text, effects) = run("tools.remind({ order: 1 }); tools.remind({ order: 2 }); return 'done'").await;
    assert_eq!((&*text, effects.len()), ("done", 2));
    let (text, _) = run("tools.remind({ order: 9 }); return 'done'").await;
    assert!(
        text.contains(
            "a call that the program did not await has failed: remind({\"order\":9}): order 9 is locked"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn results_return_in_the_order_of_the_calls() {
    // The second call ends first, and its result still follows that of the first one.
    let code = "const order = [];
        await Promise.all([tools.slow({ id: 1, ms: 40 }).then(() => order.push(1)), tools.slow({ id: 2, ms: 1 }).then(() => order.push(2))]);
        return order";
    let registry = crate::setup::slow_registry();
    let result = registry.call("run_code", serde_json::json!({ "code": code })).await;
    assert_eq!(result.text(), "[1,2]");
}

#[tokio::test]
async fn integers_that_javascript_would_round_are_texts() {
    let registry = crate::setup::slow_registry();
    let code = "const { id } = await tools.large(); return [typeof id, id]";
    let result = registry.call("run_code", serde_json::json!({ "code": code })).await;
    assert_eq!(result.text(), r#"["string","9007199254740993"]"#);
}
