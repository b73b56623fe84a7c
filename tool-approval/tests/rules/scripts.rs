//! Random scripts that run `rm x`.

use fastrand::Rng;

/// Spellings of the program.
const NAMES: &[&str] =
    &["rm", "r''m", "r\\m", "\"rm\"", "'rm'", "$'rm'", "\\rm", "r\"\"m", "'r'm", "r\\\nm", "$\"rm\""];

/// Constructs with a script in them, which they run.
const CONSTRUCTS: &[&str] = &[
    "{}",
    "true; {}",
    "true && {}",
    "false || {}",
    "true & {}",
    "true | {}",
    "true\n{}",
    "true # a comment\n{}",
    "( {} )",
    "({}\n)",
    "{ {}\n}",
    "! {}",
    "if true; then {}\nfi",
    "if {}\nthen true; fi",
    "if false; then true; else {}\nfi",
    "if false; then true; elif {}\nthen true; fi",
    "while {}\ndo break; done",
    "until {}\ndo break; done",
    "for i in 1; do {}\ndone",
    "for i in 1\ndo {}\ndone",
    "case a in (b) true;; a) {}\n;; esac",
    "case a in a) {}\nesac",
    "f() { {}\n}; f",
    "echo $({})",
    "echo \"$({})\"",
    "echo \"a $(echo \"$({})\") b\"",
    "A=$({})",
    "echo ${A:-$({})}",
    "cat <<E\n$({})\nE\n",
    "cat <<'E'\nit's a text (\nE\n{}",
    "cat <<-E | cat\n\ttext\n\tE\n{}",
    "true >f; {}",
    "[ a = b ] || {}",
    "[[ a = b ]] || {}",
    "if [[ a ]] then {}\nfi",
    "while [[ ( a ) ]] do {}\nbreak; done",
    "echo 'it is; quoted' \"and $(true)\"; {}",
];

/// Constructs whose `{}` is one simple command.
const PREFIXES: &[&str] = &[
    "A=1 {}",
    "A='a' B=2 {}",
    ">f {}",
    "2>f <f {}",
    "env {}",
    "env -i PATH=\"$PATH\" A=1 {}",
    "nice -n 5 {}",
    "nohup {}",
    "timeout 5 {}",
    "timeout -s KILL 5 {}",
    "command {}",
    "exec {}",
    "time {}",
    "time -p {}",
    "eval {}",
    "echo y | xargs -n 1 {}",
    "find . -maxdepth 0 -exec {} \\;",
    "env nice timeout 5 env B=1 {}",
];

/// Constructs whose `{}` is a script in quotes.
const QUOTING: &[&str] =
    &["sh -c {}", "bash -c {}", "bash -ec {}", "eval {}", "env A=1 sh -c {}", "trap {} EXIT"];

/// A random script that runs `rm x`.
pub(crate) fn script(random: &mut Rng) -> String {
    let name = *random.choice(NAMES).expect("there are names");
    let mut script = format!("{name} x");
    for _ in 0..random.usize(0..3) {
        let prefix = random.choice(PREFIXES).expect("there are prefixes");
        script = prefix.replacen("{}", &script, 1);
    }
    for _ in 0..random.usize(0..4) {
        script = if random.u8(0..4) == 0 {
            let construct = random.choice(QUOTING).expect("there are constructs");
            construct.replacen("{}", &format!("'{}'", script.replace('\'', "'\\''")), 1)
        } else {
            let construct = random.choice(CONSTRUCTS).expect("there are constructs");
            construct.replacen("{}", &script, 1)
        };
    }
    script
}

/// Pieces of which scripts consist, in the shapes in which shells disagree or a reader loses its place.
#[rustfmt::skip]
const TOKENS: &[&str] = &[
    "rm", "rm x", "x", " ", " ", "\n", "\t", ";", "&&", "||", "|", "&", "(", ")", "{ ", "; }", "'", "\"",
    "\\", "\\\n", "$(", "`", "echo ", "A=1 ", "A=", "#", " # ", "<<E\n", "<<'E'\n", "<<-E\n", "\nE\n", "E",
    "<<<", ">f ", ">", "<", "2>&1", "&>f ", "if true; then ", "; fi", "eval ", "sh -c ", "case x in x) ",
    ";; esac", "$'", "$\"", "${A:-", "${A}", "}", "r''m", "\\r", "*", "=", "do ", "; done",
    "for i in 1; do ", "xargs ", "env ", "nice ", "! ", "time ", "$((1+1))", "((", "))", "[[ ", " ]]",
    "-c ", "f() ", "$A", "$", "exec ", "!", "\u{b}", "in ", "then ", "function f ", "coproc ", "<(",
    "trap ", "EXIT", "{rm,x}", "\r", "''", "\"\"", "~/", "./", "[", "]", "+=", "A[", "local ", "wait ",
    "set -x;", "-- ",
];

/// A script with random changes, or one of random pieces.
pub(crate) fn mutated(random: &mut Rng) -> String {
    let mut script = if random.bool() { script(random) } else { String::new() };
    for _ in 0..random.usize(1..9) {
        let places: Vec<usize> = script.char_indices().map(|(at, _)| at).chain([script.len()]).collect();
        let at = *random.choice(&places).expect("there is a place");
        if random.u8(0..5) == 0 && at < script.len() {
            script.remove(at);
        } else if random.bool() {
            script.insert_str(at, random.choice(TOKENS).expect("there are tokens"));
        } else {
            script.push_str(random.choice(TOKENS).expect("there are tokens"));
        }
    }
    script
}
