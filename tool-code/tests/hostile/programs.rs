//! Hostile programs: each tries to exceed a limit, to stop the process, or to reach what a program must not have.

/// A hostile program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hostile {
    pub(crate) name: &'static str,
    pub(crate) code: &'static str,
    /// A part of the text that the model reads.
    pub(crate) expected: &'static str,
}

pub(crate) fn programs() -> Vec<Hostile> {
    let exhausting = EXHAUSTING.iter().map(|&(name, code)| Hostile { name, code, expected: "Error: " });
    let others = OTHERS.iter().map(|&(name, code, expected)| Hostile { name, code, expected });
    exhausting.chain(others).collect()
}

/// The name and the text of each program that exceeds a limit.
const EXHAUSTING: &[(&str, &str)] = &[
    // Time
    ("an endless loop", "for (;;);"),
    ("an endless loop that catches errors", "for (;;) { try { for (;;); } catch {} }"),
    ("an endless loop in finally", "try { for (;;); } finally { for (;;); }"),
    ("endless recursion of promises", "const again = () => Promise.resolve().then(again); await again()"),
    (
        "endless microtasks",
        "await new Promise(() => { const more = async () => { while (true) await null }; more(); more() })",
    ),
    ("an endless generator", "function* all() { while (true) yield 1 } return [...all()]"),
    (
        "an endless iterator of Array.from",
        "return Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) })",
    ),
    ("a regular expression with exponential time", "return /^(a+)+$/.test('a'.repeat(40) + 'b')"),
    ("a regular expression with a long backtrack", "return /(x+x+)+y/.exec('x'.repeat(5_000))"),
    ("an endless getter", "return { get value() { for (;;); } }"),
    ("an endless toJSON", "return { toJSON() { for (;;); } }"),
    ("an endless sort", "[3, 1, 2].sort(() => { for (;;); })"),
    ("an endless proxy", "const p = new Proxy({}, { ownKeys() { for (;;); } }); return Object.keys(p)"),
    ("an endless toString", "throw { toString() { for (;;); } }"),
    (
        "an error with an endless message",
        "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;); } }); throw e",
    ),
    (
        "an error with an endless stack",
        "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e",
    ),
    ("an error with an endless name", "class E extends Error { get name() { for (;;); } } throw new E('x')"),
    ("an endless then", "return { then() { for (;;); } }"),
    ("an endless conversion of arguments", "await tools.echo({ toJSON() { for (;;); } })"),
    ("a large sum of BigInt", "let n = 3n; for (;;) n *= n"),
    ("a huge shift", "return 1n << 100_000_000n"),
    ("a huge join", "return Array(1e8).join('x').length"),
    ("a long indexOf", "const text = 'a'.repeat(4e6); let n = 0; for (;;) n += text.indexOf('ab')"),
    ("a method of a huge object", "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })"),
    ("a sort of a huge object", "[].sort.call({ length: 2 ** 53 - 2 })"),
    ("a method of a sparse array", "new Array(2 ** 32 - 1).reverse()"),
    // Memory
    ("an array that grows", "const all = []; for (;;) all.push({})"),
    ("a text that doubles", "let text = 'x'; for (;;) text += text"),
    ("a repeated text", "return 'x'.repeat(2 ** 29)"),
    ("a padded text", "return 'x'.padEnd(2 ** 29)"),
    ("a map that grows", "const all = new Map(); for (let i = 0; ; i++) all.set(i, i)"),
    ("a large array", "return new Array(2 ** 31).fill(0)"),
    ("closures that grow", "let f = () => 0; for (;;) { const g = f; f = () => g() + 1 }"),
    (
        "memory that is caught",
        "const all = []; for (;;) { try { for (;;) all.push('x'.repeat(1e6) + all.length) } catch {} }",
    ),
    (
        "a symbol for each number",
        "const all = []; for (let i = 0; ; i++) all.push(Symbol('x'.repeat(1_000) + i))",
    ),
    (
        "a large template",
        "const t = 'x'.repeat(1e6); return `${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}${t}`.length",
    ),
    // Stack
    ("endless recursion", "const f = () => 1 + f(); return f()"),
    ("recursion that is caught", "const f = () => { try { return f() } catch { return f() } }; return f()"),
    ("a deep array", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a"),
    ("a deep JSON", "return JSON.parse('['.repeat(1e5) + ']'.repeat(1e5))"),
    ("a deep expression", "return eval('('.repeat(2e4) + '1' + ')'.repeat(2e4))"),
    ("a chain of operators", "return eval('-'.repeat(0) + '- '.repeat(2e4) + '1')"),
    ("a deep regular expression", "return new RegExp('('.repeat(2e4) + ')'.repeat(2e4)).test('')"),
    ("a proxy of a proxy", "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x"),
    (
        "a long chain of prototypes",
        "let o = {}; for (let i = 0; i < 1e5; i++) o = Object.create(o); return o.x",
    ),
    ("a value that contains itself", "const o = {}; o.o = o; return o"),
    ("recursive toString", "const o = { toString() { return `${o}` } }; return `${o}`"),
    // Output and calls
    ("endless output", "for (;;) console.log('x'.repeat(1_000))"),
    ("endless calls", "for (;;) await tools.echo({ text: 'x' })"),
    (
        "all calls at once",
        "return await Promise.all(Array.from({ length: 1e4 }, () => tools.echo({ text: 'x' })))",
    ),
    ("calls without await", "for (let i = 0; i < 1e5; i++) tools.echo({ text: 'x' })"),
    ("a call with a long argument", "return await tools.echo({ text: 'x'.repeat(5e6) })"),
    (
        "a call with a deep argument",
        "let a = 1; for (let i = 0; i < 1e4; i++) a = [a]; return await tools.echo({ text: a })",
    ),
];

/// The name and the text of each program that tries to reach what it must not have, and a part of the text that the model reads.
const OTHERS: &[(&str, &str, &str)] = &[
    (
        "a large JSON",
        "const all = Array(1e5).fill('x'.repeat(100)); return JSON.stringify(all)",
        "The rest of what the program returned is left out",
    ),
    ("a long line", "console.log('x'.repeat(5e6))", "The rest of what the program printed is left out"),
    (
        "forged calls",
        "Array.prototype.toJSON = () => Array(1e5).fill({ tool: 'echo', arguments: '{}' }); return await tools.echo({ text: 'x' })",
        "x",
    ),
    (
        "a value that grows",
        "let n = 0; return { toJSON() { return n++ ? Array(1e5).fill('x'.repeat(100)) : 1 } }",
        "1",
    ),
    ("a long error", "throw 'x'.repeat(5e6)", "The rest of what the program threw is left out"),
    (
        "a long message of an error",
        "throw new Error('x'.repeat(5e6))",
        "The rest of what the program threw is left out",
    ),
    ("another global object", "return Object.keys(new Function('return this')())", "[\"console\"]"),
    (
        "a changed prelude",
        "Promise = null; JSON = null; Map.prototype.get = () => ({ resolve: () => 1, reject: () => 1 }); return await tools.echo({ text: 'x' })",
        "x",
    ),
    (
        "a changed Array",
        "Array.prototype.push = () => 0; Array.prototype.join = () => 'y'; return await tools.echo({ text: 'x' })",
        "x",
    ),
    (
        "a changed Object",
        "Object.prototype.get = () => 1; Object.prototype.then = () => 1; return await tools.echo({ text: 'x' })",
        "x",
    ),
    (
        "a changed Promise",
        "Promise.prototype.then = function () { throw 1 }; return await tools.echo({ text: 'x' })",
        "Error: ",
    ),
    (
        "a changed iterator",
        "Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; console.log(1, 2); return [...[1]].length",
        "Error: ",
    ),
    ("other tools", "tools.other = () => 1; return tools.other", "tools cannot be changed"),
    (
        "a tool that is replaced",
        "try { Object.defineProperty(tools, 'echo', { value: () => 'fake' }) } catch {} return await tools.echo({ text: 'x' })",
        "x",
    ),
    ("the constructor of tools", "return await tools.echo.constructor('return 1')()", "1"),
    ("a tool named like a method", "return await tools.constructor({})", "there is no tool"),
    ("the clock of another Date", "return (new Date(0)).constructor.now()", "there is no clock"),
    ("the clock of an error", "return new Error().timestamp", "has no value"),
    ("a dynamic import", "return await import('std')", "Error: "),
    ("a half character", "return await tools.echo({ text: '\\ud800' })", "Error: "),
    ("a null character", "return await tools.echo({ text: 'a\\u0000b' })", "a\u{0}b"),
];
